package identity

import (
	"testing"
	"testing/fstest"
)

// Members of somebody else's directory come looked at. One that did not is gone.
func TestLookAtForeignMember(t *testing.T) {
	f := newFixture(nil, false)
	f.fsys.MapFS["d/x"] = &fstest.MapFile{}
	directory, err := f.loader.Open(f.view, "d", Facts)
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	m := MemberNamed("x", false)
	if directory.LookAt(&m) || m.Looked {
		t.Errorf("what cannot be looked at is %+v", m)
	}
}
