package servery_test

import "strconv"

// scriptChoice is made once in a script. The first word is the one that a text leaves
// out.
type scriptChoice struct {
	name  string
	words []string
}

// scriptChoices are about the request and the server. "&" separates lines of a field,
// and "if" the Range from the If-Range.
var scriptChoices = [...]scriptChoice{
	{"method", []string{"GET", "HEAD", "POST"}},
	{"version", []string{"HTTP/1.1", "HTTP/1.0", "HTTP/1.0 keep-alive", "HTTP/2"}},
	{"accept", []string{
		"gzip", "zstd", "gzip, deflate, br, zstd", "absent", "", "identity", "*", "GZIP;Q=1.0", "x-gzip", "notgzip", "gzip;q=0",
		"gzip;q=0.5, zstd;q=0.4", "identity;q=1, gzip;q=0.5", "identity;q=0", "*;q=0", "gzip;q=1.x", "br & gzip",
	}},
	{"condition", []string{
		"none",
		`If-None-Match: "v1"`, `If-None-Match: "v1-gz1.1"`, `If-None-Match: "v1-zst1.1"`, `If-None-Match: W/"v1-gz1.1"`,
		`If-None-Match: "v1-gz6.1"`, `If-None-Match: "a,b-gz1.1", "v1-zst1.1" , "v1-gz1.1"`, `If-None-Match: "a" & "v1-gz1.1"`,
		`If-None-Match: "v1-gz1.1-gz1.1"`, `If-None-Match: *`,
		`If-Match: "v1"`, `If-Match: "v1-gz1.1"`, `If-Match: "v1-zst1.1"`, `If-Match: W/"v1-gz1.1"`, `If-Match: "a" & "v1-gz1.1"`,
	}},
	{"range", []string{
		"none", "bytes=0-99", "bytes=5-", "bytes=999999-", `bytes=0-99 if "v1"`, `bytes=0-99 if "v1-gz1.1"`, `bytes=0-99 if "v1-zst1.1"`,
		`bytes=0-99 if W/"v1"`, "bytes=0-99 if Fri, 01 Mar 2024 12:00:00 GMT",
	}},
	{"field", []string{"none", "TE: trailers", "Upgrade: websocket", "Connection: close"}},
	{"body", []string{"none", "600", "3000"}},
	{"options", []string{
		"zstd and gzip", "gzip", "zstd", "from 1", "from 64", "from 4096", "from 20000", "every type", "no type", "offload", "no streams",
		"fails in New", "fails in Write", "fails in Flush", "fails in Close", "no encoders", "twice",
	}},
	{"outer", []string{"none", "recovers", "naked", "unwraps"}},
}

// scriptAct is a step that a handler can make, with up to two words.
type scriptAct struct {
	name          string
	first, second []string
	writes        bool // as many plain bytes as the second word says
	do            func(r *scriptRun, first, second int)
}

// scriptActs begin with those that end the handler. What is to happen more often
// stands there twice.
var scriptActs = []scriptAct{
	{name: "panic", first: scriptPanics, do: (*scriptRun).doPanic},
	{name: "return", do: func(*scriptRun, int, int) {}},
	{name: "write", first: scriptKinds, second: sizeWords(), writes: true, do: (*scriptRun).doWrite},
	{name: "write", first: scriptKinds, second: sizeWords(), writes: true, do: (*scriptRun).doWrite},
	{name: "write", first: scriptKinds, second: sizeWords(), writes: true, do: (*scriptRun).doWrite},
	{name: "string", first: scriptKinds, second: sizeWords(), writes: true, do: (*scriptRun).doWriteString},
	{name: "copy", first: scriptReaders, second: sizeWords(), writes: true, do: (*scriptRun).doCopy},
	{name: "copy", first: scriptReaders, second: sizeWords(), writes: true, do: (*scriptRun).doCopy},
	{name: "serve", first: scriptKinds, second: sizeWords(), writes: true, do: (*scriptRun).doServe},
	{name: "set", first: scriptFields, do: (*scriptRun).doSet},
	{name: "set", first: scriptFields, do: (*scriptRun).doSet},
	{name: "set", first: scriptFields, do: (*scriptRun).doSet},
	{name: "set", first: scriptFields, do: (*scriptRun).doSet},
	{name: "add", first: scriptFields, do: (*scriptRun).doAdd},
	{name: "delete", first: scriptNames, do: (*scriptRun).doDelete},
	{name: "nil", first: scriptNames, do: (*scriptRun).doNil},
	{name: "status", first: scriptStatuses, do: (*scriptRun).doStatus},
	{name: "status", first: scriptStatuses, do: (*scriptRun).doStatus},
	{name: "error", first: scriptErrors, do: (*scriptRun).doError},
	{name: "flush", first: scriptFlushes, do: (*scriptRun).doFlush},
	{name: "flush", first: scriptFlushes, do: (*scriptRun).doFlush},
	{name: "control", first: scriptControls, do: (*scriptRun).doControl},
	{name: "read", first: scriptReads, do: (*scriptRun).doRead},
	{name: "hijack", do: (*scriptRun).doHijack},
}

