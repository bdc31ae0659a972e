//go:build linux

package servery_test

import "strings"

// The words of the grammar. Each list is long enough for what differs and short
// enough that every pair comes up.
var (
	oracleMethods = []string{"GET", "GET", "HEAD", "GET", "GET", "HEAD", "OPTIONS", "POST"}
	oracleTargets = []string{
		"/digits.txt", "/", "/index.html", "/empty.txt", "/hundred.txt", "/buffer.css", "/large.js", "/words", "/binary",
		"/rows.jsonl", "/a%20b.txt", "/%C3%A9.txt", "/q%3Fm%23.txt", "/%2541.txt", "/co:lon.txt", "/back%5Cslash.txt",
		"/tab%09here.txt", "/%FF.txt", "/sub", "/sub/", "/sub/index.html", "/sub/inner.txt", "/sub/.git/config", "/sub?a=%20b",
		"/co:lon", "/q%3Fm", "/50%2541", "/a%20b", "/unlisted", "/unlisted/", "/nested/", "/nested/index.html", "/.hidden",
		"/.well-known/acme.txt", "/future.txt", "/epoch.txt", "/inside.txt", "/inside/", "/sub/up.txt", "/dangling", "/loop",
		"/outside.txt", "/outside/", "/absolute.txt", "/missing", "/digits.txt/", "/digits.txt//", "/digits.txt/below",
		"/sub//inner.txt", "/sub/../digits.txt", "/../digits.txt", "/sub%2Finner.txt", "/sub/.", "/sub/..", "//sub", "/sub//..//sub",
	}
	oracleRanges = []string{
		"bytes=0-0", "bytes=0-", "bytes=-1", "bytes=-0", "bytes=5-2", "bytes=10-", "bytes=99999999999999999999-", "bytes=0-0,2-2",
		"bytes=-99999999999999999999", "bytes=2-2, 0-1,,", "bytes=0-9,0-9", "Bytes=0-0", "lines=0-0", "bytes=", "bytes= 1 - 2", "x",
		"bytes=20-10", "bytes=0-0,-0", "bytes=0-0,1000000-", "bytes=" + strings.Repeat("0-0,", 17),
	}
	oracleTags  = []string{"{tag}", "W/{tag}", "*", `"none"`, `"a,b", {tag}`, "{tag}, *", "none", "", `"none`, `"none" {tag}`}
	oracleDates = []string{
		"{date}", "Fri, 01 Mar 2024 11:59:59 GMT", "Fri, 01 Mar 2024 12:00:01 GMT", "Friday, 01-Mar-24 12:00:00 GMT",
		"Fri Mar  1 12:00:00 2024", "Friday, 01-Mar-24 12:00:00 EST", "Friday, 01-Mar-70 12:00:00 GMT", "yesterday", "",
		"Thu, 01 Jan 2099 00:00:00 GMT",
	}
	oracleCodings = []string{"gzip", "identity;q=0", "*;q=0", "*;q=0, identity", "gzip;q=0", ""}
)

// oracleField makes one line by choices.
func oracleField(choose func([]string) string) string {
	name := choose(oracleFields)
	switch name {
	case "Range":
		return name + ": " + choose(oracleRanges)
	case "If-Match", "If-None-Match":
		return name + ": " + choose(oracleTags)
	case "If-Range":
		return name + ": " + choose([]string{choose(oracleTags), choose(oracleDates)})
	case "Accept-Encoding":
		return name + ": " + choose(oracleCodings)
	}
	return name + ": " + choose(oracleDates)
}

