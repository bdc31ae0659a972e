package servery_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"testing"
)

// A form arrives with its files, what is made of it is coded, and net/http removes
// the files that it wrote for it, whether or not the handler's own request is a copy.
func TestCompressMultipartForm(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	text := realText(t, 200_000)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	w.WriteField("name", "value")
	part, err := w.CreateFormFile("file", "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(part, text)
	w.Close()
	server := serveInside(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(0); err != nil { // all files on disk
			http.Error(w, "400 Bad Request", http.StatusBadRequest)
			return
		}
		file, header, err := r.FormFile("file")
		if err != nil {
			http.Error(w, "400 Bad Request", http.StatusBadRequest)
			return
		}
		defer file.Close()
		w.Header().Set("X-Form", r.FormValue("name")+" "+header.Filename)
		io.Copy(w, file)
	}))
	for _, tt := range []struct{ field, reason string }{
		{"Accept: */*", "as it came"},
		{`If-Match: "x-gz6.1"`, "with a tag to be understood"},
	} {
		c := server.Dial()
		c.Send("POST", "/", acceptGzip, tt.field, "Content-Type: "+w.FormDataContentType(), fmt.Sprint("Content-Length: ", form.Len()))
		if _, err := c.Write(form.Bytes()); err != nil {
			t.Fatal(err)
		}
		got := c.Read("POST")
		wantSeen(t, got, seen{200, "gzip", true, "", text}, tt.reason)
		if form := got.Header.Get("X-Form"); form != "value a.txt" {
			t.Errorf("%s: form %q, want its field and the file's name", tt.reason, form)
		}
		c.Do("OPTIONS", "/") // then the first request is over
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("%s: left on disk %v, %v", tt.reason, left, err)
		}
	}
}
