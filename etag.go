package servery

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"servery/internal/etag"
	"servery/internal/identity"
)

// ETag is an entity-tag (RFC 9110, section 8.8.3). The zero ETag is the absence
// of one. ETags are comparable with ==, which tells weak from strong.
type ETag struct{ tag etag.Tag }

// ParseETag reads one entity-tag, `"x"` or `W/"x"`. It reads neither lists of them
// nor "*": set an ETag as the answer's and leave the preconditions to
// [net/http.ServeContent].
func ParseETag(s string) (ETag, error) {
	tag, ok := etag.Parse(s)
	if !ok {
		return ETag{}, fmt.Errorf("servery: %q is not an entity-tag", s)
	}
	return ETag{tag}, nil
}

// String returns the tag as it is sent, or "" where there is none.
func (t ETag) String() string { return string(t.tag) }

// IsWeak reports whether the tag is a weak validator.
func (t ETag) IsWeak() bool { return t.tag.IsWeak() }

// WeakMatch is the weak comparison, which If-None-Match uses: the tags are equal
// but for their weakness (RFC 9110, section 8.8.3.2).
func (t ETag) WeakMatch(other ETag) bool { return t.tag.WeakMatch(other.tag) }

// StrongMatch is the strong comparison, which If-Match and If-Range use: the tags
// are equal and neither is weak (RFC 9110, section 8.8.3.2).
func (t ETag) StrongMatch(other ETag) bool { return t.tag.StrongMatch(other.tag) }

// ForCoding returns the tag of the same file in a content coding such as "gzip",
// which is another representation and needs a tag of its own. The case of coding
// does not count (RFC 9110, section 8.4.1). "" and "identity" return t, and what
// could be no coding's name returns the zero ETag.
func (t ETag) ForCoding(coding string) ETag {
	coding = strings.ToLower(coding)
	if _, ok := etag.Parse(`"` + coding + `"`); !ok {
		return ETag{}
	}
	return ETag{t.tag.ForCoding(tagSuffix(coding))}
}

// tagSuffix distinguishes the tags of a coding whose level and maker nobody knows.
func tagSuffix(coding string) string {
	switch coding {
	case "", "identity":
		return ""
	case "gzip", "x-gzip":
		return "-gz"
	case "zstd":
		return "-zst"
	}
	return "-" + coding
}

// FileETag returns the tag that a [FileServer] with the default options sends for
// an opened file: of its content up to 1 MiB and where its modification time
// means nothing, else of its size and that time. Above 256 MiB a file is never
// read, and has a weak tag at best where that time means nothing. FileETag reads at
// offsets and leaves the file's own where it was.
//
// A file that was written within the last moments (20 ms, or 2 s where the file
// system keeps whole seconds) cannot be told from its next version by its times.
// Above 1 MiB its tag is weak meanwhile, and a FileServer sends a weak one too
// for what it does not hold in memory. The error is the file's, or says that it is
// not a regular file, changed meanwhile, or can neither seek nor read at an offset.
//
// Set it as the answer's ETag and call [net/http.ServeContent], which does the rest.
func FileETag(f fs.File) (ETag, error) {
	if f == nil {
		return ETag{}, errors.New("servery: FileETag: file is nil")
	}
	tag, err := identity.TagOf(f, defaultContentETagMax, time.Now())
	if err != nil {
		return ETag{}, fmt.Errorf("servery: FileETag: %w", err)
	}
	return ETag{tag}, nil
}
