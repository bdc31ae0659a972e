package servery_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"servery"
)

// roleVariable makes the test binary another process of a test: one that plays
// the role that the variable names, and ends.
const roleVariable = "SERVERY_TEST_ROLE"

var roles = map[string]func(args []string) error{
	"replace files": replaceFiles,
	"serve bytes":   serveBytes,
	"serve cold":    serveCold,
	"serve coded":   serveCoded,
	"serve streams": serveStreams,
	"serve copied":  serveCopied,
	"serve faults":  serveFaults,
}

// play returns the code to exit with.
func play(role string, args []string) int {
	if err := roles[role](args); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", role, err)
		return 1
	}
	return 0
}

// process is another process, which ends with the test at the latest.
type process struct {
	tb     testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
}

// another starts the test binary in a role.
func another(tb testing.TB, role string, args ...string) *process {
	tb.Helper()
	p := newProcess(tb, exec.CommandContext(tb.Context(), testBinary(tb), args...))
	p.start(roleVariable + "=" + role)
	return p
}

func testBinary(tb testing.TB) string {
	tb.Helper()
	path, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// newProcess prepares cmd, whose context must end with the test.
func newProcess(tb testing.TB, cmd *exec.Cmd) *process {
	tb.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	return &process{tb: tb, cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout)}
}

func (p *process) start(environment ...string) {
	p.tb.Helper()
	p.cmd.Env = append(os.Environ(), environment...)
	if err := p.cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
}

// line reads one line of what the process says, and reports whether there was one.
func (p *process) line() (string, bool) {
	text, err := p.stdout.ReadString('\n')
	return text, err == nil
}

// goOn lets a process go on that waits in pause.
func (p *process) goOn() {
	p.tb.Helper()
	if _, err := io.WriteString(p.stdin, "\n"); err != nil {
		p.tb.Fatal(err)
	}
}

// end waits until the process has ended by itself, well unless the test has failed
// and left it alone.
func (p *process) end() {
	p.tb.Helper()
	p.stdin.Close()
	if err := p.cmd.Wait(); err != nil && !p.tb.Failed() {
		p.tb.Errorf("the other process: %v", err)
	}
}

// pause is the other end of line and goOn. It fails once nobody waits for the
// process any more.
func pause() error {
	fmt.Println()
	_, err := os.Stdin.Read(make([]byte, 1))
	return err
}

// memoryDir returns a new directory, in memory where the system offers that:
// others write a file out before they let it replace one, which takes longer than
// everything else that a race is about.
func memoryDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "servery")
	if err != nil {
		return tb.TempDir()
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serveBytes is a role: a handler that has everything prepared, which nothing
// inside net/http can beat. Its arguments are the body and the header's fields.
func serveBytes(args []string) error {
	body := []byte(args[0])
	fields := make(http.Header)
	for _, line := range args[1:] {
		name, value, _ := strings.Cut(line, ": ")
		fields[name] = []string{value}
	}
	return serveUntilEnd(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), fields)
		w.Write(body)
	}))
}

// serveCold is a role: it serves the files of the directory that is its argument, and
// remembers none.
func serveCold(args []string) error {
	return serveDirectory(args[0], &servery.FileServerOptions{HotBytes: -1})
}

func serveDirectory(path string, opts *servery.FileServerOptions) error {
	dir, err := servery.OpenDir(path)
	if err != nil {
		return err
	}
	return serveUntilEnd(servery.FileServer(dir, opts))
}

// serveUntilEnd says where it serves, and does until nobody needs it any more.
func serveUntilEnd(handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("serving on http://%s/\n", listener.Addr())
	go http.Serve(listener, handler)
	io.Copy(io.Discard, os.Stdin)
	return nil
}
