//go:build linux

package servery_test

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"servery/internal/testkit"
)

// otherRanges are requests whose Range means something else, or nothing.
var otherRanges = []difference{
	{
		name:    "HEAD has no ranges",
		reason:  "section 14.2: Range is defined for GET only",
		applies: func(q question, _, _ testkit.Response) bool { return q.method == "HEAD" && q.has("Range") },
		instead: question.withoutRange,
	},
	{
		name:    "Range in several lines",
		reason:  "section 5.3: Range is no list, so that two lines are none; http.FileServer reads the first",
		applies: func(q question, _, _ testkit.Response) bool { return len(q.values("Range")) > 1 },
		instead: question.withoutRange,
	},
	{
		name:    "range units in another case",
		reason:  "section 14.1: units are case-insensitive",
		applies: func(q question, _, _ testkit.Response) bool { return upperUnit.MatchString(q.rangeField()) },
		instead: func(q question) question { return q.saying("Range", "bytes"+q.rangeField()[len("bytes"):]) },
	},
	{
		name:   "ranges of an empty file",
		reason: "contract 5: 200; http.FileServer has its last bytes, from 0 to -1",
		applies: func(q question, ours, _ testkit.Response) bool {
			return q.has("Range") && ours.Status == 200 && q.file() != "" && oracleFiles[q.file()] == ""
		},
		instead: question.withoutRange,
	},
	{
		name:   "ranges that are not understood",
		reason: "section 14.2: another unit and what is malformed are ignored; http.FileServer answers 416",
		applies: func(q question, ours, _ testkit.Response) bool {
			return ours.Status == 200 && q.rangeField() != "" && !wellFormed.MatchString(q.rangeField())
		},
		instead: question.withoutRange,
	},
	{
		name:   "inverted ranges",
		reason: "section 14.1.1: an int-range whose end is before its start is invalid, beyond the end of the file as well",
		applies: func(q question, ours, _ testkit.Response) bool {
			return ours.Status == 200 && slices.ContainsFunc(q.members(), isInverted)
		},
		instead: question.withoutRange,
	},
	{
		name:    "many ranges",
		reason:  "contract 5 and section 17.15: more than 16 get the whole file",
		applies: func(q question, ours, _ testkit.Response) bool { return ours.Status == 200 && len(q.members()) > 16 },
		instead: question.withoutRange,
	},
	{
		name:    "the last zero bytes",
		reason:  "section 14.1.2: a suffix of length zero is not satisfiable; http.FileServer sends 206 with nothing",
		applies: func(q question, _, _ testkit.Response) bool { return noSuffix.MatchString(q.rangeField()) },
		instead: func(q question) question {
			return q.saying("Range", noSuffix.ReplaceAllString(q.rangeField(), "${1}"+largest+"-${2}"))
		},
	},
	{
		name:   "numbers beyond int64",
		reason: "contract 5: they are beyond the end; to http.FileServer they are malformed",
		applies: func(q question, _, _ testkit.Response) bool {
			return slices.ContainsFunc(numbers.FindAllString(q.rangeField(), -1), isHuge)
		},
		instead: func(q question) question {
			return q.saying("Range", numbers.ReplaceAllStringFunc(q.rangeField(), func(n string) string {
				if isHuge(n) {
					return largest
				}
				return n
			}))
		},
	},
}

const largest = "9223372036854775807"

var (
	upperUnit  = regexp.MustCompile(`^(?i:bytes)=`)
	wellFormed = regexp.MustCompile(`^bytes=[ \t,]*(([0-9]+-[0-9]*|-[0-9]+)[ \t]*(,[ \t,]*|$))+$`)
	noSuffix   = regexp.MustCompile(`([=,][ \t]*)-0+([ \t]*(?:,|$))`)
	numbers    = regexp.MustCompile(`[0-9]+`)
)

func (q question) withoutRange() question { return q.without("Range", "If-Range") }

// rangeField is the one line of Range, or "".
func (q question) rangeField() string {
	if lines := q.values("Range"); len(lines) == 1 {
		return lines[0]
	}
	return ""
}

// members are those of a well-formed Range.
func (q question) members() []string {
	if !wellFormed.MatchString(q.rangeField()) {
		return nil
	}
	return strings.FieldsFunc(q.rangeField()[len("bytes="):], func(r rune) bool { return strings.ContainsRune(" \t,", r) })
}

func isInverted(member string) bool {
	first, last, _ := strings.Cut(member, "-")
	return first != "" && last != "" && number(first).Cmp(number(last)) > 0
}

func isHuge(digits string) bool { return !number(digits).IsInt64() }

func number(digits string) *big.Int {
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}
