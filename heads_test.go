package servery_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"servery"
	"servery/internal/testkit"
)

// The heads of typical answers, byte for byte but for the date of the day:
// go test -run Heads -update.
func TestHeads(t *testing.T) {
	const golden = "testdata/heads.golden"
	site := openDir(t, testkit.Tree(t, siteFiles(t)))
	server := testkit.Serve(t, servery.FileServer(site, nil))
	tag := contentTag(siteFiles(t)["small.txt"])
	date := testkit.Past.Format(http.TimeFormat)
	var got strings.Builder
	for _, tt := range []struct {
		method, target string
		fields         []string
	}{
		{"GET", "/", nil},
		{"HEAD", "/large.txt", nil},
		{"GET", "/small.txt", []string{"Range: bytes=0-99"}},
		{"GET", "/small.txt", []string{"If-None-Match: " + tag}},
		{"GET", "/small.txt", []string{"If-Modified-Since: " + date}},
		{"GET", "/small.txt", []string{"If-Match: \"other\""}},
		{"GET", "/small.txt", []string{"Range: bytes=9000-"}},
		{"GET", "/small.txt", []string{"Accept-Encoding: identity;q=0"}},
		{"GET", "/docs?q=1", nil},
		{"GET", "/small.txt/", nil},
		{"GET", "/missing", nil},
		{"OPTIONS", "/small.txt", nil},
		{"POST", "/small.txt", nil},
	} {
		fmt.Fprintf(&got, "> %s %s\n", tt.method, tt.target)
		for _, field := range tt.fields {
			fmt.Fprintf(&got, "> %s\n", field)
		}
		head := undated(server.Do(tt.method, tt.target, tt.fields...))
		fmt.Fprintf(&got, "%s", strings.ReplaceAll(head, "\r\n", "\n"))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("heads differ from %s (-want +got):\n%s", golden, diff)
	}
}
