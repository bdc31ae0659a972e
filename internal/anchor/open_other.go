//go:build !linux

package anchor

import "os"

// opener has nothing to decide: os.Root is the only way of these systems.
type opener struct{}

func newOpener() *opener {
	return &opener{}
}

// held is empty: os.Root needs no second descriptor.
type held struct{}

func hold(*os.Root) (held, error) {
	return held{}, nil
}

func (held) close() {}

// CanLook says that [Root.Look] never finds anything out.
const CanLook = false

func (held) look(string) (Info, bool) { return Info{}, false }

func (r *Root) open(name string) (*File, error) {
	return r.openThroughOS(name)
}
