package flight

// Len returns the number of flights that a caller could join.
func (g *Group[K, V]) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.flights)
}
