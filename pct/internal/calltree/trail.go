package calltree

// A trail is the canonical path of a walk through call paths, frame by frame: what the appendix's Canonicalize-name finds
// by looking for a frame on it is known here. Each frame is on it once. The path ends after a number of frames, which the
// walk keeps: it goes back by a smaller one.
type trail struct {
	ends  []int32 // what the path to each of its frames is, in the order of the path
	frame []int32 // of each of them
	place []int32 // by frame: where it was put last, from 1
}

func newTrail(frames int) *trail { return &trail{place: make([]int32, frames)} }

// find returns how long the path is that ends with the frame, on a path of a length; 0 if it is not there.
func (t *trail) find(frame, length int32) int32 {
	if at := t.place[frame]; at > 0 && at <= length && t.frame[at-1] == frame {
		return at
	}
	return 0
}

// put makes a path of a length longer by a frame: end is what it is then. undo takes it back, with all that was put there since.
func (t *trail) put(frame, end, length int32) (undo placed) {
	if int(length) == len(t.ends) {
		t.ends, t.frame = append(t.ends, none), append(t.frame, none)
	}
	undo = placed{frame, t.place[frame], t.frame[length], t.ends[length]}
	t.place[frame], t.frame[length], t.ends[length] = length+1, frame, end
	return undo
}

// placed is what a frame was put in place of.
type placed struct{ frame, place, before, end int32 }

// undo takes back what was put last and not taken back, at a length.
func (t *trail) undo(p placed, length int32) {
	t.place[p.frame], t.frame[length], t.ends[length] = p.place, p.before, p.end
}
