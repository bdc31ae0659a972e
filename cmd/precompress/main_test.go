package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"servery/internal/testkit"
)

// asCommand is set where the test binary is to be the command.
const asCommand = "SERVERY_TEST_PRECOMPRESS"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(testkit.Main(m))
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of the file\n", i*i%9973)
	}
	return b.String()
}

// try runs the command in this process.
func try(tb testing.TB, terminal bool, args ...string) (status int, stdout, stderr string) {
	tb.Helper()
	var out, errs bytes.Buffer
	c := command{stdout: &out, stderr: &errs, terminal: terminal}
	status = c.run(tb.Context(), args)
	return status, out.String(), errs.String()
}

func TestArguments(t *testing.T) {
	dir := testkit.Tree(t, map[string]string{"a.js": lines(1000), "tiny.js": lines(10)})
	for _, tt := range []struct {
		args                   string
		status                 int
		stdout, stderr, reason string
	}{
		{"", 2, "", "no directory", "nothing to do"},
		{"-x DIR", 2, "", "-x", "no such flag"},
		{"-codings br DIR", 2, "", `"br"`, "no encoder for it"},
		{"-codings gzip,gzip DIR", 2, "", "precompress: Encoders: ", "both have one name"},
		{"-h", 0, "usage", "", "help is no error"},
		{"DIR/none", 1, "", "no such", "no such directory"},
		{"-n -v DIR", 0, `written "a.js.zst"`, "", "a dry run says what would be written"},
		{"-n -v DIR", 0, `small "tiny.js"`, "", "and what would not"},
		{"-codings gzip DIR", 0, "1 written", "", "one coding"},
		{"DIR", 0, "1 written, 1 fresh", "", "the other is written then"},
		{"-min 0 DIR DIR", 0, "2 written, 2 fresh", "", "small files, too"},
	} {
		args := strings.Fields(strings.ReplaceAll(tt.args, "DIR", dir))
		status, stdout, stderr := try(t, false, args...)
		twice := strings.Count(stderr, "precompress: ") > 1
		if status != tt.status || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && stderr != "" || twice {
			t.Errorf("%q: status %d\n%s%s: %s", tt.args, status, stdout, stderr, tt.reason)
		}
	}
}

// TestProgressIsForTerminals: nothing that only a terminal understands goes anywhere
// else, and the line is gone at the end.
func TestProgressIsForTerminals(t *testing.T) {
	files := map[string]string{"a.js": lines(1000), "\x1b[31mred.txt": lines(10), strings.Repeat("long", 40) + ".js": lines(10)}
	for _, terminal := range []bool{true, false} {
		_, stdout, stderr := try(t, terminal, "-v", testkit.Tree(t, files))
		if strings.Contains(stdout, "\x1b") || strings.Contains(stderr, "\x1b[31m") || strings.Contains(stderr, "\x1b[K") != terminal {
			t.Errorf("terminal %t: %q and %q", terminal, stdout, stderr)
		}
		if terminal && !strings.HasSuffix(stderr, "\r\x1b[K") {
			t.Errorf("the line remains: %q", stderr)
		}
	}
	if got := shorten("\x1b[31m\u009bred\x7f\xff" + strings.Repeat("x", 10)); got != "?[31m?red??xxxxxxxxxx" {
		t.Errorf("shown as %q", got)
	}
	if got := len([]rune(shorten(strings.Repeat("long", 40)))); got != width {
		t.Errorf("shown in %d characters, want %d", got, width)
	}
}

// TestErrorsQuoteNames, of the directories as well, wherever they are named.
func TestErrorsQuoteNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "\u009b31m")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	name := "\u009b32m" + strings.Repeat("x", 246) + ".js" // there is no room for an extension
	testkit.Write(t, filepath.Join(dir, name), lines(1000))
	for _, tt := range []struct{ directory, want, reason string }{
		{dir, `"\u009b32mxxx`, "a file that fails"},
		{dir + "none", `\u009b31mnone"`, "a directory that is not there"},
	} {
		status, stdout, stderr := try(t, false, tt.directory)
		if status != 1 || strings.Contains(stdout+stderr, "\u009b") || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q and %q", tt.reason, status, stdout, stderr)
		}
	}
}

// start starts the command as a process of its own.
func start(tb testing.TB, attributes *syscall.SysProcAttr, args ...string) (*exec.Cmd, io.Reader, *bytes.Buffer) {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	program := filepath.Join(publicDir(tb), "precompress")
	content, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(program, content, 0o755)
	}
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.SysProcAttr = attributes
	cmd.WaitDelay = testkit.Patience
	errs := new(bytes.Buffer)
	cmd.Stderr = errs
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return cmd, stdout, errs
}

// publicDir is a directory that any user can look into.
func publicDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "precompress")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestSignalLeavesNothingUnfinished, and the next run does the rest.
func TestSignalLeavesNothingUnfinished(t *testing.T) {
	if runtime.GOOS == "windows" {
		testkit.Lacks(t, "signals")
	}
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("a%d.js", i)] = lines(500)
		files[fmt.Sprintf("c%d.js", i)] = lines(500)
	}
	for i := range 600 { // what is said of them is more than the pipe takes: there it stops
		files[fmt.Sprintf("b%0200d.js", i)] = "x"
	}
	dir := testkit.Tree(t, files)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd, stdout, errs := start(t, nil, "-v", "-codings", "gzip", dir)
		r := bufio.NewReader(stdout)
		for range 3 {
			if _, err := r.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Process.Signal(signal)
		rest, _ := io.ReadAll(r)
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 1 {
			t.Errorf("%v: status %d\n%s%s", signal, code, rest, errs)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".precompress-*")); len(left) > 0 {
			t.Errorf("%v left %q", signal, left)
		}
	}
	if all, _ := filepath.Glob(filepath.Join(dir, "*.js.*")); len(all) == 0 || len(all) >= 20 {
		t.Fatalf("%d sidecars: the signals did not come in the middle", len(all))
	}
	status, stdout, _ := try(t, false, "-codings", "gzip", dir)
	if status != 0 || strings.Contains(stdout, "foreign") || strings.Contains(stdout, "dated") || !strings.Contains(stdout, "fresh") {
		t.Errorf("status %d: %s", status, stdout)
	}
}

// TestReadOnlyDirectory: what cannot be written is said by name, and the rest is done.
func TestReadOnlyDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		testkit.Lacks(t, "permission bits")
	}
	dir := publicDir(t)
	for _, name := range []string{"closed", "open"} {
		sub := filepath.Join(dir, name)
		if err := os.Mkdir(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, filepath.Join(sub, "a.js"), lines(1000))
	}
	if err := os.Chmod(filepath.Join(dir, "open"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "closed"), 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(dir, "closed"), 0o755)
	cmd, stdout, errs := start(t, asNobody(), dir)
	rest, _ := io.ReadAll(stdout)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(rest), "2 written, 2 failed") {
		t.Errorf("status %d\n%s", code, rest)
	}
	if got := errs.String(); strings.Count(got, "closed/a.js.") != 2 || strings.Count(got, "\n") != 2 {
		t.Errorf("it said:\n%s", got)
	}
}