var (
	scriptPanics   = []string{"abort", "text", "error"}
	scriptKinds    = []string{"text", "html", "random", "png"}
	scriptReaders  = []string{"bytes", "plain", "short", "lazy", "last-with-end", "file", "half-then-error", "half-with-error", "half-then-panic"}
	scriptErrors   = []string{"404", "500"}
	scriptFlushes  = []string{"await", "Flusher", "controller"}
	scriptControls = []string{"read-deadline", "write-deadline", "full-duplex"}
	scriptReads    = []string{"100", "all", "close"}
	scriptStatuses = []string{
		"200", "201", "204", "205", "206", "301", "304", "404", "412", "416", "500", "503",
		"100", "102", "103", "199", "101", "99", "1000", "0",
	}
	scriptNames = []string{
		"Content-Type", "Content-Length", "Content-Encoding", "Cache-Control", "Vary", "ETag", "Trailer", "X-Own", "X-Sum",
	}
)

// scriptFields are what the handler sets and adds. The tag is the one that the words of
// "condition" know, and {total} what the steps mean to write.
var scriptFields = []string{
	"Content-Type: text/html; charset=utf-8", "Content-Type: application/json", "Content-Type: TEXT/Plain ;a=b", "Content-Type: image/svg+xml",
	"Content-Type: image/png", "Content-Type: application/octet-stream", "Content-Type: text/event-stream", "Content-Type: Application/GRPC+proto",
	"Content-Type: ", "Content-Type: nonsense",
	"Content-Length: {total}", "Content-Length: {total+1}", "Content-Length: {total-1}", "Content-Length: 0", "Content-Length: 10",
	"Content-Length: 2000", "Content-Length: -5", "Content-Length: abc",
	"Content-Encoding: identity", "Content-Encoding: Identity", "Content-Encoding: ", "Content-Encoding: br", "Content-Encoding: gzip",
	"Cache-Control: no-transform", "Cache-Control: max-age=60 ,No-Transform", "Cache-Control: not-no-transform, no-transformer",
	"Vary: Accept-Encoding", "Vary: Origin", "Vary: *", "Vary: origin, accept-encoding", "Vary: X-Accept-Encoding",
	`ETag: "v1"`, `ETag: W/"v1"`, `ETag: v1`, `ETag: "v1-gz1.1"`,
	"Last-Modified: Fri, 01 Mar 2024 12:00:00 GMT", "Accept-Ranges: bytes", "Content-Range: bytes 0-9/100",
	"Transfer-Encoding: identity", "Transfer-Encoding: chunked",
	"Content-Digest: sha-256=:AAAA:", "Repr-Digest: sha-256=:AAAA:", "Digest: sha-256=AAAA", "Content-MD5: AAAA",
	"Trailer: X-Sum", "Trailer: X-Sum, X-More", "X-Sum: 1", "X-More: 2", "Trailer:X-Late: 3",
	"Connection: close", "Link: </a.css>; rel=preload", "X-Own: value", "Set-Cookie: a=1",
}

// scriptSizes lie around the limits of Compress and of net/http's buffers, most of all.
var scriptSizes = []int{
	0, 1, 2, 10, 63, 64, 100, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 6000,
	10_000, 16_383, 16_384, 16_385, 20_000, 32_768, 65_536, 100_000,
}

func sizeWords() (words []string) {
	for _, size := range scriptSizes {
		words = append(words, strconv.Itoa(size))
	}
	return words
}
