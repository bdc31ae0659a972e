package servery_test

import (
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
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
	dir := memoryDir(t)
	if err := versions[1].replace(dir); err != nil {
		t.Fatal(err)
	}
	server := testkit.Serve(t, servery.FileServer(open(t, dir), nil))
	seen := &ledger{tb: t, versions: versions, owner: make(map[string]*version)}
	own := client{Conn: server.Dial(), seen: seen}
	burst := rounds/10 | 1 // odd, so that each version is the last one at times
	other := another(t, "replace files", dir, strconv.Itoa(versions[0].size()), strconv.Itoa(versions[1].size()),
		strconv.Itoa(rounds), strconv.Itoa(burst))

	var over atomic.Bool
	var clients sync.WaitGroup
	for range 4 {
		c := client{Conn: server.Dial(), seen: seen}
		clients.Go(func() {
			for !over.Load() && !t.Failed() {
				c.cycle()
			}
		})
	}
	for !t.Failed() {
		if _, more := other.line(); !more {
			break
		}
		own.untilSettled()
		own.cycle() // the others go through theirs meanwhile
		other.goOn()
	}
	over.Store(true)
	clients.Wait()
	other.end()
	seen.complete()
}

// replaceLinks is a role: it lets links lead inside and outside in turns. Its
// arguments are the directory and the number of renames.
func replaceLinks(args []string) error {
	dir := args[0]
	rounds, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	temporary := filepath.Join(dir, "root", "temporary")
	steps := [][2]string{
		{"page.txt", "inside/file.txt"}, {"folder", "inside"},
		{"page.txt", "../outside/file.txt"}, {"folder", "../outside"},
		{"page.txt", "inside/file.txt"}, {"folder", "inside"},
		{"page.txt", filepath.Join(dir, "outside/file.txt")}, {"folder", filepath.Join(dir, "outside")},
	}
	for i := range rounds {
		step := steps[i%len(steps)]
		if err := os.Symlink(step[1], temporary); err != nil {
			return err
		}
		if err := os.Rename(temporary, filepath.Join(dir, "root", step[0])); err != nil {
			return err
		}
	}
	return nil
}

// Whatever a link leads to at the moment of opening, nothing from outside of the
// root is ever sent.
func TestLinkSwapRace(t *testing.T) {
	dir := memoryDir(t)
	for _, name := range []string{"root/inside", "outside"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, filepath.Join(dir, name, "file.txt"), path.Base(name))
	}
	if err := replaceLinks([]string{dir, "2"}); err != nil {
		t.Fatal(err)
	}
	server := testkit.Serve(t, servery.FileServer(openDir(t, filepath.Join(dir, "root")), nil))
	other := another(t, "replace links", dir, strconv.Itoa(scaled(100_000)))

	var over atomic.Bool
	var found, missing atomic.Int64
	var clients sync.WaitGroup
	for i := range 4 {
		c := server.Dial()
		target := [...]string{"/page.txt", "/folder/file.txt"}[i%2]
		clients.Go(func() {
			for !over.Load() && !t.Failed() {
				switch got := c.Do("GET", target); {
				case got.Status == http.StatusOK && string(got.Body) == "inside":
					found.Add(1)
				case got.Status == http.StatusNotFound:
					missing.Add(1)
				default:
					t.Errorf("%s: got\n%s%q, want the file inside or 404", target, got.Head, got.Body)
				}
			}
		})
	}
	other.line() // nothing is said: it ends with the process
	over.Store(true)
	clients.Wait()
	other.end()
	if found.Load() == 0 || missing.Load() == 0 {
		t.Errorf("found %d times and missing %d times, want both", found.Load(), missing.Load())
	}
}
