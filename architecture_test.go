package servery_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// imports says which packages of this module each package may import. Everything
// points one way and meets in the root.
var imports = map[string][]string{
	"servery": {
		"internal/accept", "internal/anchor", "internal/byterange", "internal/codec", "internal/coded",
		"internal/deliver", "internal/digest", "internal/disposition", "internal/etag", "internal/flight", "internal/identity",
		"internal/listing", "internal/mediatype",
		"internal/offload", "internal/plan", "internal/sidecar", "internal/stream", "internal/urlpath",
	},
	"servery/internal/accept":    nil,
	"servery/internal/anchor":    nil,
	"servery/internal/byterange": nil,
	"servery/internal/cache":     nil,
	"servery/internal/codec":     nil,
	"servery/internal/coded": {
		"internal/byterange", "internal/cache", "internal/codec", "internal/etag", "internal/flight", "internal/identity",
		"internal/offload",
	},
	"servery/internal/deliver":     {"internal/byterange", "internal/fields", "internal/plan"},
	"servery/internal/digest":      nil,
	"servery/internal/disposition": nil,
	"servery/internal/etag":        nil,
	"servery/internal/fields":      nil,
	"servery/internal/flight":      nil,
	"servery/internal/identity":    {"internal/anchor", "internal/byterange", "internal/cache", "internal/digest", "internal/etag", "internal/flight"},
	"servery/internal/listing":     {"internal/urlpath"},
	"servery/internal/mediatype":   nil,
	"servery/internal/offload":     nil,
	"servery/internal/plan":        {"internal/accept", "internal/byterange", "internal/digest", "internal/etag"},
	"servery/internal/sidecar":     {"internal/codec", "internal/identity"},
	"servery/internal/stream": {
		"internal/accept", "internal/codec", "internal/etag", "internal/fields", "internal/mediatype", "internal/offload",
	},
	"servery/internal/testkit":          nil,
	"servery/internal/urlpath":          nil,
	"servery/examples/api":              {"", "examples/internal/program"},
	"servery/examples/embedded":         {"", "examples/internal/program"},
	"servery/examples/shared":           {"", "examples/internal/program"},
	"servery/examples/spa":              {"", "examples/internal/program"},
	"servery/examples/static":           {"", "examples/internal/program"},
	"servery/examples/internal/program": nil,
	"servery/examples/internal/routed":  {"internal/testkit"},
	"servery/precompress":               {"", "internal/codec", "internal/coded", "internal/mediatype", "internal/sidecar", "internal/urlpath"},
	"servery/cmd/precompress":           {"", "precompress"},
}

// pure are the packages that decide and do not act: nothing of the outside world
// gets into them.
var pure = []string{"accept", "byterange", "digest", "disposition", "etag", "listing", "plan", "urlpath"}

var impure = []string{"os", "io/fs", "net", "net/http", "sync", "sync/atomic", "context", "mime", "syscall"}

// others are the modules that may be required at run time.
var others = []string{"golang.org/x/sys/", "github.com/klauspost/compress/"}

func TestImportsPointOneWay(t *testing.T) {
	output, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]string)
	for decoder := json.NewDecoder(strings.NewReader(string(output))); decoder.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		got[p.ImportPath] = own(p.Imports)
		if name := strings.TrimPrefix(p.ImportPath, "servery/internal/"); slices.Contains(pure, name) {
			for _, path := range p.Imports {
				if slices.Contains(impure, path) {
					t.Errorf("%s is pure and imports %s", p.ImportPath, path)
				}
			}
		}
		checkOthers(t, p.ImportPath, p.Imports)
	}
	want := make(map[string][]string)
	for name, paths := range imports {
		want[name] = slices.Sorted(slices.Values(paths))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("imports differ from those that are meant (-want +got):\n%s", diff)
	}
}

// own returns the imports that are of this module, without its name.
func own(imports []string) []string {
	var paths []string
	for _, path := range imports {
		if rest, ok := strings.CutPrefix(path, "servery"); ok {
			paths = append(paths, strings.TrimPrefix(rest, "/"))
		}
	}
	slices.Sort(paths)
	return paths
}

func checkOthers(t *testing.T, name string, imports []string) {
	t.Helper()
	for _, path := range imports {
		host, _, _ := strings.Cut(path, "/")
		foreign := strings.Contains(host, ".")
		if foreign && !slices.ContainsFunc(others, func(module string) bool { return strings.HasPrefix(path, module) }) {
			t.Errorf("%s imports %s, which users would have to download", name, path)
		}
	}
}

// The exported API changes on purpose or not at all: go test -run API -update.
func TestAPI(t *testing.T) {
	const golden = "testdata/api.golden"
	got, err := exec.Command("go", "doc", "-all", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("API differs from %s (-want +got):\n%s", golden, diff)
	}
}
