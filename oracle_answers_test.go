//go:build linux

package servery_test

import (
	"path"
	"slices"
	"strings"

	"servery/internal/testkit"
)

// otherRedirects lead elsewhere.
var otherRedirects = []difference{
	{
		name:   "a directory called index.html",
		reason: "contract 6: it is a directory as any other, and redirects to its form with a slash",
		applies: func(q question, ours, theirs testkit.Response) bool {
			return theirs.Header.Get("Location") == location("./", q) && isIndex(q) && leadsToTheOtherForm(q, ours)
		},
		covers: []string{"Location"},
	},
	{
		name:   "redirects from paths that are not clean",
		reason: "RFC 3986, 5.2.4: the client counts each slash and each dot segment, and http.FileServer goes up one",
		applies: func(q question, ours, theirs testkit.Response) bool {
			return ours.Status == 301 && theirs.Status == 301 && path.Clean(q.path()) != strings.TrimSuffix(q.path(), "/") && leadsToTheOtherForm(q, ours)
		},
		covers: []string{"Location"},
	},
	{
		name:   "redirects with delimiters in what is asked for",
		reason: "RFC 3986, 3.3 and 4.2: a question mark, a number sign, a percent sign, or a colon in the first segment is encoded, and a number sign in the query, too",
		applies: func(q question, ours, theirs testkit.Response) bool {
			return ours.Status == 301 && theirs.Status == 301 && strings.ContainsAny(path.Base(q.path())+q.url().RawQuery, "?#%:") && leadsToTheOtherForm(q, ours)
		},
		covers: []string{"Location"},
	},
}

// otherFields are the same answers with other fields, after all else.
var otherFields = []difference{
	{
		name:   "a tag in place of a date",
		reason: "section 15.4.5: a 304 with an ETag needs no Last-Modified; http.FileServer has no tags",
		applies: func(_ question, ours, theirs testkit.Response) bool {
			return ours.Status == 304 && theirs.Status == 304 && ours.Header.Get("Etag") != ""
		},
		covers: []string{"Last-Modified"},
	},
	{
		name:   "no meaningless dates",
		reason: "contract 3 and section 8.8.2.1: no Last-Modified that is zero or in the future",
		applies: func(q question, ours, theirs testkit.Response) bool {
			return ours.Status == theirs.Status && isDateless(q) && ours.Header["Last-Modified"] == nil
		},
		covers: []string{"Last-Modified"},
	},
	{
		name:   "words of errors",
		reason: "contract 6: the status and its name in RFC 9110, section 15; http.FileServer has its own, or none",
		applies: func(_ question, ours, theirs testkit.Response) bool {
			return ours.Status == theirs.Status && slices.Contains([]int{404, 412, 416}, ours.Status)
		},
		covers: []string{"body", "Content-Length", "Content-Type"},
	},
	{
		name:   "no date of the file on errors",
		reason: "contract 6: errors have no validators",
		applies: func(_ question, ours, theirs testkit.Response) bool {
			return ours.Status == 412 && theirs.Status == 412
		},
		covers: []string{"Last-Modified"},
	},
	{
		name:   "the length of a redirect",
		reason: "section 9.3.2: HEAD has the fields of GET; net/http adds this one to GET by itself and not to HEAD",
		applies: func(q question, ours, theirs testkit.Response) bool {
			return q.method == "HEAD" && ours.Status == 301 && theirs.Status == 301 &&
				ours.Header.Get("Content-Length") == "0" && theirs.Header["Content-Length"] == nil
		},
		covers: []string{"Content-Length"},
	},
	{
		name:   "media types",
		reason: "contract 6: the own table comes before that of the system",
		applies: func(q question, ours, theirs testkit.Response) bool {
			got := ours.Header.Get("Content-Type")
			return ours.Status == theirs.Status && got != "" && got == typeOf(q)
		},
		covers: []string{"Content-Type"},
	},
	{
		name:   "parts",
		reason: "section 14.6: the boundary and the order of a part's fields are the server's choice",
		applies: func(q question, ours, theirs testkit.Response) bool {
			got, want := parts(ours), parts(theirs)
			for i := range want {
				if typeOf(q) != "" {
					want[i][1] = typeOf(q)
				}
			}
			return ours.Status == 206 && theirs.Status == 206 && len(got) > 1 && slices.Equal(got, want)
		},
		covers: []string{"body", "Content-Length", "Content-Type"},
	},
}

func isDateless(q question) bool {
	_, ok := oracleDateless[q.file()]
	return ok
}

// typeOf is the type of a file for which systems have another than the library.
func typeOf(q question) string {
	return map[string]string{
		".jsonl": "application/x-ndjson", ".js": "text/javascript; charset=utf-8",
		".txt": "text/plain; charset=utf-8", ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	}[path.Ext(q.file())]
}
