package plan

import "time"

// TimeFormat is IMF-fixdate, the form of every date that is sent (RFC 9110,
// section 5.6.7).
const TimeFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// parseDate reads a field that holds one HTTP-date in any of its three forms. A
// field of several lines is no date (RFC 9110, section 13.1.3).
func parseDate(lines []string, now time.Time) (time.Time, bool) {
	if len(lines) != 1 || len(lines[0]) > 64 {
		return time.Time{}, false
	}
	if t, err := time.Parse(TimeFormat, lines[0]); err == nil {
		return t, true
	}
	if t, err := time.Parse("Monday, 02-Jan-06 15:04:05 GMT", lines[0]); err == nil {
		return nearCentury(t, now), true
	}
	t, err := time.Parse(time.ANSIC, lines[0])
	return t, err == nil
}

// nearCentury settles the century of a two-digit year: a date that seems more
// than 50 years ahead is the latest such year in the past (RFC 9110, section
// 5.6.7).
func nearCentury(t, now time.Time) time.Time {
	year := now.UTC().Year()/100*100 + t.Year()%100
	near := func(year int) time.Time {
		return time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	}
	if near(year).After(now.AddDate(50, 0, 0)) {
		year -= 100
	}
	return near(year)
}
