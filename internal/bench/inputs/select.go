package inputs

import (
	"fmt"
	"regexp"
	"strings"
)

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
