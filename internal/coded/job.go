package coded

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"time"

	"servery/internal/byterange"
	"servery/internal/codec"
	"servery/internal/identity"
	"servery/internal/offload"
)

// slice is how much is encoded between two looks at whether anyone still waits and
// at whether it is time to give way.
const slice = 16 << 10

// Worthwhile is the share of the plain size, in percent, that a coded body may have
// at the most.
const Worthwhile = 95

// Job is the encoding of one opened file.
type Job struct {
	Key      Key
	File     *identity.Opened
	Encoders *codec.Set
	Slots    *offload.Limiter // no encoder is made or runs without one of its slots
	Digest   bool             // whether Body.Plain is wanted
}

// key is the Key with what the Store adds to it.
func (j Job) key() Key {
	key := j.Key
	key.unsettled, key.digest = !j.File.Settled, j.Digest
	return key
}

// do reads exactly the file that was opened and encodes it. It holds a slot, which
// never waits for a client: what it makes goes into memory. An error that is
// [identity.ErrChanged] goes away if the file is opened again.
func (j Job) do(ctx context.Context, handle *identity.Handle) (*Body, error) {
	slot, err := j.Slots.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	start := time.Now()
	slot.GiveWay() // so that others who ask for the same can join

	out := &output{most: j.most()}
	encoder, err := j.Encoders.Get(j.Key.Coding, out)
	if err != nil {
		return nil, encoding{err}
	}
	defer encoder.Discard()
	var digest hash.Hash
	if j.Digest {
		digest = sha256.New()
	}
	err = handle.Each(ctx, j.File.Info, make([]byte, slice), func(plain []byte) error {
		slot.GiveWayIfDue()
		if digest != nil {
			digest.Write(plain)
		}
		return wrap(encoder.Write(plain))
	})
	if err == nil {
		err = wrap(0, encoder.Close())
	}
	switch {
	case !errors.Is(err, identity.ErrChanged) || j.touched(handle):
	case j.grown(handle):
		err = ErrGrown
	default:
		err = encoding{err} // to be answered, not to be tried again: it was work enough
	}
	body, err := out.body(digest, err)
	if err == nil {
		body.Took = time.Since(start)
	}
	return body, err
}

// touched reports whether nothing but the file's change time speaks for a change. A
// rename over its name moves that, too, at a moment when the name still counts as
// the file's: whoever opens the name again gets a file that is whole.
func (j Job) touched(handle *identity.Handle) bool {
	then := j.File.Info
	now, err := handle.Look()
	return err == nil && now.Size == then.Size && now.ModTime == then.ModTime && now.ChangeTime != then.ChangeTime
}

// ErrGrown is the error of a file that became longer while it was encoded, as logs
// do: it has no coded form that lasts, but its beginning can still be sent.
var ErrGrown = errors.New("file grew while it was encoded")

func (j Job) grown(handle *identity.Handle) bool {
	now, err := handle.Look()
	return err == nil && now.Size > j.File.Info.Size
}

// most is how long the coded body may become.
func (j Job) most() int64 {
	if j.Key.Always {
		return 1 << 62
	}
	return j.File.Info.Size * Worthwhile / 100
}

// errTooLong ends an encoding that saves too little to be worth going on.
var errTooLong = errors.New("the coded body is too long")

// output collects a coded body up to a length.
type output struct {
	bytes.Buffer
	most int64
}

func (o *output) Write(p []byte) (int, error) {
	if int64(o.Len())+int64(len(p)) > o.most {
		return 0, errTooLong
	}
	return o.Buffer.Write(p)
}

// body is what came of it. An unworthy one has no digest, since not all was read.
func (o *output) body(digest hash.Hash, err error) (*Body, error) {
	switch {
	case errors.Is(err, errTooLong):
		return &Body{}, nil
	case err != nil:
		return nil, err
	case o.Len() == 0: // every coding has at least an end mark
		return nil, encoding{errors.New("the encoder wrote nothing")}
	}
	body := &Body{Bytes: bytes.Clone(o.Bytes()), Extent: byterange.ExtentOf(int64(o.Len())), Worth: true}
	body.Length = []string{body.Extent.Length}
	if digest != nil {
		body.Plain = identity.TagOfSum(digest.Sum(nil))
	}
	return body, nil
}

// encoding is a failure of the encoding as such, whatever it was called where it
// came from.
type encoding struct{ error }

func wrap(_ int, err error) error {
	if err == nil || errors.Is(err, errTooLong) {
		return err
	}
	return encoding{err}
}
