package accept_test

import (
	"slices"
	"strings"
	"testing"

	"servery/internal/accept"
)

// All lines are one list, and the names are those of content codings (RFC 9110, sections
// 5.3, 8.4.1 and 12.5.3).
func TestOrder(t *testing.T) {
	// What the server offers in all rows but the last ones, its favourite first.
	server := []string{"zstd", "br", "gzip"}
	for _, tt := range []struct {
		lines   []string
		offered []string
		want    string
		reason  string
	}{
		{nil, server, "identity", "no field: nobody asked for a coding"},
		{[]string{""}, server, "identity", "an empty field wants identity"},
		{[]string{" ,\t, ", ","}, server, "identity", "empty members only are an empty field"},
		{[]string{"gzip"}, server, "gzip identity", "identity needs no mention"},
		{[]string{"gzip, br, zstd"}, server, "zstd br gzip identity", "equal weights go by the server's order"},
		{[]string{"gzip", "zstd"}, server, "zstd gzip identity", "several lines are one list"},
		{[]string{"GZip, ZSTD"}, server, "zstd gzip identity", "names are compared without case"},
		{[]string{"zstd;Q=0.4, gzip;Q=0.5"}, server, "gzip zstd identity", "so is q"},
		{[]string{"\tgzip\t;\tq=0.5\t,\tzstd ; q=0.4 "}, server, "gzip zstd identity", "blanks are optional"},
		{[]string{",,gzip,,"}, server, "gzip identity", "empty members are skipped"},
		{[]string{";q=1,gzip"}, server, "gzip identity", "a weight without a name names nothing"},
		{[]string{"x-gzip"}, server, "gzip identity", "the old name of gzip"},
		{[]string{"X-GZIP;q=0, gzip"}, server, "identity", "two names, one coding: the first mention wins"},
		{[]string{"x-zstd, x-br"}, server, "identity", "no other coding has an old name"},
		{[]string{"gzip;q=0.5, br;q=0.9, zstd;q=0.7"}, server, "br zstd gzip identity", "the highest weight first"},
		{[]string{"zstd;q=0.001, br;q=0.01, gzip;q=0.1"}, server, "gzip br zstd identity", "decimals by their place"},
		{[]string{"zstd;q=0.999, gzip;q=1.000"}, server, "gzip zstd identity", "three decimals count"},
		{[]string{"gzip;q=0.50, zstd;q=0.5"}, server, "zstd gzip identity", "trailing zeros do not"},
		{[]string{"gzip;q=0"}, server, "identity", "a refusal is not a wish"},
		{[]string{"gzip;q=1.5, br"}, server, "br identity", "malformed is not acceptable"},
		{[]string{"gzip;level=9, br"}, server, "br identity", "no parameter but the weight"},
		{[]string{"gzip;q=x;q=1, br"}, server, "br identity", "nothing follows the weight"},
		{[]string{"gzip;q=0, gzip"}, server, "identity", "the first mention wins"},
		{[]string{"gzip;q=1", "gzip;q=0"}, server, "gzip identity", "in another line as well"},
		{[]string{"gzip;q=x, gzip"}, server, "identity", "even if it is malformed"},
		{[]string{"xgzip, gzipx, g, br2"}, server, "identity", "never a substring match"},
		{[]string{"gzip br"}, server, "identity", "a blank does not separate"},
		{[]string{"z\u017ftd"}, server, "identity", "the long s is no s"},
		{[]string{"deflate, compress"}, server, "identity", "not on offer"},
		{[]string{"*"}, server, "zstd br gzip identity", "the wildcard speaks for all that is not named"},
		{[]string{"*;q=0.5, gzip"}, server, "gzip zstd br identity", "what is named goes by its own weight"},
		{[]string{"gzip;q=0.3, *"}, server, "zstd br gzip identity", "in any order"},
		{[]string{"gzip;q=0, *"}, server, "zstd br identity", "a refusal stands against it"},
		{[]string{"*;q=0.5, *;q=0"}, server, "zstd br gzip identity", "the first wildcard wins"},
		{[]string{"*;q=0, *"}, server, "", "the first wildcard wins for identity too"},
		{[]string{"*;q=0"}, server, "", "nothing is acceptable"},
		{[]string{"*;q=x"}, server, "", "a malformed wildcard refuses"},
		{[]string{"gzip, *;q=0"}, server, "gzip", "identity is refused with the others"},
		{[]string{"identity, *;q=0"}, server, "identity", "unless it is named"},
		{[]string{"identity;q=0"}, server, "", "refused, and no coding asked for"},
		{[]string{"identity;q=0, gzip"}, server, "gzip", "a coding or nothing"},
		{[]string{"identity;q=0, *"}, server, "zstd br gzip", "any coding or nothing"},
		{[]string{"identity, gzip;q=0.5"}, server, "identity gzip", "named, it goes by its weight"},
		{[]string{"identity;q=0.5, gzip, br;q=0.2"}, server, "gzip identity br", "also between two codings"},
		{[]string{"identity;q=0.5, gzip;q=0.5"}, server, "gzip identity", "after codings of equal weight"},
		{[]string{"identity, gzip"}, server, "gzip identity", "of weight one as well"},
		{[]string{"gzip;q=0.001"}, server, "gzip identity", "not named, it comes after the smallest weight"},
		{[]string{"*, gzip;q=0.5"}, server, "zstd br gzip identity", "the wildcard does not prefer it"},
		{[]string{"identity;q=0.7, *;q=0.5"}, server, "identity zstd br gzip", "nor hold it back"},
		{[]string{"gzip, deflate, br, zstd"}, server, "zstd br gzip identity", "what browsers send"},
		{[]string{"gzip, zstd"}, []string{"gzip", "zstd"}, "gzip zstd identity", "another server, another order"},
		{[]string{"gzip"}, nil, "identity", "nothing on offer"},
		{[]string{"gzip, identity;q=0"}, nil, "", "nothing on offer and identity refused"},
		{[]string{"*"}, strings.Fields("a b c d e f g h i j"), "a b c d e f g h i j identity", "more than usual"},
	} {
		got := accept.Order(nil, tt.lines, tt.offered)
		if !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("Order(%q, %q) = %q, want %q: %s", tt.lines, tt.offered, got, tt.want, tt.reason)
		}
	}
}

