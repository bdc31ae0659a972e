package drive

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// drawn is a report with figures of two scenarios, as it is read from its JSON.
func drawn(t *testing.T) *Report {
	t.Helper()
	made := madeReport()
	made.Environment = Environment{CPU: "a processor", Go: "go1.26", Rounds: 3, Duration: "3s"}
	content, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "raw.json")
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
	report, err := ReadReport(name)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestWriteFigures(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	if err := drawn(t).WriteFigures(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("got %v, %v, want a file for each of two scenarios", entries, err)
	}
	checkGolden(t, "304.svg", contentOf(t, filepath.Join(dir, "304.svg")))
	without := contentOf(t, filepath.Join(dir, "1k.svg"))
	if strings.Contains(without, "<rect") || !strings.Contains(without, "ceiling was not measured") {
		t.Errorf("got\n%s\nwant it to say why there are no bars", without)
	}
}

func TestReportIsWrittenAgain(t *testing.T) {
	var out strings.Builder
	if err := drawn(t).Write(&out); err != nil {
		t.Fatal(err)
	}
	if table := contentOf(t, "testdata/table.txt"); !strings.HasSuffix(out.String(), table) {
		t.Errorf("got\n%s\nwant it to end with\n%s", out.String(), table)
	}
}

func TestReportOfAnUnknownScenario(t *testing.T) {
	report := madeReport()
	report.Measurements = append(report.Measurements, Measurement{Scenario: "1k-gone"})
	if err := report.WriteFigures(t.TempDir()); err == nil || !strings.Contains(err.Error(), "1k-gone") {
		t.Errorf("error %v, want one that names the scenario", err)
	}
}

func TestReadReportNeedsJSON(t *testing.T) {
	name := filepath.Join(t.TempDir(), "raw.json")
	if err := os.WriteFile(name, []byte("not JSON"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadReport(name); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("error %v, want one that names the file", err)
	}
}
