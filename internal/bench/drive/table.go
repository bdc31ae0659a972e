package drive

import (
	"fmt"
	"io"
	"strings"
	"time"

	"servery/internal/bench/inputs"
)

// A row is one peer in the table of a scenario. Without measurements only name
// and note are set.
type row struct {
	peer     string
	measured bool
	rate     spread // requests per second
	p50, p99 time.Duration
	ratio    spread // to the ceiling of the same round; zero without a ceiling
	note     string
}

// rows summarizes a scenario, one row a peer in the order of the report.
func (r *Report) rows(scenario string) []row {
	byPeer := make(map[string][]Measurement)
	for _, m := range r.Measurements {
		if m.Scenario == scenario {
			byPeer[m.Peer] = append(byPeer[m.Peer], m)
		}
	}
	var rows []row
	for _, p := range r.Peers {
		rows = append(rows, newRow(p, byPeer[p.Name], byPeer[ceilingName]))
	}
	return rows
}

func newRow(p PeerInfo, own, ceiling []Measurement) row {
	line := row{peer: p.Name, note: absence(p)}
	if len(own) == 0 {
		return line
	}
	line.measured = true
	line.rate = spreadOf(collect(own, func(m Measurement) float64 { return m.PerSecond }))
	line.p50 = median(collect(own, func(m Measurement) time.Duration { return m.P50 }))
	line.p99 = median(collect(own, func(m Measurement) time.Duration { return m.P99 }))
	if ratios := ratiosTo(ceiling, own); len(ratios) > 0 {
		line.ratio = spreadOf(ratios)
	}
	if strings.HasPrefix(own[0].Condition, "If-Modified-Since") {
		line.note = "by date, it sends no ETag"
	}
	return line
}

// ratiosTo divides within each round. What slows a whole round down, such as a
// machine that is throttled or shared, then cancels out.
func ratiosTo(ceiling, own []Measurement) []float64 {
	rates := make(map[int]float64)
	for _, m := range ceiling {
		rates[m.Round] = m.PerSecond
	}
	var ratios []float64
	for _, m := range own {
		if rate := rates[m.Round]; rate > 0 {
			ratios = append(ratios, m.PerSecond/rate)
		}
	}
	return ratios
}

func writeTable(out io.Writer, s inputs.Scenario, rows []row) {
	fmt.Fprintf(out, "\n%v\n", s)
	const columns = "%-10s %10s %10s %10s %10s %10s  %-19s %s\n"
	var table strings.Builder
	fmt.Fprintf(&table, columns, "peer", "req/s", "min", "max", "p50", "p99", "of ceiling", "")
	for _, r := range rows {
		if !r.measured {
			fmt.Fprintf(&table, "%-10s %s\n", r.peer, r.note)
			continue
		}
		fmt.Fprintf(&table, columns, r.peer, rateText(r.rate.median), rateText(r.rate.min), rateText(r.rate.max),
			latencyText(r.p50), latencyText(r.p99), ratioText(r.ratio), r.note)
	}
	for line := range strings.Lines(table.String()) {
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
}

// rateText keeps a decimal where rates are so low that it matters.
func rateText(perSecond float64) string {
	if perSecond < 1000 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return fmt.Sprintf("%.0f", perSecond)
}

func latencyText(d time.Duration) string {
	return fmt.Sprintf("%.2fms", float64(d)/float64(time.Millisecond))
}

func ratioText(s spread) string {
	if s.median == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", s.median, s.min, s.max)
}
