package plan

import (
	"path"

	"servery/internal/accept"
)

// Fallback reports whether a page of the client's own routes may stand in for a name that
// leads to nothing, which makes the answer depend on Accept, and whether these lines of it
// ask for a page by its type: what a browser sends to navigate. Scripts, images and what
// programs fetch say "*/*" or something else, and are to learn that there is nothing.
//
// A name with an extension is that of a file, unless extensions is set: a page in the
// place of a script that is gone would be an error that nobody finds.
func Fallback(name string, extensions bool, lines []string) (may, asked bool) {
	if !extensions && hasExtension(name) {
		return false, false
	}
	weight, named := accept.MediaType(lines, "text/html")
	return true, named && weight > 0
}

func hasExtension(name string) bool { return name != "." && path.Ext(name) != "" }