func TestOrderAppends(t *testing.T) {
	got := accept.Order([]string{"first"}, []string{"gzip"}, []string{"gzip"})
	if want := []string{"first", "gzip", "identity"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The time is linear and the memory flat, whatever is sent: what allocates nothing on a megabyte holds nothing of it.
func TestOrderAllocatesNothing(t *testing.T) {
	const megabyte = 1 << 20
	offered := []string{"zstd", "br", "gzip"}
	for name, line := range map[string]string{
		"usual":     "gzip, deflate, br;q=0.9, zstd",
		"members":   strings.Repeat("gzip;q=0.5,", megabyte/11),
		"unknown":   strings.Repeat("x,", megabyte/2),
		"commas":    strings.Repeat(",", megabyte),
		"blanks":    strings.Repeat(" ", megabyte) + "gzip",
		"semicolon": "gzip" + strings.Repeat(";", megabyte),
		"name":      strings.Repeat("g", megabyte),
		"decimals":  "gzip;q=0." + strings.Repeat("0", megabyte),
	} {
		lines, dst := []string{line}, make([]string, 0, 4)
		allocated := testing.AllocsPerRun(2, func() {
			accept.Order(dst, lines, offered)
			accept.IdentityAcceptable(lines)
		})
		if allocated != 0 {
			t.Errorf("%s: %v allocations, want none", name, allocated)
		}
	}
}

func BenchmarkOrder(b *testing.B) {
	offered, dst := []string{"zstd", "br", "gzip"}, make([]string, 0, 4)
	for name, line := range map[string]string{
		"usual":   "gzip, deflate, br, zstd",
		"64KiB":   strings.Repeat("gzip;q=0.5,", 64<<10/11),
		"1024KiB": strings.Repeat("gzip;q=0.5,", 1024<<10/11),
	} {
		lines := []string{line}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				accept.Order(dst, lines, offered)
			}
		})
	}
}
