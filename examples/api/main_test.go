package main

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"servery/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// do sends a request that accepts a coding, if it is not "", and returns the answer with
// what it decodes to as the bytes arrive. Both are closed with the test.
func do(t *testing.T, method, url, body, coding string) (*http.Response, io.Reader) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if coding != "" {
		request.Header.Set("Accept-Encoding", coding)
	}
	transport := &http.Transport{DisableCompression: true}
	client := &http.Client{Transport: transport, Timeout: 2 * testkit.Patience}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		response.Body.Close()
		transport.CloseIdleConnections()
	})
	plain, err := response.Body.(io.Reader), error(nil)
	switch got := response.Header.Get("Content-Encoding"); got {
	case "gzip":
		plain, err = gzip.NewReader(response.Body)
	case "zstd":
		plain, err = zstd.NewReader(response.Body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	}
	if err != nil {
		t.Fatal(err)
	}
	return response, plain
}

func TestNotes(t *testing.T) {
	url := testkit.Start(t, 1, run, "-addr", "127.0.0.1:0").URLs[0] + "/notes"
	want := []note{}
	for _, tt := range []struct{ text, coding, reason string }{
		{"", "", "there are none, and the list is small"},
		{strings.Repeat("long ", 1000), "zstd", "it is worth a coding"},
	} {
		if tt.text != "" {
			want = append(want, note{len(want) + 1, tt.text})
			if response, _ := do(t, "POST", url, tt.text, ""); response.StatusCode != http.StatusCreated {
				t.Errorf("POST: status %d", response.StatusCode)
			}
		}
		response, plain := do(t, "GET", url, "", "zstd, gzip")
		var got []note
		if err := json.NewDecoder(plain).Decode(&got); err != nil || got == nil || len(got) != len(want) {
			t.Errorf("GET: %v, error %v, want %d notes", got, err, len(want))
		}
		if coding := response.Header.Get("Content-Encoding"); coding != tt.coding {
			t.Errorf("GET: coding %q, want %q: %s", coding, tt.coding, tt.reason)
		}
	}
	if response, _ := do(t, "POST", url, strings.Repeat("x", 16<<10+1), ""); response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("POST of too much: status %d", response.StatusCode)
	}
}

// Events arrive one by one, and the program ends though somebody still listens.
func TestEvents(t *testing.T) {
	p := testkit.Start(t, 1, run, "-addr", "127.0.0.1:0")
	url := p.URLs[0]
	response, plain := do(t, "GET", url+"/notes/events", "", "gzip, zstd")
	if got := response.Header; got.Get("Content-Encoding") != "" || got.Get("Content-Type") != "text/event-stream" {
		t.Errorf("header %v, want that of plain events", got)
	}
	lines := bufio.NewReader(plain)
	for i := range 4 {
		id := strconv.Itoa(i + 1)
		do(t, "POST", url+"/notes", "note "+id, "") // only when the one before has arrived
		want := "id: " + id + "\ndata: {\"id\":" + id + ",\"text\":\"note " + id + "\"}\n\n"
		got := make([]byte, len(want))
		if _, err := io.ReadFull(lines, got); err != nil || string(got) != want {
			t.Fatalf("event %q, error %v, want %q", got, err, want)
		}
	}
	p.End()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("at the end %q, error %v, want nothing more", rest, err)
	}
}

// Rows arrive while the export is still going on, and a client decodes them as they do.
func TestExport(t *testing.T) {
	for _, coding := range []string{"gzip", "zstd"} {
		arrived := make(chan struct{})
		source := func(yield func([]string, error) bool) {
			for row := range readings(flushEvery) {
				yield(row, nil)
			}
			<-arrived
			yield([]string{"last"}, nil)
		}
		server := testkit.Serve(t, api(newNotes(nil), source))
		response, plain := do(t, "GET", "http://"+server.Addr+"/export", "", coding)
		rows := csv.NewReader(plain)
		rows.FieldsPerRecord = -1
		for want := range readings(flushEvery) {
			if got, err := rows.Read(); err != nil || strings.Join(got, "|") != strings.Join(want, "|") {
				t.Fatalf("%s: row %q, error %v, want %q", coding, got, err, want)
			}
		}
		close(arrived)
		if got, err := rows.Read(); err != nil || got[0] != "last" {
			t.Errorf("%s: row %q, error %v, want the last one", coding, got, err)
		}
		if _, err := rows.Read(); err != io.EOF || response.Header.Get("Content-Encoding") != coding {
			t.Errorf("%s: %v after the last row, header %v", coding, err, response.Header)
		}
	}
}

// An export that fails in the middle is not taken for whole, in any coding.
func TestExportFails(t *testing.T) {
	var source iter.Seq2[[]string, error] = func(yield func([]string, error) bool) {
		for row := range readings(3 * flushEvery / 2) {
			yield(row, nil)
		}
		yield(nil, errors.New("the database has gone"))
	}
	server := testkit.Serve(t, api(newNotes(nil), source))
	for _, coding := range []string{"", "gzip", "zstd"} {
		_, plain := do(t, "GET", "http://"+server.Addr+"/export", "", coding)
		if read, err := io.ReadAll(plain); err == nil || len(read) == 0 {
			t.Errorf("%q: %d bytes, error %v, want an error after some", coding, len(read), err)
		}
	}
}

func TestRunExport(t *testing.T) {
	const rows = 20_000
	url := testkit.Start(t, 1, run, "-addr", "127.0.0.1:0", "-rows", strconv.Itoa(rows)).URLs[0]
	_, plain := do(t, "GET", url+"/export", "", "gzip")
	if got, err := csv.NewReader(plain).ReadAll(); err != nil || len(got) != rows {
		t.Errorf("%d rows, error %v, want %d", len(got), err, rows)
	}
}
