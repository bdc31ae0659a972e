package drive

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"servery/internal/bench/inputs"
)

// PeerInfo is what a report says about a server.
type PeerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Absent  string `json:"absent,omitempty"` // why it cannot run here; empty if it can

	Lacks []inputs.Protocol `json:"lacks,omitempty"` // what it was built without
}

// absence says why the peer cannot take part in what is asked for over the protocol;
// it is empty if it can.
func (p PeerInfo) absence(protocol inputs.Protocol) string {
	switch {
	case p.Absent != "":
		return "absent: " + p.Absent
	case slices.Contains(p.Lacks, protocol):
		return "absent: built without " + string(protocol)
	}
	return ""
}

// A peer is a server that the driver can start.
type peer struct {
	PeerInfo
	command func(site) ([]string, error)
	head    head // of a file as it is
	coded   head // of a coded one, for those that are asked for it
	small   head // of one that is asked for coded and is smaller than least
	least   int  // the size in bytes from which it encodes
}

// answer says what the server has to send for a file of that size if a coding is
// asked for.
func (p peer) answer(coding string, size int) expectation {
	if size < p.least {
		return expectation{accept: coding, head: p.small}
	}
	return expectation{accept: coding, coding: coding, head: p.coded}
}

// A site is what a server is told when it starts.
type site struct {
	dir     string // what to serve
	addr    string // where to listen
	over    inputs.Protocol
	shows   certificate // set if the protocol is encrypted
	scratch string      // for the server's own files
	procs   int
	level   int // of the coding that is made on request
	streams int // that servery's middleware encodes at once; 0 is its default
}

// catalog lists every peer, those that are not installed too: a table must not
// look complete when it is not. The Go servers are asked of the program that
// runs them, which knows what it was built with.
func catalog(ctx context.Context, serve string) ([]peer, error) {
	out, err := exec.CommandContext(ctx, serve, "-list").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the Go servers: %w", err)
	}
	var all []peer
	for line := range strings.Lines(string(out)) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all = append(all, goPeer(PeerInfo{Name: name, Version: version}, serve))
	}
	return append(all, external(ctx)...), nil
}

// goPeer returns the Go server of that name, which the program serve runs.
func goPeer(info PeerInfo, serve string) peer {
	p := peer{PeerInfo: info, head: leastHead, coded: leastCodedHead, small: leastHead, least: inputs.LeastCoded}
	switch info.Name {
	case inputs.Ceiling, "servery", "servery-0", "servery-hot", "servery-read", "servery-sendfile":
		p.head, p.coded = preparedHead, preparedCodedHead
	case "statigz":
		p.coded = declaredHead
	case "fasthttp-gzip":
		p.coded = invariableHead
	case "ceiling-compress", "servery-compress":
		p.coded, p.small = answerCodedHead, answerHead
	case "gzhttp-compress", "httpcompression":
		p.small = leastAnswerHead
	case "chi":
		p.least = 0
	}
	p.command = func(s site) ([]string, error) {
		return []string{
			serve, "-name", info.Name, "-dir", s.dir, "-addr", s.addr, "-scratch", s.scratch,
			"-level", strconv.Itoa(s.level), "-streams", strconv.Itoa(s.streams),
			"-cert", s.shows.certFile, "-key", s.shows.keyFile,
		}, nil
	}
	return p
}

// external lists the servers that are not Go programs of this module.
func external(ctx context.Context) []peer {
	nginxPath, nginxInfo := installed(ctx, "nginx", "-v")
	nginxInfo.Lacks = nginxLacks(ctx, nginxPath)
	caddyPath, caddyInfo := installed(ctx, "caddy", "version")
	named := func(info PeerInfo, name string) PeerInfo {
		info.Name = name
		return info
	}
	return []peer{
		{PeerInfo: nginxInfo, head: leastHead, command: nginxCommand(nginxPath, "")},
		{PeerInfo: named(nginxInfo, "nginx-ofc"), head: leastHead, command: nginxCommand(nginxPath, openFileCache)},
		{PeerInfo: named(nginxInfo, "nginx-gzip"), coded: leastCodedHead, command: nginxGzipCommand(nginxPath)},
		{PeerInfo: named(nginxInfo, "nginx-static"), coded: declaredHead, command: nginxStaticCommand(nginxPath)},
		{PeerInfo: caddyInfo, head: leastHead, command: caddyCommand(caddyPath, false)},
		{PeerInfo: named(caddyInfo, "caddy-gzip"), coded: leastCodedHead, command: caddyCommand(caddyPath, true)},
	}
}

// installed looks a program up and asks it for its version, which is the last
// word of what it prints.
func installed(ctx context.Context, name, versionArg string) (string, PeerInfo) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", PeerInfo{Name: name, Absent: "no " + name + " on PATH"}
	}
	output, err := exec.CommandContext(ctx, path, versionArg).CombinedOutput()
	words := strings.Fields(string(output))
	if err != nil || len(words) == 0 {
		return "", PeerInfo{Name: name, Absent: path + " does not tell its version"}
	}
	return path, PeerInfo{Name: name, Version: words[len(words)-1]}
}

// selectPeers keeps the peers that a comma-separated list names, in their own
// order, and all for an empty list.
func selectPeers(all []peer, list string) ([]peer, error) {
	if list == "" {
		return all, nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.ContainsFunc(all, func(p peer) bool { return p.Name == name }) {
			return nil, fmt.Errorf("no peer is called %s", strconv.Quote(name))
		}
	}
	var selected []peer
	for _, p := range all {
		if slices.Contains(names, p.Name) {
			selected = append(selected, p)
		}
	}
	return selected, nil
}

// presentOf keeps the peers that can be asked over the protocol.
func presentOf(peers []peer, protocol inputs.Protocol) []peer {
	var present []peer
	for _, p := range peers {
		if p.absence(protocol) == "" {
			present = append(present, p)
		}
	}
	return present
}
