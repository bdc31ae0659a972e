package servery

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/http"
	"runtime"
	"strings"
	"time"

	"servery/internal/codec"
	"servery/internal/deliver"
	"servery/internal/identity"
	"servery/internal/mediatype"
	"servery/internal/offload"
	"servery/internal/plan"
	"servery/internal/stream"
	"servery/internal/urlpath"
)

// FileServer returns a handler that serves the files of root: a [*Dir], which is
// the fastest and the safest, or any other file system. It answers GET, HEAD and
// OPTIONS for the request's URL.Path, which may be stripped of a prefix before.
//
// Validators, preconditions and ranges are those of RFC 9110, sections 8.8, 13
// and 14. Where the file system knows inodes and change times, a file up to
// ContentETagMax that was changed is never mistaken for what it was; a larger one,
// and any where it does not, must change its size or its modification time together
// with its content. Files that can neither seek nor read at an offset have no ranges.
//
// The handler may be used by any number of goroutines. It keeps no goroutine and
// no descriptor beyond its requests; root is the caller's to close. It logs nothing:
// 403 is the file's permissions, 404 for a file that is there a link that is
// absolute or leaves, a name with a dot, or no regular file, 503 a lack of
// descriptors, a Limiter or a limit of listings that is reached, a request whose
// context has ended, or a closed Dir, and 500 a failure to read. FileServer panics
// with the text of the error of [FileServerOptions.Validate], and if root is nil.
func FileServer(root fs.FS, opts *FileServerOptions) http.Handler {
	dir, isDir := root.(*Dir)
	if root == nil || isDir && dir == nil {
		panic("servery: FileServer: root is nil")
	}
	if err := opts.Validate(); err != nil {
		panic(err.Error())
	}
	o := opts.withDefaults()
	types, _ := mediatype.New(o.MediaTypes) // validated above
	s := &fileServer{
		options: o,
		root:    root,
		tree:    identity.Tree{FS: root},
		loader:  identity.NewLoader(o.SmallFileBuffer, o.HotBytes, time.Now),
		tags:    identity.NewTags(o.ContentETagMax),
		types:   types,

		listings: newListings(),
		underWay: offload.NewRoom(mostUnderWay),
	}
	s.encoders, _ = codecs(o.Encoders, runtime.GOMAXPROCS(0)) // validated above
	if o.ReprDigest {
		s.digests = identity.NewDigests()
	}
	s.namespace = o.Cache.namespaces.Add(1)
	if isDir {
		s.tree = identity.Tree{Dir: dir.anchor}
	}
	return s
}

// fileServer never changes once it is made; what it points to does its own locking.
type fileServer struct {
	options FileServerOptions // complete
	root    fs.FS             // the caller's, whose tree it is
	tree    identity.Tree
	loader  *identity.Loader
	tags    *identity.Tags
	digests *identity.Digests // nil where they are not on offer
	types   *mediatype.Table

	encoders  *codec.Set
	listings  *offload.Limiter
	underWay  *offload.Room // for listings that are held until they are sent
	namespace uint64        // the handler's in the cache, for files that have no inodes
}

func (s *fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.options.Observe == nil {
		s.serve(w, r, nil)
		return
	}
	var out Outcome
	defer func() { s.options.Observe(r, out) }() // of what breaks off, too
	s.serve(w, r, &out)
}

// serve answers the request and tells out about it, if that is not nil.
func (s *fileServer) serve(w http.ResponseWriter, r *http.Request, out *Outcome) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.serveFile(w, r, out)
	case http.MethodOptions:
		s.leave(w)
		s.answer(w, false, answer{plan: plan.Options()}, nil, out)
	default:
		s.fail(w, r, http.StatusMethodNotAllowed, false, out)
	}
}

// leave keeps a Compress around from what is this handler's own: what is sent plain here
// is meant to be, and sendfile's.
func (s *fileServer) leave(w http.ResponseWriter) {
	if s.negotiates() {
		stream.Leave(w)
	}
}

// answer delivers an answer, and cuts the connection if that fails.
func (s *fileServer) answer(w http.ResponseWriter, head bool, a answer, ready *deliver.Ready, out *Outcome) {
	err := errBrokeOff // until what follows has returned: somebody else's file may panic
	if out != nil {
		out.tell(a.plan)
		defer func() { out.Err = cmp.Or(err, out.Err) }()
	}
	if err = deliver.Answer(w, head, a.plan, a.content, ready); err != nil {
		panic(http.ErrAbortHandler)
	}
}

