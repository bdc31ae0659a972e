// Package codec makes content codings (RFC 9110, section 8.4.1): the encoders that are built in, the shape of others,
// and pools that keep a bounded number of idle ones.
//
// An [Encoder] describes one coding at one level, a [Set] is an ordered choice of them, a [Lease] is one encoder at
// work. What an encoder writes depends on its input and on where Flush is called, not on how the input is split into
// Writes, nor on what the writer encoded before. So a body that is encoded twice is the same body, and its tag may be
// strong.
package codec

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Writer is one encoder at work.
//
// It holds nothing but memory, so that it can be dropped at any moment without a Close. It keeps no reference to what
// was passed to Write. It is used by one goroutine at a time and writes only while one of its methods runs.
type Writer interface {
	io.Writer

	// Flush writes everything so far in a form that can be decoded, without ending the stream.
	Flush() error

	// Close writes what is left and the end of the stream, and does not close the destination.
	Close() error

	// Reset makes the Writer as new, writing to w. It is called before the first Write as well.
	Reset(w io.Writer)
}

// Encoder makes writers of one content coding at one level. It is a value: Coding, Level and Generation together
// stand for the bytes that a given input becomes.
type Encoder struct {
	// Coding is the registered name, in lower case: "gzip", "zstd", "br".
	Coding string

	// Suffix is the short form for entity-tags, in lower-case letters: "gz", "zst", "br".
	Suffix string

	// Level is passed on to nobody. It is the level that New was made for, and distinguishes its output.
	Level int

	// Generation, not negative, changes whenever the same input gives other bytes than before, for instance with a
	// new release of the compressor: a cached copy must not pass for what is made now (RFC 9110, section 8.8.3).
	Generation int

	// New makes a Writer that need not have a destination yet. It is called concurrently.
	New func() (Writer, error)
}

// Validate reports what is missing or cannot be.
func (e Encoder) Validate() error {
	switch {
	case e.Coding == "" || strings.Trim(e.Coding, codingCharacters) != "":
		return fmt.Errorf("coding %q is no token in lower case", e.Coding)
	case e.Coding == "identity":
		return errors.New("identity is the absence of a coding")
	case e.Suffix == "" || strings.Trim(e.Suffix, letters) != "":
		return fmt.Errorf("coding %s: suffix %q is not of lower-case letters", e.Coding, e.Suffix)
	case e.Generation < 0:
		return fmt.Errorf("coding %s: generation %d is negative", e.Coding, e.Generation)
	case e.New == nil:
		return fmt.Errorf("coding %s: no function New", e.Coding)
	}
	return nil
}

// Names of codings are tokens (RFC 9110, section 5.6.2), compared without case. The asterisk is a token as well, but
// stands for all codings in Accept-Encoding, and the few other marks serve nobody.
const (
	letters          = "abcdefghijklmnopqrstuvwxyz"
	codingCharacters = letters + "0123456789-._"
)

// TagSuffix is what distinguishes the entity-tags of this encoder's output: "-gz6.1" is suffix, level and generation,
// "-br-1.0" has the level -1. The suffix ends before the first character that is no letter, so no two encoders share
// one, and no form without a level, "-gz", is taken. All of it is etagc (RFC 9110, section 8.8.3). It allocates.
func (e Encoder) TagSuffix() string {
	return "-" + e.Suffix + strconv.Itoa(e.Level) + "." + strconv.Itoa(e.Generation)
}