// oracleExamples are requests that the rule of this name explains and no other. They
// are where fuzzing begins, too.
var oracleExamples = []struct{ rule, text string }{
	{"methods", "POST /digits.txt"},
	{"methods", "OPTIONS /digits.txt"},
	{"methods", "get /digits.txt"},
	{"refused identity", "GET /digits.txt\nAccept-Encoding: identity;q=0"},
	{"refused identity", "GET /digits.txt\nAccept-Encoding: gzip\nAccept-Encoding: *;q=0"},
	{"hidden names", "GET /.hidden"},
	{"hidden names", "HEAD /sub/.git/config"},
	{"encoded separators", "GET /sub%2Finner.txt"},
	{"backslashes and control bytes", "GET /back\\slash.txt"},
	{"backslashes and control bytes", "GET /tab%09here.txt"},
	{"links that leave", "GET /outside.txt"},
	{"links that leave", "GET /outside/outside.txt"},
	{"links that leave", "GET /absolute.txt"},
	{"loops", "GET /loop"},
	{"long names", "GET /" + strings.Repeat("a", 256)},
	{"no listings", "GET /unlisted/"},
	{"no listings", "GET /nested/"},
	{"nothing below a file", "GET /digits.txt/index.html?x"},
	{"index.html is served as it is", "GET /index.html"},
	{"index.html is served as it is", "GET /missing/index.html"},
	{"index.html is served as it is", "GET /sub/index.html?x\nRange: bytes=0-1"},
	{"a directory called index.html", "GET /nested/index.html"},
	{"names that are not UTF-8", "GET /%FF.txt\nRange: bytes=1-2"},
	{"redirects from paths that are not clean", "GET /digits.txt//"},
	{"redirects with delimiters in what is asked for", "GET /q%3Fm"},
	{"redirects with delimiters in what is asked for", "GET /50%2541"},
	{"redirects with delimiters in what is asked for", "GET /co:lon?x=1"},
	{"redirects with delimiters in what is asked for", "GET /sub?#"},
	{"HEAD has no ranges", "HEAD /digits.txt\nRange: bytes=0-0"},
	{"Range in several lines", "GET /digits.txt\nRange: bytes=0-0\nRange: bytes=2-2"},
	{"range units in another case", "GET /digits.txt\nRange: BYTES=0-0"},
	{"ranges of an empty file", "GET /empty.txt\nRange: bytes=-1"},
	{"ranges that are not understood", "GET /digits.txt\nRange: lines=0-0"},
	{"ranges that are not understood", "GET /digits.txt\nRange: bytes=+1-2"},
	{"ranges that are not understood", "GET /digits.txt\nRange: bytes=1 - 2"},
	{"inverted ranges", "GET /digits.txt\nRange: bytes=20-10"},
	{"inverted ranges", "GET /digits.txt\nRange: bytes=2-1"},
	{"many ranges", "GET /hundred.txt\nRange: bytes=" + strings.Repeat("0-0,", 17)},
	{"the last zero bytes", "GET /digits.txt\nRange: bytes=-0"},
	{"the last zero bytes", "GET /digits.txt\nRange: bytes=0-0,-0"},
	{"numbers beyond int64", "GET /digits.txt\nRange: bytes=8-99999999999999999999"},
	{"files have tags", "GET /digits.txt\nIf-Match: {tag}"},
	{"files have tags", "GET /digits.txt\nIf-None-Match: W/{tag}"},
	{"files have tags", "GET /digits.txt\nRange: bytes=0-0\nIf-Range: {tag}"},
	{"lists over several lines", "GET /digits.txt\nIf-Match: *\nIf-Match: \"none\""},
	{"any in a list", "GET /digits.txt\nIf-Match: \"none\", *"},
	{"any in a list", "GET /digits.txt\nIf-None-Match: \"none\", *"},
	{"empty lists are fields", "GET /digits.txt\nIf-Match: "},
	{"empty lists are fields", "GET /digits.txt\nIf-None-Match: \nIf-Modified-Since: {date}"},
	{"If-Range is one validator", "GET /digits.txt\nRange: bytes=0-0\nIf-Range: {date}\nIf-Range: {date}"},
	{"If-Range is one validator", "GET /digits.txt\nRange: bytes=0-0\nIf-Range: "},
	{"dates in several lines", "GET /digits.txt\nIf-Modified-Since: {date}\nIf-Modified-Since: {date}"},
	{"two digits of a year", "GET /digits.txt\nIf-Modified-Since: Saturday, 01-Mar-70 12:00:00 GMT"},
	{"dates are in GMT", "GET /digits.txt\nIf-Modified-Since: Friday, 01-Mar-24 12:00:00 EST"},
	{"long dates", "GET /digits.txt\nIf-Modified-Since: Fri, 01 Mar 2024 12:00:00." + strings.Repeat("0", 50) + " GMT"},
	{"no conditions on meaningless dates", "GET /epoch.txt\nIf-Modified-Since: {date}"},
	{"no conditions on meaningless dates", "GET /epoch.txt\nRange: bytes=0-0\nIf-Range: Thu, 01 Jan 1970 00:00:01 GMT"},
	{"a tag in place of a date", "GET /digits.txt\nIf-Modified-Since: {date}"},
	{"no meaningless dates", "GET /future.txt"},
	{"words of errors", "GET /missing"},
	{"words of errors", "GET /digits.txt\nRange: bytes=10-"},
	{"no date of the file on errors", "GET /digits.txt\nIf-Match: \"none\""},
	{"the length of a redirect", "HEAD /sub"},
	{"media types", "GET /rows.jsonl"},
	{"parts", "GET /digits.txt\nRange: bytes=0-0,2-2"},
	{"parts", "GET /rows.jsonl\nRange: bytes=0-0,2-2"},
}

// oracleSame are requests that both servers answer alike, with no rule.
var oracleSame = []string{
	"GET /",
	"GET /sub/?query",
	"GET /digits.txt",
	"HEAD /large.js",
	"GET /empty.txt\nRange: bytes=0-0",
	"GET /a%20b",
	"GET /sub",
	"GET /sub/.",
	"GET /sub/..",
	"GET /digits.txt/?x=%20y",
	"GET /sub//inner.txt",
	"GET /../digits.txt",
	"GET /inside/inner.txt",
	"GET /sub/up.txt",
	"GET /.well-known/acme.txt",
	"GET /digits.txt\nRange: bytes=-3",
	"GET /digits.txt\nRange: bytes=-30",
	"GET /digits.txt\nRange: bytes=20-30,3-",
	"GET /hundred.txt\nRange: bytes=0-60,30-90",
	"GET /large.js\nRange: bytes=60000-60010",
	"GET /buffer.css\nRange: bytes=15000-16999",
	"GET /digits.txt\nIf-Modified-Since: Fri, 01 Mar 2024 11:59:59 GMT",
	"GET /digits.txt\nIf-Unmodified-Since: {date}",
	"GET /digits.txt\nIf-Match: *",
	"GET /digits.txt\nIf-None-Match: \"none\"\nIf-Modified-Since: {date}",
	"GET /digits.txt\nRange: bytes=0-0\nIf-Range: {date}",
	"GET /digits.txt\nRange: bytes=0-0\nIf-Range: W/{tag}",
	"GET /digits.txt\nRange: bytes=0-0\nIf-Range: \"none\"",
	"GET /digits.txt\nRange: bytes=0-0\nIf-Range: Friday, 01-Mar-24 12:00:00 GMT",
	"GET /digits.txt\nRange: bytes=0-0\nIf-Range: Fri, 01 Mar 2024 12:00:01 GMT",
	"GET /digits.txt\nAccept-Encoding: identity;q=0.001, *;q=0",
}
