package servery_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// What a tag of the content costs for a file of 1 MiB, the largest that has one by
// default: the first request reads the file, the others look it up.
func BenchmarkContentTag(b *testing.B) {
	dir := openDir(b, testkit.Tree(b, map[string]string{"file.txt": realText(b, 1<<20)}))
	request := httptest.NewRequest("HEAD", "/file.txt", nil)
	head := func(handler http.Handler) {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != 200 || recorder.Header().Get("Etag") == "" {
			b.Fatal(recorder.Code, recorder.Header())
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			head(servery.FileServer(dir, nil))
		}
	})
	b.Run("remembered", func(b *testing.B) {
		handler := servery.FileServer(dir, nil)
		head(handler)
		for b.Loop() {
			head(handler)
		}
	})
}
