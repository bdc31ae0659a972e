package soak

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A kind is one kind of request. One of weight 20 is made as often as ten of weight 2.
type kind struct {
	name   string
	weight int
	run    func(c *client, ctx context.Context) error
}

var kinds = []kind{
	{"hot", 20, func(c *client, ctx context.Context) error { return c.get(ctx, c.pick(c.files.hot), "") }},
	{"gzip", 10, func(c *client, ctx context.Context) error { return c.get(ctx, c.pick(c.files.hot), "gzip") }},
	{"zstd", 10, func(c *client, ctx context.Context) error { return c.get(ctx, c.pick(c.files.medium), "zstd") }},
	{"medium", 4, func(c *client, ctx context.Context) error { return c.get(ctx, c.pick(c.files.medium), "") }},
	{"cold", 8, func(c *client, ctx context.Context) error { return c.get(ctx, c.pick(c.files.cold), "") }},
	{"coldcoded", 8, func(c *client, ctx context.Context) error { return c.get(ctx, c.pick(c.files.cold), "gzip, zstd") }},
	{"large", 1, func(c *client, ctx context.Context) error {
		return c.get(ctx, c.pick(c.files.large), "gzip;q=0.5, zstd")
	}},
	{"range", 6, (*client).oneRange},
	{"suffix", 3, (*client).suffix},
	{"multi", 3, (*client).multipart},
	{"ifrange", 4, (*client).ifRange},
	{"304", 10, (*client).conditional},
	{"head", 4, (*client).head},
	{"hostile", 3, (*client).hostile},
	{"abort", 4, (*client).abort},
	{"json", 8, func(c *client, ctx context.Context) error { return c.json(ctx, 200+c.rand.Int64N(8<<10)) }},
	{"bigjson", 2, func(c *client, ctx context.Context) error { return c.json(ctx, 100<<10+c.rand.Int64N(900<<10)) }},
	{"events", 1, (*client).events},
	{"lines", 1, (*client).lines},
}

// next picks by weight.
func (c *client) next() int {
	all := 0
	for _, k := range kinds {
		all += k.weight
	}
	n := c.rand.IntN(all)
	for i, k := range kinds {
		if n -= k.weight; n < 0 {
			return i
		}
	}
	panic("unreachable")
}

func accepting(codings string) []string {
	if codings == "" {
		return nil
	}
	return []string{"Accept-Encoding: " + codings}
}

func (c *client) get(ctx context.Context, f *file, accept string) error {
	a, err := c.ask(ctx, f, http.MethodGet, accepting(accept)...)
	if err != nil {
		return err
	}
	_, err = c.whole(a, accept)
	return err
}

func (c *client) head(ctx context.Context) error {
	f, accept := c.pick(c.files.medium), ""
	if c.rand.IntN(2) == 0 {
		accept = "gzip"
	}
	a, err := c.ask(ctx, f, http.MethodHead, accepting(accept)...)
	if err != nil {
		return err
	}
	coding := a.Header.Get("Content-Encoding")
	if a.StatusCode != http.StatusOK || coding != accept || coding == "" && a.ContentLength != f.size || a.Header.Get("ETag") == "" {
		return fmt.Errorf("status %d with %v", a.StatusCode, a.Header)
	}
	return empty(a.Response)
}

// conditional asks again with the tag of an answer, which has to be good for it and for
// no other version.
func (c *client) conditional(ctx context.Context) error {
	f, accept := c.pick(slices.Concat(c.files.hot, c.files.medium)), []string{"", "gzip", "zstd"}[c.rand.IntN(3)]
	a, err := c.ask(ctx, f, http.MethodGet, accepting(accept)...)
	if err != nil {
		return err
	}
	version, err := c.whole(a, accept)
	if err != nil {
		return err
	}
	tag, settled := a.Header.Get("ETag"), f.isSettled()
	again, err := c.ask(ctx, f, http.MethodGet, append(accepting(accept), "If-None-Match: "+tag)...)
	if err != nil {
		return err
	}
	if again.StatusCode != http.StatusNotModified {
		// A file that was changed within the last moments may have to be read for its tag,
		// which is then not known before the condition is decided.
		if strong := !strings.HasPrefix(tag, "W/"); strong && settled && again.documents[0].version == version && len(again.documents) == 1 {
			return fmt.Errorf("status %d and %v with the tag %s of the only version", again.StatusCode, again.Header, tag)
		}
		_, err := c.whole(again, accept)
		return err
	}
	if err := has(again.documents, version); err != nil {
		return fmt.Errorf("304 for %s: %w", tag, err)
	}
	return empty(again.Response)
}

func has(documents []document, version int64) error {
	if version < documents[0].version || version > documents[len(documents)-1].version {
		return fmt.Errorf("of version %d, of which the time from %d to %d is past",
			version, documents[0].version, documents[len(documents)-1].version)
	}
	return nil
}

// hostile asks for what is absurd and gets the whole file.
func (c *client) hostile(ctx context.Context) error {
	f := c.pick(c.files.hot)
	field, accept := "", ""
	switch c.rand.IntN(5) {
	case 0:
		field = "Accept-Encoding: " + strings.Repeat("x-nothing;q=0.001, ", 10_000) + "gzip;q=0.5"
		accept = "gzip"
	case 1:
		field = "Range: bytes=0-0" + strings.Repeat(",2-3", 9_999)
	case 2:
		field = `If-None-Match: "` + strings.Repeat(`a", W/"`, 10_000)
	case 3:
		field = `If-None-Match: W/W/"x", ", ,,, 'x', "\"`
	case 4:
		field = "Range: bytes=" + strings.Repeat("9", 50_000) + "-1"
	}
	a, err := c.ask(ctx, f, http.MethodGet, field)
	if err != nil {
		return err
	}
	_, err = c.whole(a, accept)
	return err
}

// named puts the kind in front of an error that is one.
func (k kind) named(err error) error {
	if err == nil || errors.Is(err, errRefused) {
		return err
	}
	return fmt.Errorf("%s: %w", k.name, err)
}
