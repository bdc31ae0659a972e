package listing

import (
	"encoding/json"
	"strings"
	"time"
)

type jsonPage struct {
	Path      string      `json:"path"`
	Entries   []jsonEntry `json:"entries"`
	Page      int         `json:"page"`
	Pages     int         `json:"pages"`
	Total     int         `json:"total"`
	Truncated bool        `json:"truncated"`
}

type jsonEntry struct {
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	Size     *int64  `json:"size"`     // null for a directory
	Modified *string `json:"modified"` // null where it is not known
}

// JSON writes the page for programs. A name that is not UTF-8 has U+FFFD in the places
// where it is not.
func JSON(p Page) []byte {
	out := jsonPage{
		Path: strings.ToValidUTF8(p.path(), "\uFFFD"), Entries: make([]jsonEntry, len(p.Entries)),
		Page: p.Order.Page, Pages: p.Pages, Total: p.Total, Truncated: p.Truncated,
	}
	for i, e := range p.Entries {
		entry := jsonEntry{Name: strings.ToValidUTF8(e.Name, "\uFFFD"), Type: "directory"}
		if !e.Directory {
			entry.Type, entry.Size = "file", &p.Entries[i].Size
		}
		if !e.Modified.IsZero() {
			entry.Modified = new(e.Modified.Format(time.RFC3339))
		}
		out.Entries[i] = entry
	}
	body, err := json.Marshal(out)
	if err != nil {
		panic(err) // there is nothing in it that could fail
	}
	return append(body, '\n')
}
