//go:build linux

package servery_test

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"servery/internal/testkit"
)

// otherTags are conditions on tags, of which http.FileServer has none. The question
// in their place says `*` for a tag that matches, and "none" for others.
var otherTags = []difference{
	{
		name:   "files have tags",
		reason: "contract 3: one of the fields names the tag of the file",
		applies: func(q question, _, _ testkit.Response) bool {
			return slices.ContainsFunc(q.lines(), func(line string) bool { return q.tag() != "" && strings.Contains(line, q.tag()) })
		},
		instead: question.withKnownTags,
	},
	{
		name:   "lists over several lines",
		reason: "section 5.3: all lines are one list; http.FileServer reads the first",
		applies: func(q question, _, _ testkit.Response) bool {
			return len(q.values("If-Match")) > 1 || len(q.values("If-None-Match")) > 1
		},
		instead: question.withKnownTags,
	},
	{
		name:   "any in a list",
		reason: "sections 13.1.1 and 13.1.2: `*` stands alone and is no member",
		applies: func(q question, _, _ testkit.Response) bool {
			lines := slices.Concat(q.values("If-Match"), q.values("If-None-Match"))
			return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "*") && line != "*" })
		},
		instead: question.withKnownTags,
	},
	{
		name:   "empty lists are fields",
		reason: "sections 13.1.1 and 13.1.2: a field without a member names no representation; to http.FileServer it is absent",
		applies: func(q question, _, _ testkit.Response) bool {
			return slices.Contains(slices.Concat(q.values("If-Match"), q.values("If-None-Match")), "")
		},
		instead: question.withKnownTags,
	},
	{
		name:   "If-Range is one validator",
		reason: "section 13.1.5: nothing, or two lines, is neither a tag nor a date; http.FileServer reads the first line",
		applies: func(q question, ours, _ testkit.Response) bool {
			lines := q.values("If-Range")
			return ours.Status == 200 && (len(lines) > 1 || slices.Contains(lines, ""))
		},
		instead: question.withoutRange,
	},
}

// otherDates are conditions on dates.
var otherDates = []difference{
	{
		name:   "dates in several lines",
		reason: "sections 13.1.3 and 13.1.4: a field with more than one member is ignored",
		applies: func(q question, _, _ testkit.Response) bool {
			return slices.ContainsFunc(dateFields, func(name string) bool { return len(q.values(name)) > 1 })
		},
		instead: func(q question) question {
			for _, name := range dateFields {
				if len(q.values(name)) > 1 {
					q = q.without(name)
				}
			}
			return q
		},
	},
	{
		name:    "two digits of a year",
		reason:  "section 5.6.7: a year is in the past where it would be more than 50 years ahead; Go's time has a pivot, 1969",
		applies: func(q question, _, _ testkit.Response) bool { return q.hasDate(shortYear) },
		instead: func(q question) question { return q.mapDates(shortYear, withCentury) },
	},
	{
		name:    "dates are in GMT",
		reason:  "section 5.6.7: no other zone is a date; http.FileServer reads any, and as GMT",
		applies: func(q question, _, _ testkit.Response) bool { return q.hasDate(otherZone) },
		instead: func(q question) question { return q.mapDates(otherZone, func(string) string { return "no date" }) },
	},
	{
		name:    "long dates",
		reason:  "section 5.6.7: no form has that many characters",
		applies: func(q question, _, _ testkit.Response) bool { return q.hasDate(longDate) },
		instead: func(q question) question { return q.mapDates(longDate, func(string) string { return "no date" }) },
	},
	{
		name:    "no conditions on meaningless dates",
		reason:  "contract 3 and sections 13.1.3 and 13.1.4: without a date of the file they are ignored, and If-Range fails",
		applies: func(q question, _, _ testkit.Response) bool { return isDateless(q) && q.hasDate(anything) },
		instead: func(q question) question { return q.mapDates(anything, func(string) string { return "no date" }) },
	},
}

var (
	dateFields = []string{"If-Modified-Since", "If-Unmodified-Since"}

	shortYear = regexp.MustCompile(`^[A-Za-z]+day, [0-9]{2}-[A-Za-z]{3}-[0-9]{2} [0-9: .,]+ GMT$`)
	otherZone = regexp.MustCompile(`^[A-Za-z]+day, +[0-9]{2}-[A-Za-z]{3}-[0-9]{2} .* (G?[^G].*|GM[^T].*|GMT.+)$`)
	longDate  = regexp.MustCompile(`^.{65,}$`)
	anything  = regexp.MustCompile(`^[^"]*$`)
)

// hasDate reports whether a date of this form stands in one of the fields.
func (q question) hasDate(form *regexp.Regexp) bool {
	return slices.ContainsFunc(q.fields, func(f [2]string) bool { return isDateField(f[0]) && form.MatchString(f[1]) })
}

func isDateField(name string) bool { return name == "If-Range" || slices.Contains(dateFields, name) }

// mapDates replaces the dates of this form.
func (q question) mapDates(form *regexp.Regexp, change func(string) string) question {
	q.fields = slices.Clone(q.fields)
	for i, f := range q.fields {
		if isDateField(f[0]) && form.MatchString(f[1]) {
			q.fields[i][1] = change(f[1])
		}
	}
	return q
}

// withCentury writes a date of RFC 850 with four digits.
func withCentury(date string) string {
	t, err := time.Parse("Monday, 02-Jan-06 15:04:05 GMT", date)
	if err != nil {
		return "no date"
	}
	if t.Before(time.Now().AddDate(-50, 0, 0)) {
		t = t.AddDate(100, 0, 0)
	}
	return t.Format("Mon, 02 Jan 2006 15:04:05 GMT")
}

var tagPattern = regexp.MustCompile(`^[ \t,]*((?:W/)?"[^"\x00-\x20\x7f]*")[ \t]*(,|$)`)

// names reports whether the lines of a field name the tag: `*`, or a list of tags
// that is read up to the first fault.
func names(lines []string, matches func(tag string) bool) bool {
	if len(lines) == 1 && lines[0] == "*" {
		return true
	}
	for _, line := range lines {
		for strings.Trim(line, " \t,") != "" {
			member := tagPattern.FindStringSubmatch(line)
			if member == nil {
				return false
			}
			if matches(member[1]) {
				return true
			}
			line = line[len(member[0]):]
		}
	}
	return false
}

// withKnownTags says `*` for what names the tag of the file, which is strong.
func (q question) withKnownTags() question {
	strong := func(tag string) bool { return tag == q.tag() }
	weak := func(tag string) bool { return strings.TrimPrefix(tag, "W/") == q.tag() }
	for name, matches := range map[string]func(string) bool{"If-Match": strong, "If-None-Match": weak} {
		switch lines := q.values(name); {
		case lines == nil:
		case names(lines, matches):
			q = q.saying(name, "*")
		default:
			q = q.saying(name, `"none"`)
		}
	}
	if lines := q.values("If-Range"); len(lines) == 1 && lines[0] == q.tag() {
		q = q.without("If-Range")
	}
	return q
}
