package program_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"testing"

	"servery/examples/internal/program"
	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		want   error
		says   bool
		reason string
	}{
		{[]string{"-n", "2"}, nil, false, "as it is meant"},
		{[]string{"-h"}, flag.ErrHelp, true, "asked for"},
		{[]string{"-n", "two"}, program.ErrUsage, true, "no number"},
		{[]string{"-n", "2", "more"}, program.ErrUsage, true, "no flag"},
	} {
		var output bytes.Buffer
		flags := program.Flags(&output, "name", "about")
		flags.Int("n", 1, "a `number`")
		if err := program.Parse(flags, tt.args); !errors.Is(err, tt.want) || (output.Len() > 0) != tt.says {
			t.Errorf("Parse(%q) = %v, and says %q, want %v: %s", tt.args, err, output.String(), tt.want, tt.reason)
		}
	}
}

// An answer that has begun when the program is told to end is completed.
func TestServeCompletes(t *testing.T) {
	told, tell := context.WithCancel(t.Context())
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ending := make(chan struct{})
		r.Context().Value(http.ServerContextKey).(*http.Server).RegisterOnShutdown(func() { close(ending) })
		tell()
		select {
		case <-ending:
		case <-r.Context().Done():
		}
		io.WriteString(w, "complete")
	})
	p := testkit.Start(t, 2, func(_ context.Context, _ []string, output io.Writer) error {
		return program.Serve(told, output,
			program.Site{Name: "slow", Addr: "127.0.0.1:0", Handler: slow},
			program.Site{Name: "other", Addr: "127.0.0.1:0", Handler: slow})
	})
	client := &http.Client{Timeout: testkit.Patience}
	response, err := client.Get(p.URLs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "complete" {
		t.Errorf("%q, %v", body, err)
	}
}

// One that cannot listen lets none serve.
func TestServeRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	err = program.Serve(t.Context(), io.Discard,
		program.Site{Name: "free", Addr: "127.0.0.1:0", Handler: http.NotFoundHandler()},
		program.Site{Name: "taken", Addr: taken.Addr().String(), Handler: http.NotFoundHandler()})
	if err == nil {
		t.Error("Serve = nil, want an error")
	}
}
