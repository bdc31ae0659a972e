//go:build linux

package servery_test

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"servery"
	"servery/internal/testkit"
)

// oracle is FileServer and http.FileServer over the same tree, each behind one
// connection that is kept: an answer with wrong framing spoils the next one.
type oracle struct {
	tb               *lentTB
	ours, theirs     *testkit.Server
	toOurs, toTheirs *testkit.Conn
}

// lentTB is the TB of whichever test runs at the moment.
type lentTB struct {
	testing.TB
	cleanups []func()
}

func (l *lentTB) Cleanup(f func()) { l.cleanups = append(l.cleanups, f) }

func newOracle(tb testing.TB) *oracle {
	lent := &lentTB{TB: tb}
	tb.Cleanup(func() {
		lent.TB = tb
		for _, f := range slices.Backward(lent.cleanups) {
			f()
		}
	})
	dir := oracleTree(tb)
	o := &oracle{tb: lent}
	// net/http's has no codings to compare with.
	o.ours = testkit.Serve(lent, servery.FileServer(openDir(tb, dir), &servery.FileServerOptions{Encoders: []servery.Encoder{}}))
	o.theirs = testkit.Serve(lent, http.FileServer(http.Dir(dir)))
	o.toOurs, o.toTheirs = o.ours.Dial(), o.theirs.Dial()
	return o
}

// ask sends the question to our server, and one more after it.
func (o *oracle) ask(q question) testkit.Response {
	answer := o.toOurs.Do(q.method, q.target, q.lines()...)
	if next := o.toOurs.Do("OPTIONS", "/"); next.Status != http.StatusNoContent {
		o.tb.Fatalf("%v\nthe next answer on the connection is broken:\n%s", q, next.Head)
	}
	return answer
}

// askTheirs sends the question to net/http, whose answers need not please Lint.
func (o *oracle) askTheirs(q question) testkit.Response {
	o.toTheirs.Send(q.method, q.target, q.lines()...)
	return o.toTheirs.Read(q.method)
}

// explain compares the answers of both servers by the rules. It returns what no
// rule explains.
func (o *oracle) explain(q question, rules []difference) (aspects []string, ours, theirs testkit.Response) {
	ours, theirs = o.ask(q), o.askTheirs(q)
	aspects = compare(q, ours, theirs)
	for _, rule := range rules {
		switch {
		case len(aspects) == 0:
			return nil, ours, theirs
		case !rule.applies(q, ours, theirs):
		case rule.instead != nil:
			q = rule.instead(q)
			theirs = o.askTheirs(q)
			aspects = compare(q, ours, theirs)
		default:
			aspects = slices.DeleteFunc(aspects, func(aspect string) bool {
				return rule.covers == nil || slices.Contains(rule.covers, aspect)
			})
		}
	}
	return aspects, ours, theirs
}

// compare returns what is different: "status", "body", or the name of a field.
func compare(q question, ours, theirs testkit.Response) []string {
	var aspects []string
	if ours.Status != theirs.Status {
		aspects = append(aspects, "status")
	}
	if !bytes.Equal(ours.Body, theirs.Body) || ours.Err != nil || theirs.Err != nil {
		aspects = append(aspects, "body")
	}
	for _, name := range []string{"Content-Type", "Content-Length", "Content-Range", "Last-Modified", "Accept-Ranges"} {
		if !slices.Equal(ours.Header[name], theirs.Header[name]) {
			aspects = append(aspects, name)
		}
	}
	if follow(q, ours) != follow(q, theirs) {
		aspects = append(aspects, "Location")
	}
	return aspects
}

// place is where a redirect leads, decoded. The zero place is here.
type place struct{ host, path, query string }

func follow(q question, r testkit.Response) place {
	location := r.Header.Get("Location")
	if location == "" {
		return place{}
	}
	reference, err := url.Parse(location)
	if err != nil {
		return place{host: "nowhere"}
	}
	base := q.url()
	to := (&url.URL{Host: "test", Path: base.Path, RawPath: base.RawPath}).ResolveReference(reference)
	query, err := url.PathUnescape(to.RawQuery)
	if err != nil {
		query = to.RawQuery
	}
	return place{to.Host, to.Path, query}
}

