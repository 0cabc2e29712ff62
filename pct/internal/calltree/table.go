package calltree

import "hash/maphash"

// table finds the numbers of frames in a slice of them: it takes 5 to 11 bytes for each. The zero value is empty.
type table struct {
	seed  maphash.Seed
	slots []int32 // a power of two of them: numbers from 1, 0 free
	used  int
}

// get returns the number of a frame.
func (t *table) get(f Frame, frames []Frame) (int32, bool) {
	if t.slots == nil {
		return 0, false
	}
	at := t.find(f, frames)
	return t.slots[at] - 1, t.slots[at] != 0
}

// put adds a frame that is not there.
func (t *table) put(number int32, frames []Frame) {
	if 4*t.used >= 3*len(t.slots) {
		if t.slots == nil {
			t.seed = maphash.MakeSeed()
		}
		old := t.slots
		t.slots = make([]int32, max(64, 2*len(old)))
		for _, s := range old {
			if s != 0 {
				t.slots[t.find(frames[s-1], frames)] = s
			}
		}
	}
	t.slots[t.find(frames[number], frames)] = number + 1
	t.used++
}

// find returns the slot of a frame, or the free one where it belongs.
func (t *table) find(f Frame, frames []Frame) uint64 {
	mask := uint64(len(t.slots) - 1)
	at := maphash.Comparable(t.seed, f) & mask
	for t.slots[at] != 0 && frames[t.slots[at]-1] != f {
		at = (at + 1) & mask
	}
	return at
}
