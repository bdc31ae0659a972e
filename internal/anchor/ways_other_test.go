//go:build !linux

package anchor

import "testing"

// way is one way of opening beneath a directory. Whatever a test says of opening must hold for each.
type way struct {
	name   string
	opener func(*testing.T) *opener
}

func ways() []way {
	return []way{{"os.Root", func(*testing.T) *opener { return newOpener() }}}
}
