package codec

import "strings"

// MagicSize is how many bytes [HasMagic] looks at.
const MagicSize = 4

// HasMagic reports whether a file that begins with prefix may be in that coding. A coding without a magic number, or
// an unknown one, may begin with anything, but is never empty.
func HasMagic(coding string, prefix []byte) bool {
	switch coding {
	case "gzip":
		// RFC 1952, section 2.3.1: the mark and the only method there is.
		return strings.HasPrefix(string(prefix), "\x1f\x8b\x08")
	case "zstd":
		return hasZstdMagic(prefix)
	}
	return len(prefix) > 0
}

// hasZstdMagic knows a frame of data, 0xFD2FB528, and a frame to skip, 0x184D2A50 to 0x184D2A5F, both in little
// endian (RFC 8878, sections 3.1.1 and 3.1.2). Parallel compressors put frames of the second kind first.
func hasZstdMagic(prefix []byte) bool {
	if len(prefix) < MagicSize {
		return false
	}
	if string(prefix[1:MagicSize]) == "\x2a\x4d\x18" {
		return prefix[0]&0xf0 == 0x50
	}
	return string(prefix[:MagicSize]) == "\x28\xb5\x2f\xfd"
}
