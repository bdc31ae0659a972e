package precompress

// Stats counts what a run did, or in a dry run would have done.
type Stats struct {
	Files int // regular files that FileServer would serve, sidecars aside

	// Of the sidecars:
	Written  int // new, or in place of one that was outdated
	Dated    int // right but for their date or permission bits, which were set
	Fresh    int // right already
	Foreign  int // not made here, and left alone
	Removed  int // made here, and not wanted any more
	NoSaving int // not kept: they would save less than 5 %

	// Of the names, why they have no sidecar:
	Small           int // below MinSize
	Incompressible  int // of a media type that is not worth it
	SidecarsAlready int // sidecars themselves
	Hidden          int // not served: they begin with a dot, or no request can name them; a directory counts as one. Unfinished sidecars of another run, too
	Irregular       int // neither files nor directories, or links to anything but a file beneath the directory

	Failed int // errors, one for each sidecar, or for each file or directory that could not be read

	// Before and After are sums of bytes over the sidecars that are written, dated or
	// fresh: of the originals that they stand for, once for each, and of themselves.
	Before, After int64
}

// Outcome is what became of a name.
type Outcome int

// The outcomes, which Stats counts under the same names.
const (
	Written Outcome = iota
	Dated
	Fresh
	Foreign
	Removed
	NoSaving
	Small
	Incompressible
	SidecarAlready
	Hidden
	Irregular
	Failed
)

var outcomes = [...]string{
	"written", "dated", "fresh", "foreign", "removed", "no saving",
	"small", "incompressible", "sidecar", "hidden", "irregular", "failed",
}

func (o Outcome) String() string { return outcomes[o] }

// Event is what became of a sidecar, or of a file or directory that is passed over.
type Event struct {
	Name    string // of the sidecar or the file, slash-separated, relative to the directory
	Outcome Outcome
	Size    int64 // of the original, where it is known
	Coded   int64 // of the sidecar: Written, Dated and Fresh
	Err     error // Failed; it names the file
}

// tell counts an event and passes it on.
func (r *run) tell(e Event) {
	r.count(e)
	if r.Progress != nil {
		r.telling.Lock()
		defer r.telling.Unlock() // it may panic
		r.Progress(e)
	}
}

func (r *run) count(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.stats
	*[...]*int{
		&s.Written, &s.Dated, &s.Fresh, &s.Foreign, &s.Removed, &s.NoSaving,
		&s.Small, &s.Incompressible, &s.SidecarsAlready, &s.Hidden, &s.Irregular, &s.Failed,
	}[e.Outcome]++
	switch e.Outcome {
	case Written, Dated, Fresh:
		s.Before += e.Size
		s.After += e.Coded
	case Failed:
		if r.first == nil {
			r.first = e.Err
		}
	}
}
