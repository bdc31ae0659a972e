package drive

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"servery/internal/bench/figure"
	"servery/internal/bench/inputs"
)

// ReadReport reads what was written as JSON.
func ReadReport(name string) (*Report, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	if err := json.Unmarshal(content, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// Write writes the tables that were written when the report was made.
func (r *Report) Write(out io.Writer) error {
	scenarios, err := r.scenarios()
	if err != nil {
		return err
	}
	r.writeHead(out)
	for _, s := range scenarios {
		r.write(out, s)
	}
	return nil
}

// WriteFigures writes a file with the figure of each scenario to the directory,
// which is made if need be.
func (r *Report) WriteFigures(dir string) error {
	scenarios, err := r.scenarios()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, s := range scenarios {
		if err := os.WriteFile(filepath.Join(dir, s.Name+".svg"), r.figure(s).SVG(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// scenarios lists those that were measured, in their own order. What a scenario is
// the report does not say: one that is not known any more is an error.
func (r *Report) scenarios() ([]inputs.Scenario, error) {
	unknown := make(map[string]bool)
	for _, m := range r.Measurements {
		unknown[m.Scenario] = true
	}
	var measured []inputs.Scenario
	for _, s := range inputs.Scenarios() {
		if unknown[s.Name] {
			measured = append(measured, s)
		}
		delete(unknown, s.Name)
	}
	for name := range unknown {
		return nil, fmt.Errorf("the report is of a scenario %q, which is none", name)
	}
	return measured, nil
}

// figure draws the ratios of the table of a scenario.
func (r *Report) figure(s inputs.Scenario) figure.Figure {
	rate := "rate"
	if s.Behind > 0 {
		rate = "rate of the large ones"
	}
	e := r.Environment
	f := figure.Figure{Title: s.String(), Unit: s.Reference, Caption: fmt.Sprintf(
		"%s as a share of that of %s in the same round: the median, the least and the greatest of %d rounds of %s by %s; %s, %s",
		rate, s.Reference, e.Rounds, e.Duration, r.clientFor(s), e.CPU, e.Go)}
	for _, row := range r.rows(s) {
		bar := figure.Bar{
			Name: row.peer, Median: row.ratio.median, Least: row.ratio.min, Greatest: row.ratio.max,
			Stressed: slices.Contains(strings.Split(row.peer, "-"), "servery"),
		}
		switch {
		case !row.measured:
			bar.Note = row.note
		case row.ratio.median == 0:
			bar.Note = "no ratio: " + s.Reference + " was not measured"
		}
		f.Bars = append(f.Bars, bar)
	}
	return f
}

// clientFor names the load generator, which is the same for all servers.
func (r *Report) clientFor(s inputs.Scenario) string {
	for _, m := range r.Measurements {
		if m.Scenario == s.Name {
			return m.Client
		}
	}
	return r.Environment.Client
}
