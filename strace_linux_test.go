package servery_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"servery/internal/testkit"
)

// traced is a server whose system calls are written down.
type traced struct {
	*process
	file   string
	server *testkit.Server
}

// trace starts a server under strace. The command must say where it serves.
func trace(t *testing.T, environment string, command ...string) *traced {
	t.Helper()
	return traceWith(t, nil, environment, command...)
}

// traceWith is trace with further options of strace.
func traceWith(t *testing.T, options []string, environment string, command ...string) *traced {
	t.Helper()
	strace := testkit.Tool(t, "strace")
	file := filepath.Join(t.TempDir(), "trace")
	args := slices.Concat([]string{"-f", "-qq", "-o", file}, options, command)
	cmd := exec.CommandContext(t.Context(), strace, args...)
	// strace itself ignores what ends the server, and must not be killed without it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	p := newProcess(t, cmd)
	cmd.Stderr = cmd.Stdout
	// One P keeps the scheduler's own calls few.
	p.start("GOMAXPROCS=1", environment)
	said, _ := p.line()
	_, addr, ok := strings.Cut(said, "http://")
	if !ok {
		p.stdin.Close() // what has begun to serve after all
		cmd.Wait()
		testkit.Lacks(t, "the permission to trace ("+strings.TrimSpace(said)+")")
	}
	addr, _, _ = strings.Cut(addr, "/")
	return &traced{p, file, testkit.Connect(t, addr)}
}

// end ends the server and returns the lines of its trace.
func (s *traced) end() []string {
	s.tb.Helper()
	s.stdin.Close()
	syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM)
	s.cmd.Wait() // the code is that of a signal, or not
	data, err := os.ReadFile(s.file)
	if err != nil {
		s.tb.Fatal(err)
	}
	return strings.Split(string(data), "\n")
}

// calls are the system calls of one request: how many by name, and how many bytes
// went through read and write.
type calls struct {
	count map[string]int
	bytes int
}

// scheduler are the calls by which threads wait for each other and for the
// network. How many there are is a matter of chance.
var scheduler = []string{"futex", "epoll_pwait", "nanosleep", "tgkill", "getpid", "rt_sigreturn", "sched_yield", "restart_syscall"}

// completed matches a call at its end, which is another line than its begin where
// other threads came in between.
var completed = regexp.MustCompile(`^\d+ +(?:<\.\.\. )?(\w+)(?: resumed>|\().* = (-?\d+)`)

// tracedRequests is how many requests a count is made of.
const tracedRequests = 50

// repeat asks again and again, between two requests that can be found in a trace.
// One request is over when its answer is read, which is before the next.
func (s *traced) repeat(label, target string, fields ...string) {
	s.tb.Helper()
	c := s.server.Dial()
	defer c.Close()
	c.Do("GET", target, fields...) // whatever is done once only
	c.Do("GET", "/begin-"+label)
	for range tracedRequests {
		c.Do("GET", target, fields...)
	}
	c.Do("GET", "/end-"+label)
}

// countOf counts the calls of one request among those that repeat asked for.
func countOf(trace []string, label string) calls {
	c := calls{count: make(map[string]int)}
	inside := false
	for _, line := range trace {
		switch {
		// Without its first byte: the goroutine that waits for the client to leave
		// may have read that one before.
		case strings.Contains(line, "ET /begin-"+label+" "):
			inside = true
		case strings.Contains(line, "ET /end-"+label+" "):
			inside = false
		}
		if inside {
			c.add(line)
		}
	}
	for name, n := range c.count {
		// What is not done for each request disappears.
		if c.count[name] = (n + tracedRequests/2) / tracedRequests; c.count[name] == 0 {
			delete(c.count, name)
		}
	}
	c.bytes /= tracedRequests
	return c
}

func (c *calls) add(line string) {
	match := completed.FindStringSubmatch(line)
	if match == nil || slices.Contains(scheduler, match[1]) {
		return
	}
	name := match[1]
	if name == "read" || name == "write" {
		n, _ := strconv.Atoi(match[2])
		if n <= 1 {
			return // nothing to read yet, or that goroutine again
		}
		c.bytes += n
	}
	// The system looks at an opened file by a call without a name, too.
	if name == "newfstatat" && strings.Contains(line, `, "", `) {
		name = "fstat"
	}
	c.count[name]++
}
