package listing

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// style is all that the page has besides its text. It goes by the reader's colours, and a
// long name breaks where it must, so that a phone need not scroll sideways.
const style = `:root{color-scheme:light dark;--line:#d8dce2;--dim:#5b6470;--link:#0b57d0;--row:#f3f5f8}
@media(prefers-color-scheme:dark){:root{--line:#3a3f47;--dim:#a3abb6;--link:#8ab4f8;--row:#262a30}}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.25rem;font-weight:600;padding:0 .5rem;overflow-wrap:anywhere}
a{color:var(--link);text-decoration:none}
a:hover,a:focus{text-decoration:underline}
table{width:100%;border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:.4rem .5rem;border-bottom:1px solid var(--line)}
td:first-child{overflow-wrap:anywhere}
th:nth-child(2),td:nth-child(2){text-align:right;white-space:nowrap}
th:nth-child(3),td:nth-child(3){width:9.5rem}
td+td{color:var(--dim);font-variant-numeric:tabular-nums}
tbody tr:hover{background:var(--row)}
footer{color:var(--dim);padding:.75rem .5rem}
footer a{padding:.5rem .5rem .5rem 0}
@media(max-width:600px){body{padding:.25rem}th,td{padding:.5rem}td+td{font-size:.875rem;line-height:1.7}th:nth-child(3),td:nth-child(3){width:5.5rem;padding-left:.25rem}}
`

// Policy is the Content-Security-Policy of the page: nothing but its own style.
func Policy() string { return policyFor(style) }

func policyFor(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// HTML writes the page for people. It needs no script. The slice has no room to spare: it
// may be held for long.
func HTML(p Page) []byte {
	var b bytes.Buffer
	b.WriteString(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Index of ` + text(p.path()) + `</title>
<style>` + style + `</style>
</head>
<body>
<h1>Index of ` + crumbs(p) + `</h1>
<table>
<thead><tr>`)
	b.WriteString(p.column(ByName, "Name") + p.column(BySize, "Size") + p.column(ByModified, "Modified (UTC)") + "</tr></thead>\n<tbody>\n")
	for _, e := range p.Entries {
		writeRow(&b, p.Base, e)
	}
	b.WriteString("</tbody>\n</table>\n<footer>" + p.summary() + p.turn() + "</footer>\n</body>\n</html>\n")
	return bytes.Clone(b.Bytes())
}

// path is that of the directory with a slash at both ends.
func (p Page) path() string {
	if p.Path == "." {
		return "/"
	}
	return "/" + p.Path + "/"
}

// crumbs is the path, each of whose directories but the last is a link.
func crumbs(p Page) string {
	var elements []string
	if p.Path != "." {
		elements = strings.Split(p.Path, "/")
	}
	var b strings.Builder
	for i := range len(elements) + 1 {
		name := "/" // the root
		if i > 0 {
			name = text(elements[i-1])
		}
		if up := len(elements) - i; up > 0 {
			name = `<a href="` + p.Base + strings.Repeat("../", up) + `">` + "<bdi>" + name + "</bdi></a>"
		} else {
			name = "<bdi>" + name + "</bdi>"
		}
		if i > 1 {
			b.WriteString(" / ")
		} else if i == 1 {
			b.WriteString(" ")
		}
		b.WriteString(name)
	}
	return b.String()
}

// column is the head of a column, which sorts by it, and the other way round if that is
// how it is sorted.
func (p Page) column(by By, title string) string {
	o, sorted, mark := Order{By: by, Page: 1}, "", ""
	if p.Order.By == by {
		o.Descending = !p.Order.Descending
		sorted, mark = ` aria-sort="ascending"`, " \u2191"
		if p.Order.Descending {
			sorted, mark = ` aria-sort="descending"`, " \u2193"
		}
	}
	return `<th scope="col"` + sorted + `><a href="` + o.query() + `">` + title + mark + "</a></th>"
}

// query is the reference to the same directory in this order, in an attribute.
func (o Order) query() string {
	order := "asc"
	if o.Descending {
		order = "desc"
	}
	query := "?sort=" + string(o.By) + "&amp;order=" + order
	if o.Page > 1 {
		query += "&amp;page=" + strconv.Itoa(o.Page)
	}
	return query
}

func writeRow(b *bytes.Buffer, base string, e Entry) {
	slash, size, modified := "", "", ""
	if e.Directory {
		slash = "/"
	} else {
		size = `<span title="` + exactSize(e.Size) + `">` + humanSize(e.Size) + "</span>"
	}
	if !e.Modified.IsZero() {
		modified = `<time datetime="` + e.Modified.Format(time.RFC3339) + `">` + e.Modified.Format("2006-01-02 15:04") + "</time>"
	}
	fmt.Fprintf(b, "<tr><td><a href=\"%s\"><bdi>%s</bdi>%s</a></td><td>%s</td><td>%s</td></tr>\n",
		href(base, e), text(e.Name), slash, size, modified)
}

func (p Page) summary() string {
	s := strconv.Itoa(p.Total) + " entries"
	if p.Total == 1 {
		s = "1 entry"
	}
	if p.Truncated {
		s += ", and more that are not listed"
	}
	return "<p>" + s + "</p>"
}

// turn leads to the pages before and after.
func (p Page) turn() string {
	if p.Pages == 1 {
		return ""
	}
	s := "<p>Page " + strconv.Itoa(p.Order.Page) + " of " + strconv.Itoa(p.Pages) + "</p><p>"
	link := func(page int, rel, title string) string {
		o := p.Order
		o.Page = page
		return `<a rel="` + rel + `" href="` + o.query() + `">` + title + "</a> "
	}
	if p.Order.Page > 1 {
		s += link(p.Order.Page-1, "prev", "\u2190 Previous")
	}
	if p.Order.Page < p.Pages {
		s += link(p.Order.Page+1, "next", "Next \u2192")
	}
	return s + "</p>"
}
