package drive

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"servery/internal/bench/inputs"
)

// A row is one peer in the table of a scenario. Without measurements only name
// and note are set.
type row struct {
	peer     string
	measured bool
	rate     spread // see Measurement.rate
	p50, p99 time.Duration
	each     time.Duration // of processors, for a request
	resident int64         // in bytes
	ratio    spread        // to the reference in the same round; zero without one
	note     string
}

// rows summarizes a scenario, one row a peer that takes part, in the order of the
// report.
func (r *Report) rows(s inputs.Scenario) []row {
	byPeer := make(map[string][]Measurement)
	for _, m := range r.Measurements {
		if m.Scenario == s.Name {
			byPeer[m.Peer] = append(byPeer[m.Peer], m)
		}
	}
	var rows []row
	for _, p := range r.Peers {
		if slices.Contains(s.Peers, p.Name) {
			rows = append(rows, newRow(p, s.Protocol, byPeer[p.Name], byPeer[s.Reference]))
		}
	}
	return rows
}

func newRow(p PeerInfo, protocol inputs.Protocol, own, reference []Measurement) row {
	line := row{peer: p.Name, note: p.absence(protocol)}
	if len(own) == 0 {
		return line
	}
	line.measured = true
	line.rate = spreadOf(collect(own, Measurement.rate))
	line.p50 = median(collect(own, func(m Measurement) time.Duration { return m.P50 }))
	line.p99 = median(collect(own, func(m Measurement) time.Duration { return m.P99 }))
	line.each = median(collect(own, Measurement.each))
	line.resident = median(collect(own, func(m Measurement) int64 { return m.Resident }))
	if ratios := ratiosTo(reference, own); len(ratios) > 0 {
		line.ratio = spreadOf(ratios)
	}
	line.note = noteOf(own)
	return line
}

// rate is what is compared: requests a second, or bytes a second of the large
// responses where there were some beside.
func (m Measurement) rate() float64 {
	if m.Large.Bytes > 0 {
		return m.Large.PerSecond
	}
	return m.PerSecond
}

// each is the time of processors that one request took, or 0 if it is not known.
func (m Measurement) each() time.Duration {
	if m.Requests == 0 || m.Large.Bytes > 0 {
		return 0
	}
	return m.Processor / time.Duration(m.Requests)
}

// noteOf says what is peculiar about the measurements of one peer.
func noteOf(own []Measurement) string {
	if strings.HasPrefix(own[0].Condition, "If-Modified-Since") {
		return "by date, it sends no ETag"
	}
	if own[0].Large.Bytes == 0 {
		return ""
	}
	var tiny, complete, refused int
	for _, m := range own {
		tiny += m.Requests
		complete += m.Large.Complete
		refused += m.Large.Refused
	}
	return fmt.Sprintf("%d tiny, %d large complete, %d refused", tiny, complete, refused)
}

// ratiosTo divides within each round. What slows a whole round down, such as a
// machine that is throttled or shared, then cancels out.
func ratiosTo(reference, own []Measurement) []float64 {
	rates := make(map[int]float64)
	for _, m := range reference {
		rates[m.Round] = m.rate()
	}
	var ratios []float64
	for _, m := range own {
		if rate := rates[m.Round]; rate > 0 {
			ratios = append(ratios, m.rate()/rate)
		}
	}
	return ratios
}

// write writes the table of a scenario, or why there is none.
func (r *Report) write(out io.Writer, s inputs.Scenario) {
	if why := r.Skipped[s.Name]; why != "" {
		fmt.Fprintf(out, "\n%v\nnot measured: %s\n", s, why)
		return
	}
	writeTable(out, s, r.rows(s))
}

func writeTable(out io.Writer, s inputs.Scenario, rows []row) {
	fmt.Fprintf(out, "\n%v\n", s)
	const columns = "%-16s %10s %10s %10s %10s %10s %10s %8s  %-19s %s\n"
	label, text := "req/s", rateText
	if s.Behind > 0 {
		label, text = "large MB/s", megabytesText
	}
	var table strings.Builder
	fmt.Fprintf(&table, columns, "peer", label, "min", "max", "p50", "p99", "CPU/req", "MiB", "of "+s.Reference, "")
	for _, r := range rows {
		if !r.measured {
			fmt.Fprintf(&table, "%-16s %s\n", r.peer, r.note)
			continue
		}
		fmt.Fprintf(&table, columns, r.peer, text(r.rate.median), text(r.rate.min), text(r.rate.max),
			latencyText(r.p50), latencyText(r.p99), eachText(r.each), residentText(r.resident), ratioText(r.ratio), r.note)
	}
	if len(rows) == 0 {
		table.WriteString("none of the selected peers takes part\n")
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

func megabytesText(perSecond float64) string { return fmt.Sprintf("%.2f", perSecond/1e6) }

func latencyText(d time.Duration) string {
	return fmt.Sprintf("%.2fms", float64(d)/float64(time.Millisecond))
}

// eachText leaves open what the system does not tell.
func eachText(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1fus", float64(d)/float64(time.Microsecond))
}

// residentText leaves open what the system does not tell.
func residentText(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return mebibytesText(bytes)
}

func ratioText(s spread) string {
	if s.median == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", s.median, s.min, s.max)
}
