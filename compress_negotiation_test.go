package servery_test

import (
	"strings"
	"testing"

	"servery"
)

// The coding is what the client prefers among what there is (RFC 9110, section 12.5.3).
func TestCompressNegotiation(t *testing.T) {
	text := realText(t, 5000)
	s := serveTwins(t, nil, says(200, text, textType, `ETag: "v1"`))
	for _, tt := range []struct {
		fields []string
		coding string // "" for the handler's own answer
		reason string
	}{
		{nil, "", "no field"},
		{[]string{"Accept-Encoding:"}, "", "an empty field"},
		{[]string{"Accept-Encoding: gzip"}, "gzip", "the one that is named"},
		{[]string{"Accept-Encoding: zstd"}, "zstd", "the one that is named"},
		{[]string{"Accept-Encoding: GZip"}, "gzip", "names in any case"},
		{[]string{"Accept-Encoding: x-gzip"}, "gzip", "the old name"},
		{[]string{"Accept-Encoding: X-GZIP;Q=0.5"}, "gzip", "the old name in any case"},
		{[]string{"Accept-Encoding: gzip, zstd"}, "zstd", "the server's order among equals"},
		{[]string{"Accept-Encoding: gzip", "Accept-Encoding: zstd"}, "zstd", "several lines are one list"},
		{[]string{"Accept-Encoding: br", "Accept-Encoding: gzip;q=0.1"}, "gzip", "several lines are one list"},
		{[]string{"Accept-Encoding: gzip;q=1, zstd;q=0.9"}, "gzip", "the client's order before the server's"},
		{[]string{"Accept-Encoding: gzip;q=0.8, zstd;Q=0.80"}, "zstd", "equal weights"},
		{[]string{"Accept-Encoding: gzip ; q=0.7 ,\tzstd\t;\tq=0.6"}, "gzip", "optional blanks"},
		{[]string{"Accept-Encoding: , ,gzip,,"}, "gzip", "empty members"},
		{[]string{"Accept-Encoding: *"}, "zstd", "the wildcard"},
		{[]string{"Accept-Encoding: *, zstd;q=0"}, "gzip", "the wildcard, but not for what is named"},
		{[]string{"Accept-Encoding: *;q=0.5, gzip"}, "gzip", "named with a higher weight"},
		{[]string{"Accept-Encoding: gzip;q=0"}, "", "refused"},
		{[]string{"Accept-Encoding: gzip;q=0.000, zstd;q=0."}, "", "refused in other words"},
		{[]string{"Accept-Encoding: gzip;q=2"}, "", "a malformed weight"},
		{[]string{"Accept-Encoding: gzip;q=x"}, "", "a malformed weight"},
		{[]string{"Accept-Encoding: gzip;q=0.5555"}, "", "a malformed weight"},
		{[]string{"Accept-Encoding: zstd;q=-1, gzip;q=0.1"}, "gzip", "a malformed weight of the other"},
		{[]string{"Accept-Encoding: xgzip, gzipx, gz, not-zstd"}, "", "never a substring"},
		{[]string{"Accept-Encoding: br, deflate, compress"}, "", "none that is on offer"},
		{[]string{"Accept-Encoding: identity"}, "", "identity"},
		{[]string{"Accept-Encoding: identity, gzip;q=0.5"}, "", "identity preferred"},
		{[]string{"Accept-Encoding: identity;q=0.5, gzip"}, "gzip", "a coding preferred"},
		{[]string{"Accept-Encoding: identity;q=0.5, gzip;q=0.5"}, "gzip", "a coding among equals"},
		{[]string{"Accept-Encoding: identity;q=0"}, "", "nothing is acceptable: the handler's answer"},
		{[]string{"Accept-Encoding: *;q=0"}, "", "nothing is acceptable: the handler's answer"},
		{[]string{"Accept-Encoding: br, identity;q=0"}, "", "nothing on offer is acceptable: the handler's answer"},
		{[]string{"Accept-Encoding: *;q=0, gzip"}, "gzip", "all others refused"},
	} {
		bare, got := s.ask(t, "GET", tt.fields...)
		reason := strings.Join(tt.fields, "|") + ", " + tt.reason
		if tt.coding == "" {
			wantSame(t, bare, got, true, reason)
		} else {
			wantCodedLike(t, bare, got, tt.coding, reason)
		}
	}
}