// leadsToTheOtherForm reports whether our Location is the same name on this host,
// with a slash for one without, or without for one with.
func leadsToTheOtherForm(q question, ours testkit.Response) bool {
	to := follow(q, ours)
	return to.host == "test" && path.Clean(to.path) == "/"+q.name() &&
		strings.HasSuffix(to.path, "/") != strings.HasSuffix(q.path(), "/")
}

// parts reads a multipart body; each part is its Content-Range, type and bytes.
func parts(r testkit.Response) [][3]string {
	mediaType, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "multipart/byteranges" {
		return nil
	}
	var list [][3]string
	for reader := multipart.NewReader(bytes.NewReader(r.Body), params["boundary"]); ; {
		part, err := reader.NextRawPart()
		if err != nil {
			return list
		}
		body, err := io.ReadAll(part)
		if err != nil {
			return nil
		}
		list = append(list, [3]string{part.Header.Get("Content-Range"), part.Header.Get("Content-Type"), string(body)})
	}
}

// grammar makes a request of choices, where each byte chooses from a list.
func grammar(choices []byte) string {
	choose := func(list []string) string {
		if len(choices) == 0 {
			return list[0]
		}
		chosen := list[int(choices[0])%len(list)]
		choices = choices[1:]
		return chosen
	}
	text := choose(oracleMethods) + " " + choose(oracleTargets)
	for len(choices) > 0 {
		text += "\n" + oracleField(choose)
	}
	return text
}

// FuzzOracle asks both servers the same: text, and the lines that choices add to
// it, or what choices alone ask where there is no text.
func FuzzOracle(f *testing.F) {
	for _, example := range oracleExamples {
		f.Add(example.text, []byte(nil))
	}
	for _, text := range oracleSame {
		f.Add(text, []byte(nil))
	}
	for i := range 64 {
		f.Add("", []byte{byte(i), byte(i), byte(i), byte(i * 7), byte(i * 5), byte(i * 3)})
	}
	o := newOracle(f)
	f.Fuzz(func(t *testing.T, text string, choices []byte) {
		o.tb.TB = t
		if len(choices) > 40 {
			return
		}
		if made := grammar(choices); text == "" {
			text = made
		} else if _, lines, ok := strings.Cut(made, "\n"); ok {
			text += "\n" + lines
		}
		q, ok := questionOf(text)
		if !ok {
			return
		}
		if aspects, ours, theirs := o.explain(q, differences()); len(aspects) > 0 {
			t.Errorf("%v\n\n%q differ:\n%s\n%s", q, aspects, ours.Head, theirs.Head)
		}
	})
}

// TestOracleRulesAreNeeded shows of each rule a request that no other rule
// explains.
func TestOracleRulesAreNeeded(t *testing.T) {
	o := newOracle(t)
	shown := map[string]bool{}
	for _, example := range oracleExamples {
		q, ok := questionOf(example.text)
		if !ok {
			t.Fatalf("%q is no question", example.text)
		}
		if aspects, ours, theirs := o.explain(q, differences()); len(aspects) > 0 {
			t.Errorf("%s: %v\n%q differ:\n%s\n%s", example.rule, q, aspects, ours.Head, theirs.Head)
		}
		rest := slices.DeleteFunc(differences(), func(d difference) bool { return d.name == example.rule })
		if aspects, _, _ := o.explain(q, rest); len(aspects) == 0 {
			t.Errorf("%s: not needed for\n%v", example.rule, q)
			continue
		}
		shown[example.rule] = true
	}
	for _, d := range differences() {
		if !shown[d.name] || d.reason == "" {
			t.Errorf("rule %q: no example shows that it is needed, or no reason", d.name)
		}
	}
}

func TestOracleAgreement(t *testing.T) {
	o := newOracle(t)
	for _, text := range oracleSame {
		q, ok := questionOf(text)
		if !ok {
			t.Fatalf("%q is no question", text)
		}
		if aspects, ours, theirs := o.explain(q, nil); len(aspects) > 0 {
			t.Errorf("%v\n%q differ:\n%s\n%s", q, aspects, ours.Head, theirs.Head)
		}
	}
}
