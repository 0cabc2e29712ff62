package data

import "testing"

// TestWriting tells a run that is being written from one that is not.
func TestWriting(t *testing.T) {
	w, dir := newTestWriter(t)
	for _, writing := range []bool{true, false} {
		r, err := Open(dir)
		check(t, err)
		if r.Writing != writing {
			t.Errorf("Writing is %v, want %v", r.Writing, writing)
		}
		if writing {
			check(t, w.Close())
		}
	}
}