// The encoders of the options are what is on offer, in their order.
func TestCompressOffersItsEncoders(t *testing.T) {
	text := realText(t, 5000)
	gzipFirst := &servery.CompressOptions{Encoders: []servery.Encoder{servery.Gzip(6), servery.Zstd(3)}}
	onlyGzip := &servery.CompressOptions{Encoders: []servery.Encoder{servery.Gzip(6)}}
	for _, tt := range []struct {
		opts           *servery.CompressOptions
		accept, coding string
	}{
		{gzipFirst, "zstd, gzip", "gzip"},
		{gzipFirst, "zstd, gzip;q=0.9", "zstd"},
		{gzipFirst, "*", "gzip"},
		{onlyGzip, "zstd, gzip;q=0.1", "gzip"},
		{onlyGzip, "zstd", ""},
	} {
		s := serveTwins(t, tt.opts, says(200, text, textType))
		bare, got := s.ask(t, "GET", "Accept-Encoding: "+tt.accept)
		if tt.coding == "" {
			wantSame(t, bare, got, true, tt.accept)
		} else {
			wantCodedLike(t, bare, got, tt.coding, tt.accept)
		}
	}
}

// Vary is where the coding could have differed, and only there. See RFC 9110, section
// 12.5.5.
func TestCompressVary(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct {
		fields []string
		status int
		body   string
		vary   bool
		reason string
	}{
		{[]string{textType}, 200, text, true, "coded for others"},
		{[]string{textType}, 404, text, true, "an error is coded for others as well"},
		{nil, 200, text, true, "so is what looks like text"},
		{[]string{textType, "Content-Length: 5000"}, 200, text, true, "a declared length"},
		{[]string{"Content-Type: image/png"}, 200, text, false, "a type that is never coded"},
		{nil, 200, "\x89PNG\r\n\x1a\n" + text, false, "what looks like such a type"},
		{[]string{textType}, 200, text[:1023], false, "too small"},
		{[]string{textType, "Content-Length: 1023"}, 200, text[:1023], false, "declared as too small"},
		{[]string{textType}, 200, "", false, "empty"},
		{[]string{"Content-Type: text/event-stream"}, 200, text, false, "events"},
		{[]string{textType, "Cache-Control: no-transform"}, 200, text, false, "not to be transformed"},
		{[]string{textType, "Content-Encoding: br"}, 200, text, false, "coded already"},
	} {
		s := serveTwins(t, nil, says(tt.status, tt.body, tt.fields...))
		for _, accept := range []string{"Accept: */*", "Accept-Encoding: br", "Accept-Encoding: identity, gzip;q=0.1"} {
			bare, got := s.ask(t, "GET", accept)
			wantSame(t, bare, got, tt.vary, tt.reason+", "+accept)
			// An empty answer to HEAD may be that of a handler that knows that none is wanted.
			if head := fetch(t, s.inside, "HEAD", "/", accept); tt.body != "" && head.Header.Get("Vary") != got.Header.Get("Vary") {
				t.Errorf("%s: HEAD with Vary %q, want GET's %q", tt.reason, head.Header["Vary"], got.Header["Vary"])
			}
		}
	}
}

func TestCompressMergesVary(t *testing.T) {
	text := realText(t, 5000)
	for _, tt := range []struct {
		handlers []string
		want     string
		reason   string
	}{
		{nil, "Accept-Encoding", "there was none"},
		{[]string{"Origin"}, "Origin, Accept-Encoding", "added"},
		{[]string{"Origin", "Cookie"}, "Origin, Cookie, Accept-Encoding", "added to several lines"},
		{[]string{"Origin", "ACCEPT-encoding"}, "Origin, ACCEPT-encoding", "there already"},
		{[]string{"Origin , accept-encoding , Cookie"}, "Origin , accept-encoding , Cookie", "there already, in the middle"},
		{[]string{"*"}, "*", "all there could be"},
		{[]string{"Origin, *"}, "Origin, *", "all there could be, in a list"},
		{[]string{"X-Accept-Encoding"}, "X-Accept-Encoding, Accept-Encoding", "another field"},
		{[]string{"Accept-Encoding-Own"}, "Accept-Encoding-Own, Accept-Encoding", "another field"},
	} {
		var fields []string
		for _, line := range tt.handlers {
			fields = append(fields, "Vary: "+line)
		}
		s := serveTwins(t, nil, says(200, text, append(fields, textType)...))
		for _, accept := range []string{acceptGzip, acceptZstd, "Accept-Encoding: br"} {
			got := fetch(t, s.inside, "GET", "/", accept)
			if vary := strings.Join(got.Header["Vary"], ", "); vary != tt.want {
				t.Errorf("%s: Vary %q became %q, want %q: %s", accept, tt.handlers, vary, tt.want, tt.reason)
			}
		}
	}
}
