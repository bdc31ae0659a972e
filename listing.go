package servery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"servery/internal/accept"
	"servery/internal/byterange"
	"servery/internal/etag"
	"servery/internal/identity"
	"servery/internal/listing"
	"servery/internal/offload"
	"servery/internal/plan"
	"servery/internal/urlpath"
)

const (
	// mostListed is how many entries of a directory are read: about a second of
	// work where each is looked at, and ten to forty megabytes, by the length of the names.
	mostListed = 100_000
	// listingQueue is how many listings wait while others are made.
	listingQueue = 64
	// mostUnderWay is how many listings are held at a time until their clients have taken
	// them. Most are of some hundred kilobytes, and of two megabytes where names are long.
	mostUnderWay = 128
	// longestBase bounds the reference to the directory, which each row repeats. Only a path
	// of very many segments that are removed has a longer one.
	longestBase = 1 << 10
)

// newListings returns the slots for listings, of which there are as many as processors.
func newListings() *offload.Limiter { return offload.New(runtime.GOMAXPROCS(0), listingQueue) }

// list answers with what the directory holds, or returns an error and has written nothing.
// It closes the directory.
func (s *fileServer) list(w http.ResponseWriter, r *http.Request, target urlpath.Target, request plan.Request, directory *identity.Opened, out *Outcome) error {
	l := lister{fileServer: s, directory: directory}
	defer l.leave()
	body, isJSON, err := l.make(r, target.Name)
	switch {
	case errors.Is(err, offload.ErrSaturated):
		if out != nil {
			out.Err = err
		}
		s.answer(w, request.Head, answer{plan: plan.Failure(http.StatusServiceUnavailable)}, nil, out)
		return nil
	case err != nil:
		return err
	}

	facts := plan.Facts{Now: time.Now(), CacheControl: "no-cache", ContentType: "application/json"}
	if lines, ok := w.Header()["Cache-Control"]; ok {
		facts.CacheControl = strings.Join(lines, ", ")
	}
	if !isJSON {
		facts.ContentType = "text/html; charset=utf-8"
		facts.Extra = &plan.Extra{Policy: listing.Policy()}
	}
	sum := sha256.Sum256(body)
	facts.Size, facts.ETag = int64(len(body)), etag.Strong(hex.EncodeToString(sum[:16]))
	yield(w, &request)
	p := plan.Decide(request, facts)
	p.VaryAccept = true
	if out != nil {
		out.PlainSize = facts.Size
		if p.Status == http.StatusOK {
			out.Uncoded = UncodedListing
		}
	}
	s.answer(w, request.Head, answer{p, body}, nil, out)
	return nil
}

func prefersJSON(lines []string) bool {
	ofJSON, _ := accept.MediaType(lines, "application/json")
	ofHTML, _ := accept.MediaType(lines, "text/html")
	return ofJSON > ofHTML
}

// baseOf is the reference that leads from where the client stands to the directory: not
// the same place if it asked without the slash. If all of the path was a prefix, only what
// the client sent tells.
func baseOf(r *http.Request) string {
	if r.URL.Path == "" {
		if sent, err := url.ParseRequestURI(r.RequestURI); err == nil {
			return urlpath.WithSlash(sent.Path, "")
		}
	}
	return urlpath.WithSlash(r.URL.Path, "")
}

// lister collects what a directory holds, for one request.
type lister struct {
	*fileServer
	directory *identity.Opened
	order     listing.Order

	entries []listing.Entry // all, and only while the page is made
	entered bool            // whether there is room for the page until it is sent
}

// leave makes room when the page is sent.
func (l *lister) leave() {
	if l.entered {
		l.underWay.Leave()
	}
}

// make writes the page that is asked for, as JSON or as HTML. A client may take its time
// for it: nothing but the page is held meanwhile, neither the slot nor the directory nor
// the entries of other pages.
func (l *lister) make(r *http.Request, name string) (body content, isJSON bool, err error) {
	defer l.directory.Close()
	base := baseOf(r)
	if len(base) > longestBase {
		return nil, false, fs.ErrNotExist
	}
	slot, err := l.listings.Acquire(r.Context())
	if err != nil {
		return nil, false, err
	}
	defer slot.Release()
	if l.entered = l.underWay.Enter(); !l.entered {
		return nil, false, offload.ErrSaturated
	}
	query := r.URL.Query()
	l.order = listing.ParseOrder(query.Get("sort"), query.Get("order"), query.Get("page"))
	page, err := l.page(r.Context(), slot)
	if err != nil {
		return nil, false, err
	}
	page.Path, page.Base, l.entries = name, base, nil
	if prefersJSON(r.Header["Accept"]) {
		return listing.JSON(page), true, nil
	}
	return listing.HTML(page), false, nil
}

// page makes the page that the order asks for, under the slot.
func (l *lister) page(ctx context.Context, slot *offload.Slot) (listing.Page, error) {
	more, err := l.directory.Members(ctx, mostListed, func(batch []identity.Member) error {
		for i := range batch {
			if err := l.add(&batch[i]); err != nil {
				return err
			}
		}
		slot.GiveWayIfDue()
		return nil
	})
	if err != nil {
		return listing.Page{}, err
	}
	listing.Sort(l.entries, l.order)
	page := listing.Cut(l.entries, l.order)
	page.Truncated = more
	if page.Entries, err = l.complete(page.Entries); err != nil {
		return listing.Page{}, err
	}
	return page, ctx.Err()
}

// add takes up a member that can be asked for. By name, only those of a page are looked at.
func (l *lister) add(m *identity.Member) error {
	if !urlpath.Serves(m.Name, l.options.ShowHidden) {
		return nil
	}
	if l.order.By != listing.ByName {
		if there, err := l.directory.LookAt(m); !there {
			return err
		}
	}
	l.entries = append(l.entries, entryOf(m))
	return nil
}

func entryOf(m *identity.Member) listing.Entry {
	e := listing.Entry{Name: m.Name, Directory: m.Info.Mode.IsDir()}
	if !m.Looked {
		e.Size = unknown
		return e
	}
	if !e.Directory {
		e.Size = max(m.Info.Size, 0) // somebody else's file system may say anything
	}
	if m.Info.HasModTime {
		e.Modified = time.Unix(0, m.Info.ModTime).UTC()
	}
	return e
}

// unknown is the size of what was not looked at yet.
const unknown = -1

// complete looks at the entries of a page that were not looked at, and leaves out what is
// gone by now.
func (l *lister) complete(entries []listing.Entry) ([]listing.Entry, error) {
	kept := entries[:0]
	for _, e := range entries {
		if e.Size == unknown {
			m := identity.MemberNamed(e.Name, e.Directory)
			switch there, err := l.directory.LookAt(&m); {
			case err != nil:
				return nil, err
			case !there:
				continue
			}
			e = entryOf(&m)
		}
		kept = append(kept, e)
	}
	return kept, nil
}

// content is a body in memory.
type content []byte

func (c content) WriteRange(w io.Writer, r byterange.Range) error {
	_, err := w.Write(c[r.Start : r.Start+r.Length])
	return err
}
