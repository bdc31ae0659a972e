package servery_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"servery/internal/testkit"
)

// scriptFrame reads a body out of its framing, as it comes, and keeps it.
type scriptFrame struct {
	r       io.Reader
	left    int64 // of the body, or of the chunk
	chunked bool
	closes  bool // ends with the connection
	body    []byte
	trailer http.Header
	err     error // io.EOF where the framing says that it is the end
}

func (f *scriptFrame) Read(p []byte) (int, error) {
	if f.err == nil && f.left == 0 {
		f.err = io.EOF
		if f.chunked {
			f.err = f.nextChunk()
		}
	}
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.r.Read(p[:min(int64(len(p)), f.left)])
	f.body = append(f.body, p[:n]...)
	f.left -= int64(n)
	if err == io.EOF && !f.closes {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && f.chunked && f.left == 0 {
		err = f.lineEnd()
	}
	f.err = err
	return n, err
}

// nextChunk reads the head of a chunk. io.EOF says that it was the last one, with the
// trailers.
func (f *scriptFrame) nextChunk() error {
	r := f.r.(*bufio.Reader)
	line, err := r.ReadString('\n')
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	digits, ok := strings.CutSuffix(line, "\r\n")
	f.left, err = strconv.ParseInt(digits, 16, 32)
	if !ok || err != nil || f.left < 0 {
		return errors.New("malformed chunk")
	}
	if f.left > 0 {
		return nil
	}
	trailer, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	f.trailer = http.Header(trailer)
	return io.EOF
}

func (f *scriptFrame) lineEnd() error {
	var end [2]byte
	if _, err := io.ReadFull(f.r, end[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	if string(end[:]) != "\r\n" {
		return errors.New("malformed end of a chunk")
	}
	return nil
}

// receive reads the body, undoes the coding that Compress applied, and lets the handler
// know how far it is.
func (a *scriptAnswer) receive(body io.Reader, call *scriptCall) {
	sink := &scriptSink{answer: a, call: call}
	decoded, err := scriptDecoder(a.header.Get("Content-Encoding"), body, call)
	if err == nil {
		_, err = io.Copy(sink, struct{ io.Reader }{decoded})
	}
	if decoded != body {
		a.bad = err
		io.Copy(io.Discard, body)
	}
}

// scriptDecoder is body itself where Compress did not code it. gzip is read by another
// library than the one that writes it.
func scriptDecoder(coding string, body io.Reader, call *scriptCall) (io.Reader, error) {
	switch {
	case call.script.isHead() || call.isCodedByHandler():
		return body, nil
	case coding == "gzip":
		r, err := gzip.NewReader(body)
		return struct{ io.Reader }{r}, err
	case coding == "zstd":
		err := scriptZstd.Reset(body)
		return scriptZstd, err
	}
	return body, nil
}

// scriptZstd is made once: it takes longer to make one than to decode with it.
var scriptZstd, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))

// scriptSink takes the plain bytes.
type scriptSink struct {
	answer *scriptAnswer
	call   *scriptCall
}

func (s *scriptSink) Write(p []byte) (int, error) {
	s.answer.plain = append(s.answer.plain, p...)
	s.call.saw(len(p))
	return len(p), nil
}

func newHTTP2Client() *http.Client {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &http.Client{
		Transport:     &http.Transport{Protocols: &protocols, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (side *scriptSide) askHTTP2(call *scriptCall, fields []scriptField) *scriptAnswer {
	a := new(scriptAnswer)
	trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, header textproto.MIMEHeader) error {
		a.interim = append(a.interim, scriptHead{code, http.Header(header)})
		return nil
	}}
	ctx, cancel := context.WithTimeout(httptrace.WithClientTrace(context.Background(), trace), 2*testkit.Patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, call.script.chosen("method"), "http://"+side.addr+"/script", nil)
	if err != nil {
		return a
	}
	request.Header["User-Agent"] = nil
	for _, field := range fields {
		request.Header.Add(field.name, field.value)
	}
	response, err := side.http2.Do(request)
	if err != nil {
		return a
	}
	defer response.Body.Close()
	a.scriptHead = scriptHead{response.StatusCode, response.Header}
	call.hasHead.Store(true)
	call.saw(0)
	frame := &scriptFrame{r: response.Body, left: 1 << 40, closes: true}
	a.receive(frame, call)
	a.body, a.whole, a.trailer = frame.body, frame.err == io.EOF, response.Trailer
	return a
}
