// Package listing orders what a directory holds, cuts it into pages, and writes them as
// HTML and JSON. It knows names and numbers, and no files.
package listing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// PerPage is how many entries a page has.
const PerPage = 1000

// Entry is a file or a directory.
type Entry struct {
	Name      string // one element, any bytes
	Directory bool
	Size      int64     // in bytes; of no directory
	Modified  time.Time // UTC, zero where it is not known
}

// By is what entries are sorted by.
type By string

const (
	ByName     By = "name"
	BySize     By = "size"
	ByModified By = "modified"
)

// Order says which entries are asked for.
type Order struct {
	By         By
	Descending bool
	Page       int // from 1
}

// ParseOrder reads the values of a query. What makes no sense is as if it were not there.
func ParseOrder(sort, order, page string) Order {
	o := Order{By: ByName, Descending: order == "desc", Page: 1}
	if by := By(sort); by == BySize || by == ByModified {
		o.By = by
	}
	if n, err := strconv.Atoi(page); err == nil && n > 1 {
		o.Page = n
	}
	return o
}

// Page is a part of a directory's entries, and what is known of the whole.
type Page struct {
	Path      string // of the directory, slash-separated from the root, "." for it
	Base      string // a relative reference that leads to the directory
	Entries   []Entry
	Order     Order
	Pages     int
	Total     int  // entries on all pages
	Truncated bool // there are more, which were not read
}

// Sort puts directories first, then goes by the order, and by name among equals.
func Sort(entries []Entry, o Order) {
	slices.SortFunc(entries, func(a, b Entry) int {
		if a.Directory != b.Directory {
			if a.Directory {
				return -1
			}
			return 1
		}
		by := strings.Compare(a.Name, b.Name)
		switch o.By {
		case BySize:
			by = cmp.Compare(a.Size, b.Size)
		case ByModified:
			by = a.Modified.Compare(b.Modified)
		}
		if o.Descending {
			by = -by
		}
		return cmp.Or(by, strings.Compare(a.Name, b.Name))
	})
}

// Cut returns the page that the order asks for of sorted entries, or the last one if there
// are not so many.
func Cut(entries []Entry, o Order) Page {
	pages := max(1, (len(entries)+PerPage-1)/PerPage)
	o.Page = min(o.Page, pages)
	start := (o.Page - 1) * PerPage
	return Page{
		Entries: entries[start:min(start+PerPage, len(entries))],
		Order:   o,
		Pages:   pages,
		Total:   len(entries),
	}
}
