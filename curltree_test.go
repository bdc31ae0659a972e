//go:build unix

package servery_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// Every file of every tree arrives, whichever way its name is written, and over
// one connection; every other path is 404.
func TestCurlWholeTree(t *testing.T) {
	leaveToPlain(t)
	for _, tree := range realTrees() {
		t.Run(tree.name, func(t *testing.T) {
			dir := tree.dir(t)
			found, missing := tree.files(t, dir)
			server := testkit.Serve(t, testkit.LintServed(t, servery.FileServer(openDir(t, dir), nil), testkit.Lint))
			for _, encoding := range pathEncodings {
				curlFound(t, server, encoding.encode, found)
				curlMissing(t, server, encoding.encode, missing)
				if tree.name != "odd" {
					break // plain names, which there is hardly another way to write
				}
			}
			if tree.name != "go" {
				coded := curlFound(t, server, pathEncodings[0].encode, found, "--compressed")
				if tree.name == "npm" && coded < 100 {
					t.Errorf("%d of %d files came in a coding", coded, len(found))
				}
			}
		})
	}
}

// Several at a time, on connections that are given up and taken again.
func TestCurlParallel(t *testing.T) {
	tree := realTrees()[0]
	dir := tree.dir(t)
	found, _ := tree.files(t, dir)
	server := testkit.Serve(t, testkit.LintServed(t, servery.FileServer(openDir(t, dir), nil), testkit.Lint))
	connections, _ := curlFetch(t, server, pathEncodings[0].encode, found, "--parallel", "--parallel-immediate", "--parallel-max", "20")
	if connections < 2 {
		t.Errorf("%d connections", connections)
	}
}

// curlFound fetches files over one connection and returns how many came in a coding.
func curlFound(t *testing.T, server *testkit.Server, encode func(string) string, files []realFile, args ...string) int {
	t.Helper()
	connections, coded := curlFetch(t, server, encode, files, args...)
	if connections != 1 {
		t.Errorf("curl %q: %d connections for %d files, want them all on one", args, connections, len(files))
	}
	return coded
}

// curlFetch fetches files in one process, compares them, and returns how many
// connections it took, and how many files came in a coding.
func curlFetch(t *testing.T, server *testkit.Server, encode func(string) string, files []realFile, args ...string) (connections, coded int) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	var config strings.Builder
	for i, file := range files {
		fmt.Fprintf(&config, "url = \"http://%s/%s\"\noutput = \"%s/%d\"\n", server.Addr, encode(file.name), dir, i)
	}
	args = append(args, "--fail", "--fail-early", "--write-out", `%{http_code} %{num_connects} %header{content-encoding} %{url_effective}\n`)
	report, code := curl(t, config.String(), args...)
	lines := strings.SplitAfter(report, "\n")
	if code != 0 || len(lines) != len(files)+1 {
		t.Fatalf("curl %q: exit %d after %d of %d files:\n%s", args, code, len(lines)-1, len(files), slices.MaxFunc(lines, strings.Compare))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for i, file := range files {
		if strings.HasPrefix(lines[i], "200 1 ") {
			connections++
		} else if !strings.HasPrefix(lines[i], "200 0 ") {
			t.Errorf("got %q, want 200", lines[i])
		}
		if coding := strings.SplitN(lines[i], " ", 4)[2]; coding != "" {
			coded++
		}
		if sum := sumOf(root, fmt.Sprint(i)); sum != file.sum {
			t.Errorf("%q: got the SHA-256 %q, want %q", file.name, sum, file.sum)
		}
	}
	return connections, coded
}

func curlMissing(t *testing.T, server *testkit.Server, encode func(string) string, files []realFile) {
	t.Helper()
	var config strings.Builder
	for _, file := range files {
		fmt.Fprintf(&config, "url = \"http://%s/%s\"\noutput = \"%s\"\n", server.Addr, encode(file.name), os.DevNull)
	}
	report, code := curl(t, config.String(), "--write-out", `%{http_code} %{url_effective}\n`)
	lines := strings.SplitAfter(report, "\n")
	if code != 0 || len(lines) != len(files)+1 {
		t.Fatalf("exit %d after %d of %d paths", code, len(lines)-1, len(files))
	}
	for i, line := range lines[:len(files)] {
		if !strings.HasPrefix(line, "404 ") {
			t.Errorf("%q: got %q, want 404", files[i].name, line)
		}
	}
}
