package codec_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"servery/internal/codec"
)

func TestNewSet(t *testing.T) {
	gzip, zstd := encoder(t, "gzip", 6), encoder(t, "zstd", 3)
	same := encoder(t, "gzip", 6)
	same.Coding = "other"
	for _, tt := range []struct {
		encoders []codec.Encoder
		idle     int
		want     string
		reason   string
	}{
		{[]codec.Encoder{zstd, gzip}, 2, "", "two codings"},
		{nil, 0, "", "none, and none idle"},
		{[]codec.Encoder{gzip}, -1, "-1 idle writers are less than none", "no meaning"},
		{[]codec.Encoder{gzip, encoder(t, "gzip", 9)}, 1, "coding gzip occurs twice", "which level should it be"},
		{[]codec.Encoder{gzip, same}, 1, "codings gzip and other share the suffix gz", "tags could be equal"},
		{[]codec.Encoder{gzip, {}}, 1, `coding "" is no token in lower case`, "each one is validated"},
	} {
		got := ""
		if _, err := codec.NewSet(tt.encoders, tt.idle); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("got error %q, want %q: %s", got, tt.want, tt.reason)
		}
	}
}

func TestSetKeepsItsOrder(t *testing.T) {
	encoders := []codec.Encoder{encoder(t, "zstd", 3), encoder(t, "gzip", 9)}
	s := set(t, 1, encoders...)
	encoders[0] = encoders[1] // the caller's slice is the caller's
	if got, want := s.Codings(), []string{"zstd", "gzip"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for coding, want := range map[string]string{"zstd": "-zst3.1", "gzip": "-gz9.1"} {
		if e, ok := s.Encoder(coding); !ok || e.TagSuffix() != want || s.TagSuffix(coding) != want {
			t.Errorf("%s: got %v, %s, %s, want %s", coding, ok, e.TagSuffix(), s.TagSuffix(coding), want)
		}
	}
	if got := s.TagSuffix("br"); got != "" {
		t.Errorf("there is a suffix for br: %s", got)
	}
	if _, ok := s.Encoder("br"); ok {
		t.Error("there is an encoder for br")
	}
	if _, err := s.Get("br", io.Discard); err == nil {
		t.Error("there is a writer for br")
	}
}

func TestEncoderThatCannotBeMade(t *testing.T) {
	var w codec.Writer
	var err error
	s := set(t, 1, codec.Encoder{Coding: "fake", Suffix: "fake", New: func() (codec.Writer, error) {
		if w == nil && err == nil {
			panic("new")
		}
		return w, err
	}})
	if got := recovered(func() { _, _ = s.Get("fake", io.Discard) }); got != "new" {
		t.Errorf("got panic %v", got)
	}
	err = errEncoder
	if _, got := s.Get("fake", io.Discard); !errors.Is(got, errEncoder) {
		t.Errorf("got %v", got)
	}
	w, err = new(fake), nil
	if got := lease(t, s, io.Discard).Close(); got != nil {
		t.Errorf("afterwards: %v", got)
	}
	s = set(t, 1, codec.Encoder{Coding: "fake", Suffix: "fake", New: func() (codec.Writer, error) { return nil, nil }})
	if _, got := s.Get("fake", io.Discard); got == nil {
		t.Error("no writer is no error")
	}
}

// open takes n leases and then closes them all.
func open(t *testing.T, s *codec.Set, n int) {
	t.Helper()
	var leases []*codec.Lease
	for range n {
		leases = append(leases, lease(t, s, io.Discard))
	}
	for _, l := range leases {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIdleWritersAreBounded(t *testing.T) {
	for _, idle := range []int{0, 1, 3} {
		made := 0
		s := set(t, idle, fakes(&made, nil))
		open(t, s, 8)
		if made != 8 {
			t.Errorf("%d writers for 8 leases", made)
		}
		made = 0
		open(t, s, 8)
		if kept := 8 - made; kept != idle {
			t.Errorf("%d of at most %d writers were kept", kept, idle)
		}
	}
}

// Many users at a time, some of whom give up: every body is one of its own, and the bound holds in the end.
func TestStress(t *testing.T) {
	const users, rounds, idle = 16, 60, 2
	s := set(t, idle, encoder(t, "zstd", 1), encoder(t, "gzip", 1))
	text := lines(50_000)
	var wg sync.WaitGroup
	for user := range users {
		random := rand.New(rand.NewPCG(8, uint64(user)))
		wg.Go(func() {
			for range rounds {
				coding, from := s.Codings()[random.IntN(2)], random.IntN(len(text))
				var out bytes.Buffer
				l, err := s.Get(coding, &out)
				if err != nil {
					t.Error(err)
					return
				}
				if random.IntN(4) == 0 {
					_, _ = l.Write(text[from:])
					l.Discard()
					continue
				}
				if err := writeAll(l, text[from:]); err != nil {
					t.Error(err)
				}
				if want := encode(t, fresh(t, encoder(t, coding, 1)), text[from:]); !bytes.Equal(out.Bytes(), want) {
					t.Errorf("%s: another body", coding)
				}
			}
		})
	}
	wg.Wait()
}

// Whatever order users come and go in, no more are kept than were agreed.
func TestIdleWritersAreBoundedUnderConcurrency(t *testing.T) {
	const users, idle = 32, 3
	var mu sync.Mutex
	made := 0
	s := set(t, idle, codec.Encoder{Coding: "fake", Suffix: "fake", New: func() (codec.Writer, error) {
		mu.Lock()
		defer mu.Unlock()
		made++
		return new(fake), nil
	}})
	var all, wg sync.WaitGroup // all have a writer before the first one returns
	all.Add(users)
	for range users {
		wg.Go(func() {
			l := lease(t, s, io.Discard)
			all.Done()
			all.Wait()
			_ = l.Close()
		})
	}
	wg.Wait()
	before := made
	open(t, s, users)
	if kept := users - (made - before); before != users || kept != idle {
		t.Errorf("%d writers for %d users, of whom %d were kept, want %d", before, users, kept, idle)
	}
}
