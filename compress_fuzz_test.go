package servery_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzCompress plays scripts on a server behind Compress and on the same server without
// it. The two may differ only as scriptRules say, and scriptLaws hold whatever the other
// did.
func FuzzCompress(f *testing.F) {
	rig := newScriptRig(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := rig.run(t, readScript(data))
		if faults := c.faults(scriptRules()); len(faults) > 0 {
			c.report(t, faults)
		}
	})
}

const scriptSeedFolder = "testdata/fuzz/FuzzCompress"

// TestCompressSeeds keeps the seeds what scriptSeeds say that they are (-update rewrites
// them), and each of them leads where it is meant to.
func TestCompressSeeds(t *testing.T) {
	rig := newScriptRig(t)
	for name, seed := range scriptSeeds {
		data := seed.bytes(t)
		checkScriptSeed(t, name, data)
		c := rig.run(t, readScript(data))
		if faults := c.faults(scriptRules()); len(faults) > 0 {
			c.report(t, append(faults, "seed "+name))
		}
		if got := c.summary(); got != seed.leads {
			t.Errorf("%s leads to %q, want %q", name, got, seed.leads)
		}
	}
}

// TestCompressRulesAreNeeded shows of each rule a seed that no other rule explains. It
// tries for a while: whether net/http goes on with a connection is a race now and then.
func TestCompressRulesAreNeeded(t *testing.T) {
	rig := newScriptRig(t)
	unneeded := scriptRules()
	for range 20 {
		for _, seed := range scriptSeeds {
			c := rig.run(t, readScript(seed.bytes(t)))
			unneeded = slices.DeleteFunc(unneeded, func(rule scriptRule) bool {
				others := slices.DeleteFunc(scriptRules(), func(other scriptRule) bool { return other.name == rule.name })
				return rule.reason != "" && len(c.faults(others)) > 0
			})
		}
		if len(unneeded) == 0 {
			return
		}
	}
	for _, rule := range unneeded {
		t.Errorf("rule %q: no seed needs it, or no reason", rule.name)
	}
}

func (s scriptSeed) bytes(tb testing.TB) []byte {
	tb.Helper()
	data, err := scriptBytes(strings.ReplaceAll(s.text, " | ", "\n"))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// checkScriptSeed compares a seed with its file.
func checkScriptSeed(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join(scriptSeedFolder, name)
	want := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", data)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := readFile(t, path); got != want {
		t.Errorf("%s is not the seed of this name: -update rewrites it", path)
	}
}

// summary says in a few words what the client behind Compress got.
func (c *scriptComparison) summary() string {
	answer := c.ours.answer
	words := []string{fmt.Sprint(answer.status)}
	add := func(word string, is bool) {
		if is {
			words = append(words, word)
		}
	}
	add("after interim", len(answer.interim) > 0)
	add(c.ours.coding(), c.ours.coding() != "")
	add("exact", c.ours.coding() != "" && answer.header["Content-Length"] != nil)
	add("Vary", hasVary(answer.header["Vary"]))
	add("trailers", len(withValues(answer.trailer)) > 0)
	add("broken", !answer.whole || answer.bad != nil)
	add("panic", c.ours.call.arrived != nil)
	add("recovered", c.ours.call.recovered != nil)
	add("OnError", c.ours.call.told > 0)
	return strings.Join(words, " ")
}
