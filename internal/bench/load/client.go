package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Client is a program that puts load on a server and prints what it saw.
type Client struct {
	Name    string
	Command func(Request) ([]string, error)
	Parse   func(stdout []byte) (Result, error)
}

// Wrk is wrk, the program at the given path. It knows whole seconds only. Its
// scripts are written to the directory scratch.
func Wrk(path, scratch string) Client {
	return Client{Name: "wrk", Parse: ParseWrk, Command: func(r Request) ([]string, error) {
		seconds := int(r.Duration.Round(time.Second) / time.Second)
		// wrk counts a response that takes more than its timeout as an error;
		// two seconds, the default, is little for 64 bodies of 8 MiB at once.
		args := []string{
			path, "-t", "1", "-c", strconv.Itoa(r.Connections), "-d", strconv.Itoa(max(seconds, 1)) + "s",
			"--latency", "--timeout", "60s",
		}
		if r.Header != "" {
			args = append(args, "-H", r.Header)
		}
		if r.Files == 0 {
			return append(args, r.URL), nil
		}
		script := filepath.Join(scratch, "turns.lua")
		return append(args, "-s", script, r.URL), os.WriteFile(script, []byte(turns(r)), 0o644)
	}}
}

// turns returns the script with which wrk asks for one file after the other. It
// has one thread, so the count is of all connections together. The requests are
// made beforehand: to put one together costs as much as to send it.
func turns(r Request) string {
	path := r.URL[strings.Index(r.URL, "://")+3:]
	before, after, _ := strings.Cut(path[strings.Index(path, "/"):], "*")
	return fmt.Sprintf(`local requests, last = {}, 0
function init(args)
	for i = 1, %d do
		requests[i] = wrk.format("GET", %q .. (i - 1) .. %q)
	end
end
function request()
	last = last %% #requests + 1
	return requests[last]
end
`, r.Files, before, after)
}

// Own is the client of this package, built from cmd/load at the given path.
func Own(path string) Client {
	return Client{Name: "cmd/load", Parse: ParseOwn, Command: func(r Request) ([]string, error) {
		return []string{
			path, "-url", r.URL, "-files", strconv.Itoa(r.Files), "-header", r.Header,
			"-connections", strconv.Itoa(r.Connections), "-duration", r.Duration.String(),
			"-churn=" + strconv.FormatBool(r.Churn), "-behind", strconv.Itoa(r.Behind), "-large", r.LargeURL,
		}, nil
	}}
}