var errBrokeOff = errors.New("servery: the answer broke off")

// attempts is how often a file is opened that changes while it is looked at.
const attempts = 3

func (s *fileServer) serveFile(w http.ResponseWriter, r *http.Request, out *Outcome) {
	err := fs.ErrNotExist
	target, ok := urlpath.Parse(r.URL.Path, r.URL.EscapedPath())
	visible := ok && (s.options.ShowHidden || !urlpath.Hidden(target.Name))
	if visible {
		request := requestOf(r)
		if !s.negotiates() {
			yield(w, &request)
		}
		if s.digests != nil {
			request.WantReprDigest = r.Header["Want-Repr-Digest"]
		}
		for i := range attempts {
			err = s.attempt(w, r, target, &request, i > 0, out)
			if !errors.Is(err, identity.ErrChanged) {
				break
			}
		}
	}
	if err == nil {
		return
	}
	if out != nil {
		out.Err = err
	}
	s.fail(w, r, identity.StatusOf(err), visible && s.mayFallBack(target.Name), out)
}

// attempt answers the request, or returns an error and has written nothing.
func (s *fileServer) attempt(w http.ResponseWriter, r *http.Request, target urlpath.Target, request *plan.Request, again bool, out *Outcome) error {
	view, err := s.tree.View()
	if err != nil {
		return err
	}
	defer view.Release()

	if again && out != nil {
		*out = Outcome{}
	}
	need := identity.Whole // which is looked at most closely
	if !again {
		need = s.need(request, target.Name)
	}
	opened, location, err := s.find(view, r, target, need)
	standsIn := false
	if err != nil && s.options.Fallback != "" {
		opened, err = s.fallback(view, r, target.Name, request, err)
		standsIn = err == nil
	}
	if err != nil {
		return err
	}
	if location == "" && opened.IsDir() {
		return s.list(w, r, target, *request, opened, out) // which closes it
	}
	s.leave(w)
	if location != "" {
		s.answer(w, request.Head, answer{plan: plan.Redirect(location)}, nil, out)
		return nil
	}
	x := &exchange{fileServer: s, ctx: r.Context(), request: *request, outer: w.Header(), view: view, file: opened, out: out}
	defer x.close()
	x.download = s.options.Download && r.URL.RawQuery != "" && r.URL.Query().Has("download")
	a, err := x.decide()
	if err != nil {
		return err
	}
	a.plan.VaryAccept = standsIn
	s.answer(w, request.Head, a, &x.ready, out)
	return nil
}

// need tells what the file will be opened for. Nothing in the request or the name says
// otherwise where it is the whole.
func (s *fileServer) need(request *plan.Request, name string) identity.Need {
	switch {
	case request.Head:
		return identity.Facts
	case len(request.Range) > 0:
		return identity.Bytes
	case len(request.IfMatch)+len(request.IfNoneMatch)+len(request.IfModifiedSince)+len(request.IfUnmodifiedSince) > 0,
		len(request.AcceptEncoding) > 0 && s.mayBeCoded(name):
		return identity.Facts
	}
	return identity.Whole
}

// mayBeCoded reports whether the name does not rule a coding out.
func (s *fileServer) mayBeCoded(name string) bool {
	mediaType := s.types.ByName(name)
	return s.negotiates() && (mediaType == "" || s.options.Compressible(mediatype.Essence(mediaType)))
}

func requestOf(r *http.Request) plan.Request {
	request := plan.Request{
		Head:              r.Method == http.MethodHead,
		AcceptEncoding:    r.Header["Accept-Encoding"],
		IfMatch:           r.Header["If-Match"],
		IfUnmodifiedSince: r.Header["If-Unmodified-Since"],
		IfNoneMatch:       r.Header["If-None-Match"],
		IfModifiedSince:   r.Header["If-Modified-Since"],
		IfRange:           r.Header["If-Range"],
		Range:             r.Header["Range"],
	}
	if len(request.Range) == 1 && strings.Contains(request.Range[0], ",") {
		request.Boundary = rand.Text()
	}
	return request
}
