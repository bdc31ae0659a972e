package codec_test

import (
	"testing"

	"servery/internal/codec"
)

func TestValidate(t *testing.T) {
	none := func() (codec.Writer, error) { return nil, nil }
	for _, tt := range []struct {
		encoder codec.Encoder
		want    string
		reason  string
	}{
		{codec.Encoder{Coding: "br", Suffix: "br", New: none}, "", "level and generation may be zero"},
		{codec.Encoder{Coding: "x-br.2_a", Suffix: "br", Level: -5, Generation: 3, New: none}, "", "a token, a negative level"},
		{codec.Encoder{Suffix: "br", New: none}, `coding "" is no token in lower case`, "no name"},
		{codec.Encoder{Coding: "BR", Suffix: "br", New: none}, `coding "BR" is no token in lower case`, "upper case"},
		{codec.Encoder{Coding: "b r", Suffix: "br", New: none}, `coding "b r" is no token in lower case`, "a blank inside"},
		{codec.Encoder{Coding: "br\r\n", Suffix: "br", New: none}, `coding "br\r\n" is no token in lower case`, "a line end"},
		{codec.Encoder{Coding: "*", Suffix: "all", New: none}, `coding "*" is no token in lower case`, "stands for every coding"},
		{codec.Encoder{Coding: "identity", Suffix: "id", New: none}, "identity is the absence of a coding", "no coding"},
		{codec.Encoder{Coding: "br", New: none}, `coding br: suffix "" is not of lower-case letters`, "tags would be equal"},
		{codec.Encoder{Coding: "br", Suffix: `b"`, New: none}, `coding br: suffix "b\"" is not of lower-case letters`, "no etagc"},
		{codec.Encoder{Coding: "br", Suffix: "b1", New: none}, `coding br: suffix "b1" is not of lower-case letters`,
			"b1 at level 1 would be b at level 11"},
		{codec.Encoder{Coding: "br", Suffix: "br", Generation: -1, New: none}, "coding br: generation -1 is negative", "counts up"},
		{codec.Encoder{Coding: "br", Suffix: "br"}, "coding br: no function New", "nothing to encode with"},
	} {
		got := ""
		if err := tt.encoder.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v: got error %q, want %q: %s", tt.encoder, got, tt.want, tt.reason)
		}
	}
}

func TestTagSuffix(t *testing.T) {
	for _, tt := range []struct {
		encoder codec.Encoder
		want    string
		reason  string
	}{
		{codec.Encoder{Suffix: "gz", Level: 6, Generation: 1}, "-gz6.1", "suffix, level, generation"},
		{codec.Encoder{Suffix: "gz"}, "-gz0.0", "zeros are written"},
		{codec.Encoder{Suffix: "gz", Level: 1, Generation: 12}, "-gz1.12", "not the same"},
		{codec.Encoder{Suffix: "gz", Level: 11, Generation: 2}, "-gz11.2", "as this"},
		{codec.Encoder{Suffix: "zst", Level: -7, Generation: 1}, "-zst-7.1", "a negative level keeps its sign"},
	} {
		if got := tt.encoder.TagSuffix(); got != tt.want {
			t.Errorf("%+v: got %s, want %s: %s", tt.encoder, got, tt.want, tt.reason)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		make   func(int) (codec.Encoder, error)
		level  int
		want   string
		reason string
	}{
		{codec.Gzip, 0, "", "storing is no compression"},
		{codec.Gzip, 1, "-gz1.1", "the fastest"},
		{codec.Gzip, codec.DefaultGzipLevel, "-gz6.1", "the default"},
		{codec.Gzip, 9, "-gz9.1", "the smallest"},
		{codec.Gzip, 10, "", "beyond it"},
		{codec.Gzip, -1, "", "no level that means another one"},
		{codec.Gzip, -3, "", "no output that depends on the writes"},
		{codec.Zstd, 0, "", "no level that means another one"},
		{codec.Zstd, 1, "-zst1.1", "the fastest"},
		{codec.Zstd, codec.DefaultZstdLevel, "-zst3.1", "the default"},
		{codec.Zstd, 22, "-zst22.1", "the smallest"},
		{codec.Zstd, 23, "", "beyond it"},
		{codec.Zstd, -1, "", "there is nothing faster"},
	} {
		e, err := tt.make(tt.level)
		if got := err == nil; got != (tt.want != "") {
			t.Errorf("level %d: error %v: %s", tt.level, err, tt.reason)
			continue
		}
		if err != nil {
			continue
		}
		if got := e.TagSuffix(); got != tt.want || e.Validate() != nil {
			t.Errorf("level %d: got %s, want %s: %s: %v", tt.level, got, tt.want, tt.reason, e.Validate())
		}
	}
}

func TestHasMagic(t *testing.T) {
	for _, tt := range []struct {
		coding, prefix string
		want           bool
		reason         string
	}{
		{"gzip", "\x1f\x8b\x08\x00", true, "a gzip file"},
		{"gzip", "\x1f\x8b\x08", true, "as short as the mark"},
		{"gzip", "\x1f\x8b", false, "too short"},
		{"gzip", "\x1f\x8b\x07\x00", false, "no such method"},
		{"gzip", "<htm", false, "the plain file under the wrong name"},
		{"gzip", "", false, "empty"},
		{"zstd", "\x28\xb5\x2f\xfd", true, "a frame"},
		{"zstd", "\x50\x2a\x4d\x18", true, "a frame to skip"},
		{"zstd", "\x5f\x2a\x4d\x18", true, "the last of them"},
		{"zstd", "\x60\x2a\x4d\x18", false, "one beyond"},
		{"zstd", "\x4f\x2a\x4d\x18", false, "one before"},
		{"zstd", "\xfd\x2f\xb5\x28", false, "in the other endian"},
		{"zstd", "\x28\xb5\x2f", false, "too short"},
		{"zstd", "\x1f\x8b\x08\x00", false, "another coding"},
		{"zstd", "", false, "empty"},
		{"br", "<htm", true, "brotli has no mark"},
		{"br", "", false, "but no empty stream"},
		{"lzma", "x", true, "nothing is known of it"},
	} {
		if got := codec.HasMagic(tt.coding, []byte(tt.prefix)); got != tt.want {
			t.Errorf("HasMagic(%s, %x) = %v, want %v: %s", tt.coding, tt.prefix, got, tt.want, tt.reason)
		}
	}
}
