//go:build unix

package servery_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// Whatever a name leads to, and however that changes, an answer is what there was at some moment between
// the request and the answer: never older, never a mixture, never what is outside of the root. Each name has
// been settled, and is remembered, when its turn to be changed comes.
func TestChangeRace(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) { raceChanges(t, w, scaled(100_000)) })
	}
}

func raceChanges(t *testing.T, w way, changes int) {
	dir := memoryDir(t)
	if err := os.Chmod(dir, 0o755); err != nil { // for a server that is somebody else
		t.Fatal(err)
	}
	if err := ground(dir).prepare(w); err != nil {
		t.Fatal(err)
	}
	j, err := openJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.close() })
	serve := serveHere
	if w.name == "forbid" {
		serve = serveAsNobody
	}
	server, end := serve(t, filepath.Join(dir, "root"))
	defer end()
	testkit.Settle()
	clients, cycles := make([]*churnClient, 3), make([]func(), 3)
	for i := range clients {
		clients[i] = &churnClient{Conn: server.Dial(), t: t, way: w, journal: j, dice: rand.New(rand.NewPCG(1, uint64(i)))}
		cycles[i] = clients[i].cycle
	}
	meanwhile(t, another(t, "change files", dir, w.name, strconv.Itoa(changes)), cycles, func() {})
	for name := range churned { // and what is there in the end is what everybody sees
		for range 3 {
			clients[0].ask("GET", name, "")
		}
	}
	asked, exact := 0, 0
	for _, c := range clients {
		asked, exact = asked+c.asked, exact+c.exact
	}
	t.Logf("%d answers, %d of them with nothing changed meanwhile", asked, exact)
	if exact < churned*3+10 {
		t.Errorf("%d answers of a state that is certain, want some", exact)
	}
}

func serveHere(t *testing.T, path string) (*testkit.Server, func()) {
	return testkit.Serve(t, servery.FileServer(openDir(t, path), nil)), func() {}
}

// serveAsNobody serves a directory by a process that is not allowed everything, as root is, until end is called.
func serveAsNobody(t *testing.T, path string) (server *testkit.Server, end func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		return serveHere(t, path)
	}
	const nobody = 65534
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", path) // which is allowed where the path of the binary is not
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	p := newProcess(t, cmd)
	cmd.Env = append(os.Environ(), roleVariable+"=serve files")
	if err := cmd.Start(); err != nil {
		testkit.Lacks(t, "the right to start a process of nobody's ("+err.Error()+")")
	}
	said, _ := p.line()
	_, address, ok := strings.Cut(strings.TrimSuffix(said, "/\n"), "http://")
	if !ok {
		t.Fatalf("no server: %q", said)
	}
	return testkit.Connect(t, address), p.end
}

// churnClient asks for files that are changed, and knows by the journal what it may get.
type churnClient struct {
	*testkit.Conn
	t            *testing.T
	way          way
	journal      journal
	dice         *rand.Rand
	asked, exact int
}

// cycle asks for the file whose turn it is, for those that come next, so that they are remembered by then,
// and for those that were changed last.
func (c *churnClient) cycle() {
	name := int(c.journal[current].Load())
	switch c.dice.IntN(5) {
	case 0, 1:
		name += 1 + c.dice.IntN(4)
	case 2:
		name += churned - 1 - c.dice.IntN(2)
	}
	name %= churned
	tag := c.ask("GET", name, "")
	switch c.dice.IntN(6) {
	case 0:
		c.ask("HEAD", name, "")
	case 1:
		c.ask("GET", name, "Range: bytes="+strconv.Itoa(partFrom)+"-"+strconv.Itoa(partTo-1))
	case 2, 3:
		if tag != "" {
			c.ask("GET", name, "If-None-Match: "+tag)
		}
	}
}

// ask sends one request and demands that its answer is of a state that the file had meanwhile. It returns
// the answer's tag.
func (c *churnClient) ask(method string, name int, condition string) string {
	done := c.journal.done(name).Load()
	got := c.Do(method, "/"+folderOf(name)+"/file.txt", fieldsIn(condition)...)
	begun := c.journal.begun(name).Load()
	c.asked++
	if begun == done {
		c.exact++
	}
	for n := begun; n >= done; n-- {
		if c.way.after(n).fits(method, condition, got) {
			return got.Header.Get("Etag")
		}
	}
	if begun == done || c.way.during == nil || !c.way.during(got) {
		c.t.Errorf("%s %s %q between the changes %d and %d, %s: got\n%s%.40q, %v", method, folderOf(name), condition,
			done, begun, c.way.reason, got.Head, got.Body, got.Err)
	}
	return got.Header.Get("Etag")
}
