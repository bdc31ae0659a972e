package drive

import (
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
)

// pins says how processes are kept to their cores: the server on the first ones,
// the load generator on the next. Without that the scheduler moves them about and
// lets one take the other's time.
type pins struct {
	taskset string // path of the program; empty if nothing is pinned
	procs   int
	why     string // nothing is pinned
}

func pin(procs int) pins {
	path, err := exec.LookPath("taskset")
	switch {
	case err != nil:
		return pins{why: "no taskset on PATH"}
	case runtime.NumCPU() < procs+1:
		return pins{why: fmt.Sprintf("%d cores are fewer than %d", runtime.NumCPU(), procs+1)}
	}
	return pins{taskset: path, procs: procs}
}

// server returns what to put before the command of a server.
func (p pins) server() []string {
	return p.to(p.serverCores())
}

func (p pins) serverCores() string {
	if p.procs == 1 {
		return "0"
	}
	return "0-" + strconv.Itoa(p.procs-1)
}

// client returns what to put before the command of the load generator.
func (p pins) client() []string {
	return p.to(strconv.Itoa(p.procs))
}

// to relies on taskset becoming the program it starts, so that the process id
// stays the server's own.
func (p pins) to(cores string) []string {
	if p.taskset == "" {
		return nil
	}
	return []string{p.taskset, "-c", cores}
}

func (p pins) String() string {
	if p.taskset == "" {
		return "not pinned: " + p.why
	}
	return fmt.Sprintf("server on core %s, load on core %d", p.serverCores(), p.procs)
}
