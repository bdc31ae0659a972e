package testkit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Linter compares all answers of one server. An answer by itself can look right and
// still contradict another one: what an entity-tag names has one coding, one sequence
// of bytes and one set of fields. The zero value is ready; many may use it at once.
type Linter struct {
	mu       sync.Mutex
	facts    map[string]fact
	versions map[string]*version
	held     int // bytes of all versions
}

// fact is what was seen first, and which answer showed it.
type fact struct{ value, source string }

// version is the plain content that a strong tag stands for.
type version struct {
	sum   [sha256.Size]byte
	size  int64
	plain []byte // nil where it is too much to hold
}

const (
	maxHeld  = 32 << 20 // plain bytes, to compare ranges with
	maxFacts = 1 << 16  // then a Linter forgets: fuzzing has no end
)

// exchange is one answer on its way through a Linter.
type exchange struct {
	*Linter
	findings
	target, tag, source string

	// Of a whole body that has all come and is not known yet.
	whole bool
	sum   [sha256.Size]byte // as it was sent
	plain []byte
	err   error // of undoing the coding
}

// Check returns what contradicts the answers that came before. Of an answer without
// an entity-tag nothing can be said, nor of that to a change: its tag is that of what
// has become of the resource (RFC 9110, section 8.8).
func (l *Linter) Check(method, target string, fields []string, r Response) []string {
	x := exchange{Linter: l, target: target, tag: r.Header.Get("Etag")}
	x.findings = findings{Response: r, method: method, fields: fields}
	x.source = fmt.Sprintf("%s %q: %d", method, fields, r.Status)
	if reads := method == http.MethodGet || method == http.MethodHead; !reads || x.tag == "" || r.Status >= 400 {
		return nil
	}
	x.decode() // takes time, in which others may check
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.facts == nil || len(l.facts) > maxFacts {
		l.facts, l.versions, l.held = make(map[string]fact), make(map[string]*version), 0
	}
	x.vary()
	if isStrong(x.tag) {
		x.fields304()
		x.representation()
		x.bytes()
	}
	return x.faults
}

func (x *exchange) decode() {
	if x.Status != http.StatusOK || x.method != http.MethodGet || x.Err != nil || !isStrong(x.tag) {
		return
	}
	x.sum = sha256.Sum256(x.Body)
	x.mu.Lock()
	first := x.facts["the body of "+x.target+" "+x.tag]
	x.mu.Unlock()
	if x.whole = first.value != fmt.Sprintf("%x", x.sum); x.whole { // or else it has been looked at
		x.plain, x.err = Plain(x.Header.Get("Content-Encoding"), x.Body)
	}
}

func isStrong(tag string) bool { return strings.HasPrefix(tag, `"`) }

// Forget forgets all answers: from here on the tags stand for something else.
func (l *Linter) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.facts, l.versions, l.held = nil, nil, 0
}

// same demands that what is called name, of what key names, never changes.
func (x *exchange) same(name, key, value string) {
	key = name + " of " + x.target + " " + key
	first, seen := x.facts[key]
	if !seen {
		x.facts[key] = fact{value, x.source}
		return
	}
	x.rule(first.value == value, fmt.Sprintf("%s is %q here, and was %q in the answer to %s", key, value, first.value, first.source))
}

var codingSuffix = regexp.MustCompile(`-(gz|zst|br)[0-9.]*"$`)

// plainTag is the tag of the plain form.
func plainTag(tag string) string {
	return codingSuffix.ReplaceAllString(strings.TrimPrefix(tag, "W/"), `"`)
}

// vary: a field that chooses among representations is named by all answers or by none
// (RFC 9110, section 12.5.5), whatever this request got.
func (x *exchange) vary() {
	list := members(x.Header["Vary"])
	slices.Sort(list)
	x.same("Vary", plainTag(x.tag), strings.Join(list, ", "))
}

// fields304: a 304 says of caching what the 200 says (RFC 9110, section 15.4.5), and so
// do HEAD and 206.
func (x *exchange) fields304() {
	x.same("Cache-Control", x.tag, strings.Join(x.Header["Cache-Control"], ", "))
}

// representation: one strong tag is one form of one type (RFC 9110, section 8.8.3.3).
func (x *exchange) representation() {
	switch x.Status {
	case http.StatusOK:
		x.same("Content-Encoding", x.tag, x.Header.Get("Content-Encoding"))
		if x.has("Content-Length") {
			x.same("Content-Length", x.tag, x.Header.Get("Content-Length"))
		}
		x.same("Content-Type", x.tag, x.Header.Get("Content-Type"))
	case http.StatusPartialContent:
		x.same("Content-Encoding", x.tag, "")
		parts, _ := x.parts()
		for _, p := range parts {
			x.same("Content-Length", x.tag, fmt.Sprint(p.size))
			x.same("Content-Type", x.tag, p.kind)
		}
	}
}

// bytes: one strong tag is one sequence of bytes (RFC 9110, section 8.8.1), of which
// ranges are parts, and which a coding does not change.
func (x *exchange) bytes() {
	switch {
	case x.whole:
		x.wholeBody()
	case x.Status == http.StatusPartialContent && x.Err == nil:
		known := x.versions[x.target+" "+x.tag]
		parts, _ := x.parts()
		for _, p := range parts {
			if known != nil && known.plain != nil && p.last < known.size {
				x.rule(bytes.Equal(p.data, known.plain[p.first:p.last+1]), "206: not the bytes of the 200 with this tag")
			}
		}
	}
}

func (x *exchange) wholeBody() {
	x.same("the body", x.tag, fmt.Sprintf("%x", x.sum))
	if x.err == errNoDecoder {
		return
	}
	x.rule(x.err == nil, fmt.Sprintf("the body is not what its Content-Encoding says: %v", x.err))
	if x.err != nil {
		return
	}
	v := &version{sum: sha256.Sum256(x.plain), size: int64(len(x.plain))}
	x.content()
	key := x.target + " " + plainTag(x.tag)
	if known := x.versions[key]; known != nil {
		x.rule(known.sum == v.sum, "decoded, these are not the bytes that the tag stands for without the coding")
		return
	}
	if x.held+len(x.plain) <= maxHeld {
		x.held += len(x.plain)
		v.plain = x.plain
	}
	x.versions[key] = v
}

// madeOfContent is a tag with 128 bits of SHA-256, those of the plain bytes unless it
// is a sidecar's, which has a coding and no level.
var madeOfContent = regexp.MustCompile(`^"([0-9a-f]{32})(-(gz|zst|br)([0-9.]*))?"$`)

func (x *exchange) content() {
	m, plain := madeOfContent.FindStringSubmatch(x.tag), x.plain
	if m == nil {
		return
	}
	if m[3] != "" && m[4] == "" {
		plain = x.Body
	}
	sum := sha256.Sum256(plain)
	x.rule(m[1] == fmt.Sprintf("%x", sum[:16]), "the tag is not made of these bytes")
}

// unzstd returns the decoder of all, which starts no goroutine and may be shared.
var unzstd = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(8<<20)) // RFC 9659
	if err != nil {
		panic(err)
	}
	return d
})

var errNoDecoder = fmt.Errorf("no decoder for this coding")

// Plain undoes a coding to its end. br is one that it does not know.
func Plain(coding string, body []byte) ([]byte, error) {
	switch coding {
	case "", "identity":
		return body, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case "zstd":
		return unzstd().DecodeAll(body, nil)
	}
	return nil, errNoDecoder
}
