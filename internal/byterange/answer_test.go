package byterange_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"testing"

	"servery/internal/byterange"
)

// See RFC 9110, sections 14.4 and 15.3.7.1.
func TestContentRange(t *testing.T) {
	tests := []struct {
		r      byterange.Range
		size   int64
		want   string
		reason string
	}{
		{byterange.Range{Start: 0, Length: 2}, 10, "bytes 0-1/10", "both ends count"},
		{byterange.Range{Start: 9, Length: 1}, 10, "bytes 9-9/10", "one byte"},
		{byterange.Range{Start: 100, Length: 900}, 1000, "bytes 100-999/1000", "zeros inside a number"},
		{byterange.Range{Start: 0, Length: maxInt64}, maxInt64, "bytes 0-9223372036854775806/9223372036854775807", "the largest"},
	}
	for _, tt := range tests {
		if got := tt.r.ContentRange(tt.size); got != tt.want {
			t.Errorf("%v.ContentRange(%d) = %q, want %q: %s", tt.r, tt.size, got, tt.want, tt.reason)
		}
	}
}

// The size is what a client needs to ask better (RFC 9110, sections 14.4 and 15.5.17).
func TestUnsatisfied(t *testing.T) {
	tests := []struct {
		size   int64
		want   string
		reason string
	}{
		{10, "bytes */10", "the size tells the client what it may ask for"},
		{0, "bytes */0", "zero has a digit"},
		{maxInt64, "bytes */9223372036854775807", "the largest"},
	}
	for _, tt := range tests {
		if got := byterange.Unsatisfied(tt.size); got != tt.want {
			t.Errorf("Unsatisfied(%d) = %q, want %q: %s", tt.size, got, tt.want, tt.reason)
		}
	}
}

func assemble(boundary, contentType string, asked ranges, data string) []byte {
	var body bytes.Buffer
	for i, r := range asked {
		body.WriteString(byterange.PartHeader(boundary, contentType, r, int64(len(data)), i == 0))
		body.WriteString(data[r.Start : r.Start+r.Length])
	}
	body.WriteString(byterange.Closing(boundary))
	return body.Bytes()
}

// See RFC 9110, section 14.6.
func TestMultipartOnTheWire(t *testing.T) {
	got := assemble("B", "text/plain", ranges{{8, 2}, {0, 1}}, "0123456789")
	want := "--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89" +
		"\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-0/10\r\n\r\n0" +
		"\r\n--B--\r\n"
	if string(got) != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestMultipartIsReadBack(t *testing.T) {
	const data = "0123456789"
	tests := []struct {
		contentType string
		asked       ranges
		reason      string
	}{
		{"text/plain; charset=utf-8", ranges{{0, 1}, {9, 1}}, "two parts"},
		{"", ranges{{0, 10}, {3, 4}}, "parts without a type"},
		{"image/png", ranges{{5, 5}}, "one part"},
	}
	for _, tt := range tests {
		body := assemble("boundary", tt.contentType, tt.asked, data)
		if got := byterange.MultipartLength("boundary", tt.contentType, tt.asked, int64(len(data))); got != int64(len(body)) {
			t.Errorf("%s: MultipartLength = %d, want %d", tt.reason, got, len(body))
		}
		reader := multipart.NewReader(bytes.NewReader(body), "boundary")
		for _, r := range tt.asked {
			part, err := reader.NextRawPart()
			if err != nil {
				t.Fatalf("%s: %v", tt.reason, err)
			}
			_, typed := part.Header["Content-Type"]
			if got := part.Header.Get("Content-Type"); got != tt.contentType || typed != (got != "") {
				t.Errorf("%s: Content-Type %q, present %t", tt.reason, got, typed)
			}
			if got, want := part.Header.Get("Content-Range"), r.ContentRange(int64(len(data))); got != want {
				t.Errorf("%s: Content-Range %q, want %q", tt.reason, got, want)
			}
			got, err := io.ReadAll(part)
			if want := data[r.Start : r.Start+r.Length]; string(got) != want || err != nil {
				t.Errorf("%s: bytes %q, %v, want %q", tt.reason, got, err, want)
			}
		}
		if _, err := reader.NextRawPart(); err != io.EOF {
			t.Errorf("%s: after the last part: %v", tt.reason, err)
		}
	}
}

func TestMultipartLengthDoesNotWrap(t *testing.T) {
	half := byterange.Range{Start: 0, Length: 1 << 62}
	tests := []struct {
		size   int64
		asked  ranges
		fits   bool
		reason string
	}{
		{1 << 62, ranges{half}, true, "the headers have room"},
		{maxInt64, ranges{half, {1 << 62, 1<<62 - 1}}, false, "the parts fit, the headers do not"},
		{maxInt64, ranges{half, {1 << 62, 1<<62 - 1000}}, true, "they do with a thousand bytes to spare"},
	}
	for _, tt := range tests {
		got := byterange.MultipartLength("boundary", "", tt.asked, tt.size)
		if (got > 1<<62) != tt.fits || !tt.fits && got != -1 {
			t.Errorf("MultipartLength(%v) = %d: %s", tt.asked, got, tt.reason)
		}
	}
}
