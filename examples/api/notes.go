package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// note is numbered from 1.
type note struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// notes are kept in memory.
type notes struct {
	ending <-chan struct{} // closed when the program is told to end

	mu    sync.Mutex
	all   []note
	added chan struct{} // closed, and replaced, when there is one more
}

func newNotes(ending <-chan struct{}) *notes {
	return &notes{ending: ending, all: []note{}, added: make(chan struct{})}
}

// after returns the notes after the first seen ones, and a channel that is closed when
// there are more.
func (n *notes) after(seen int) ([]note, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.all[min(max(seen, 0), len(n.all)):], n.added
}

func (n *notes) list(w http.ResponseWriter, r *http.Request) {
	all, _ := n.after(0)
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(all)
}

func (n *notes) add(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<10))
	if err != nil {
		http.Error(w, "a note has 16 KiB at most", http.StatusRequestEntityTooLarge)
		return
	}
	n.mu.Lock()
	n.all = append(n.all, note{len(n.all) + 1, string(text)})
	close(n.added)
	n.added = make(chan struct{})
	n.mu.Unlock()
	w.WriteHeader(http.StatusCreated)
}

// events are those after the one that a client names when it connects again. Each is
// flushed, and arrives at once: Compress leaves event streams as they are.
func (n *notes) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	seen, _ := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	stream := http.NewResponseController(w)
	for stream.Flush() == nil { // the head first, so that the client knows that it is connected
		next, added := n.after(seen)
		if len(next) > 0 {
			text, _ := json.Marshal(next[0])
			fmt.Fprintf(w, "id: %d\ndata: %s\n\n", next[0].ID, text)
			seen = next[0].ID
			continue
		}
		select {
		case <-added:
		case <-r.Context().Done(): // the client has gone
			return
		case <-n.ending: // or else the end of the program would wait for the client
			return
		}
	}
}
