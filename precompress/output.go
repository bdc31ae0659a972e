package precompress

import (
	"bytes"
	"errors"
	"io"
)

// errTooLong ends an encoding that saves too little.
var errTooLong = errors.New("the coded form is too long")

// output is where an encoder writes to. It adds the mark and ends what becomes longer
// than most.
type output struct {
	w            io.Writer
	coding, mark string
	written      int64
	most         int64
	head         bytes.Buffer // of gzip, until it is complete
	err          error        // the first; an encoder may keep it to itself
}

func (o *output) Write(p []byte) (int, error) {
	if o.coding != "gzip" || o.written > 0 {
		return o.through(p)
	}
	o.head.Write(p)
	if o.head.Len() < gzipHeader {
		return len(p), o.err
	}
	head := o.head.Next(gzipHeader)
	if head[gzipFlags] != 0 {
		o.err = errors.New("the encoder's gzip header has optional fields")
		return 0, o.err
	}
	head[gzipFlags] = gzipComment
	if _, err := o.through(append(append(bytes.Clone(head), o.mark...), 0)); err != nil {
		return 0, err
	}
	if _, err := o.through(o.head.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (o *output) through(p []byte) (int, error) {
	switch {
	case o.err != nil:
		return 0, o.err
	case o.written+int64(len(p)) > o.most:
		o.err = errTooLong
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.written += int64(n)
	o.err = err
	return n, err
}

// end adds what comes after the coded form.
func (o *output) end() error {
	switch {
	case o.err != nil:
		return o.err
	case o.written == 0:
		return errors.New("the encoder wrote nothing")
	case o.coding == "zstd":
		_, err := o.through([]byte(skipFrame(o.mark, o.written)))
		return err
	}
	return nil
}
