//go:build linux

package servery_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"servery/internal/testkit"
)

// difference is a rule by which FileServer and http.FileServer answer differently.
type difference struct {
	name   string
	reason string // RFC 9110 where a section has no other name; "contract" is the library's own

	// applies reports whether the rule is why these answers differ.
	applies func(q question, ours, theirs testkit.Response) bool
	// instead is the question that http.FileServer understands as FileServer
	// understands q: its answer is compared in place of the first.
	instead func(q question) question
	// covers are the aspects that may differ where there is no such question; nil
	// means all of them. applies then looks at what is to be there in their place.
	covers []string
}

// differences are all rules. Those with another question come before those that
// cover aspects of the answer to it.
func differences() []difference {
	return slices.Concat(refusals, otherPaths, otherRanges, otherTags, otherDates, otherRedirects, otherFields)
}

// refusals are answers that have nothing of the file. Lint has seen that an error
// says its status and no more.
var refusals = []difference{
	{
		name:   "methods",
		reason: "contract 6 and section 9.1: what is not GET, HEAD or OPTIONS is 405; http.FileServer takes all for GET",
		applies: func(q question, ours, _ testkit.Response) bool {
			return q.method == "OPTIONS" && ours.Status == 204 ||
				!slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, q.method) && ours.Status == 405
		},
	},
	{
		name:   "refused identity",
		reason: "contract 1 and section 12.5.3: 406 where nothing acceptable is left",
		applies: func(q question, ours, _ testkit.Response) bool {
			return ours.Status == 406 && slices.ContainsFunc(q.values("Accept-Encoding"), weighted.MatchString)
		},
	},
	{
		name:   "hidden names",
		reason: "contract 6: names that begin with a dot are 404",
		applies: func(q question, ours, _ testkit.Response) bool {
			segments := strings.Split(q.name(), "/")
			return ours.Status == 404 && slices.ContainsFunc(segments, func(s string) bool {
				return strings.HasPrefix(s, ".") && s != ".well-known"
			})
		},
	},
	{
		name:   "encoded separators",
		reason: "contract 6 and RFC 3986, 2.2: an encoded delimiter is no delimiter, and a guard would not see it",
		applies: func(q question, ours, _ testkit.Response) bool {
			return ours.Status == 404 && encodedSlash.MatchString(q.target)
		},
	},
	{
		name:   "backslashes and control bytes",
		reason: "contract 6: 404, since one system or another reads more into them",
		applies: func(q question, ours, _ testkit.Response) bool {
			return ours.Status == 404 && strings.ContainsFunc(q.path(), func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' })
		},
	},
	{
		name:   "links that leave",
		reason: "contract 6: links that leave and absolute links are 404",
		applies: func(q question, ours, _ testkit.Response) bool {
			first, _, _ := strings.Cut(q.name(), "/")
			return ours.Status == 404 && slices.Contains([]string{"outside.txt", "outside", "absolute.txt"}, first)
		},
	},
	{
		name:   "loops",
		reason: "contract 6: 404, never 500",
		applies: func(q question, ours, theirs testkit.Response) bool {
			first, _, _ := strings.Cut(q.name(), "/")
			return ours.Status == 404 && theirs.Status == 500 && first == "loop"
		},
	},
	{
		name:   "long names",
		reason: "contract 6: a name too long is 404, never 500",
		applies: func(q question, ours, theirs testkit.Response) bool {
			isLong := func(s string) bool { return len(s) > 255 }
			return ours.Status == 404 && theirs.Status == 500 &&
				(slices.ContainsFunc(strings.Split(q.name(), "/"), isLong) || len(q.name()) > 3900)
		},
	},
	{
		name:   "no listings",
		reason: "contract 6: a directory with no index is 404 unless listings are on",
		applies: func(q question, ours, theirs testkit.Response) bool {
			return ours.Status == 404 && (theirs.Status == 200 || theirs.Status == 304) && strings.HasSuffix(q.path(), "/") &&
				slices.Contains([]string{"unlisted", "nested", "nested/index.html", ".well-known"}, q.name())
		},
	},
	{
		name:   "nothing below a file",
		reason: "contract 6: a path below a file is 404; http.FileServer redirects whatever ends in /index.html",
		applies: func(q question, ours, theirs testkit.Response) bool {
			_, isFile := oracleFiles[q.at(path.Dir(q.path())).resolved()]
			return ours.Status == 404 && isFile && theirs.Header.Get("Location") == location("./", q) && isIndex(q)
		},
	},
}

// otherPaths are names that mean something else.
var otherPaths = []difference{
	{
		name:   "index.html is served as it is",
		reason: "contract 6: http.FileServer redirects it to its directory",
		applies: func(q question, ours, theirs testkit.Response) bool {
			return ours.Status != 301 && theirs.Header.Get("Location") == location("./", q) && isIndex(q)
		},
		instead: func(q question) question { return q.at(strings.TrimSuffix(q.path(), "index.html")) },
	},
	{
		name:   "names that are not UTF-8",
		reason: "Linux has them; package io/fs, through which http.Dir looks, has not",
		applies: func(q question, ours, theirs testkit.Response) bool {
			return theirs.Status == 404 && !utf8.ValidString(q.path()) && q.file() == "\xff.txt"
		},
		instead: func(q question) question { return q.at(strings.ReplaceAll(q.path(), "\xff.txt", "digits.txt")) },
	},
}

var (
	weighted     = regexp.MustCompile(`(?i)(^|,)[ \t]*(identity|\*)[ \t]*;`)
	encodedSlash = regexp.MustCompile(`(?i)%(2f|5c)`)
)

func isIndex(q question) bool { return strings.HasSuffix(q.path(), "/index.html") }

// location is what net/http's local redirects say.
func location(path string, q question) string {
	if query := q.url().RawQuery; query != "" {
		return path + "?" + query
	}
	return path
}
