package servery_test

import (
	"io/fs"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// scaled is how often a test does what it does often: a tenth with -short, and
// under the race detector, which finds races and not rarities.
func scaled(times int) int {
	if testing.Short() || raced {
		return times / 10
	}
	return times
}

// replaceFiles is a role: it writes two versions of a file in turns and renames
// them over one name. After each burst it pauses until the last file is settled:
// only then it has a tag that is remembered, and the race that matters most is the
// one between such a tag and the next replacement. The arguments are the directory,
// the two sizes, the number of renames and that in a burst.
func replaceFiles(args []string) error {
	dir := args[0]
	var number [4]int
	for i := range number {
		number[i], _ = strconv.Atoi(args[1+i])
	}
	versions := versionsOf(number[0], number[1])
	for i := range number[2] {
		if i%number[3] == 0 {
			if err := pause(); err != nil {
				return err
			}
		}
		if err := versions[i%2].replace(dir); err != nil {
			return err
		}
	}
	return nil
}

func TestRenameRace(t *testing.T) {
	for _, tt := range []struct {
		name   string
		open   func(tb testing.TB, path string) fs.FS
		sizes  [2]int
		rounds int
		reason string
	}{
		{"small", anchored, [2]int{1 << 10, 15 << 10}, 10_000, "read into memory, tagged by content"},
		{"medium", anchored, [2]int{17 << 10, 90_000}, 10_000, "sent by sendfile, tagged by content"},
		{"large", anchored, [2]int{1<<20 + 1, 1<<20 + 50_000}, 1000, "sent by sendfile, tagged by size and date"},
		{"small of os.DirFS", foreign, [2]int{1 << 10, 15 << 10}, 10_000, "the same through another file system"},
		{"medium of os.DirFS", foreign, [2]int{17 << 10, 90_000}, 2000, "the same through another file system"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raceRenames(t, tt.open, versionsOf(tt.sizes[0], tt.sizes[1]), scaled(tt.rounds))
		})
	}
}

func anchored(tb testing.TB, path string) fs.FS { return openDir(tb, path) }
func foreign(_ testing.TB, path string) fs.FS   { return os.DirFS(path) }

func raceRenames(t *testing.T, open func(testing.TB, string) fs.FS, versions [2]version, rounds int) {
	raceReplaced(t, open, versions, rounds, 4, func(c client) racer { return &c }).complete()
}

// racer is a client that asks for a file that is replaced meanwhile.
type racer interface {
	untilSettled()
	cycle()
}

// raceReplaced lets clients ask for a file while another process replaces it, and returns what they saw.
func raceReplaced(t *testing.T, open func(testing.TB, string) fs.FS, versions [2]version, rounds, clients int, of func(client) racer) *ledger {
	dir := memoryDir(t)
	if err := versions[1].replace(dir); err != nil {
		t.Fatal(err)
	}
	server := testkit.Serve(t, servery.FileServer(open(t, dir), nil))
	seen := &ledger{tb: t, versions: versions, owner: make(map[string]*version)}
	racer := func() racer { return of(client{Conn: server.Dial(), seen: seen}) }
	burst := rounds/10 | 1 // odd, so that each version is the last one at times
	other := another(t, "replace files", dir, strconv.Itoa(versions[0].size()), strconv.Itoa(versions[1].size()),
		strconv.Itoa(rounds), strconv.Itoa(burst))
	own, cycles := racer(), make([]func(), clients)
	for i := range cycles {
		cycles[i] = racer().cycle
	}
	meanwhile(t, other, cycles, func() {
		own.untilSettled()
		own.cycle() // the others go through theirs meanwhile
	})
	return seen
}

// meanwhile runs each of the cycles again and again, at the same time, until the other process has ended.
// Whenever that pauses between is called before it goes on.
func meanwhile(t *testing.T, other *process, cycles []func(), between func()) {
	t.Helper()
	var over atomic.Bool
	var clients sync.WaitGroup
	for _, cycle := range cycles {
		clients.Go(func() {
			for !over.Load() && !t.Failed() {
				cycle()
			}
		})
	}
	for !t.Failed() {
		if _, more := other.line(); !more { // nothing is said any more: the process has ended
			break
		}
		between()
		other.goOn()
	}
	over.Store(true)
	clients.Wait()
	other.end()
}
