// Package inputs says what is requested in each scenario and makes the files
// that are served.
package inputs

import (
	"fmt"
	"regexp"
	"strings"
)

// A Scenario is one request that is repeated against every server.
type Scenario struct {
	Name string
	Path string // relative to the served directory, with slashes
	Size int

	// NotModified makes the request conditional: it carries the validator of
	// the server's own 200, and the answer has to be 304.
	NotModified bool
}

// Scenarios lists all of them in the order in which they run.
func Scenarios() []Scenario {
	return []Scenario{
		{Name: "1k", Path: "1k.txt", Size: 1 << 10},
		{Name: "1k-deep", Path: "one/two/three/1k.txt", Size: 1 << 10},
		{Name: "16k", Path: "16k.txt", Size: 16 << 10},
		{Name: "64k", Path: "64k.txt", Size: 64 << 10},
		{Name: "8m", Path: "8m.txt", Size: 8 << 20},
		{Name: "304", Path: "1k.txt", Size: 1 << 10, NotModified: true},
	}
}

// String describes the request in words for the head of a table.
func (s Scenario) String() string {
	kind := "GET"
	if s.NotModified {
		kind = "conditional GET, answered 304,"
	}
	return fmt.Sprintf("%s: %s /%s, %d bytes", s.Name, kind, s.Path, s.Size)
}

// Select returns the scenarios that a comma-separated list names, in their own
// order. Each item is a regular expression that has to match a whole name, so
// that "1k" is not "1k-deep"; an item that matches nothing is an error, since a
// misspelt name would otherwise go unmeasured. An empty list selects all.
func Select(list string) ([]Scenario, error) {
	all := Scenarios()
	if list == "" {
		return all, nil
	}
	wanted := make([]bool, len(all))
	for item := range strings.SplitSeq(list, ",") {
		re, err := regexp.Compile("^(?:" + item + ")$")
		if err != nil {
			return nil, fmt.Errorf("scenario %q: %w", item, err)
		}
		found := false
		for i, s := range all {
			if re.MatchString(s.Name) {
				wanted[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no scenario matches %q", item)
		}
	}
	return keep(all, wanted), nil
}

func keep(all []Scenario, wanted []bool) []Scenario {
	var kept []Scenario
	for i, s := range all {
		if wanted[i] {
			kept = append(kept, s)
		}
	}
	return kept
}
