package calltree

// pairs is a hash table from pairs of numbers to the numbers, from 1, of things that
// know their pairs: it takes 11 to 22 bytes for each. The zero value is empty.
type pairs struct {
	slots []slot // a power of two of them
	used  int
}

// slot is free if its number is 0. The tag is the upper half of the pair's hash: to ask for
// the pair itself takes a look at memory that is far away.
type slot struct {
	tag    uint32
	number int32
}

// keys tell the pair of each number in a table.
type keys interface{ key(number int32) Node }

// hash mixes a pair, by the finalizer of MurmurHash3.
func hash(n Node) uint64 {
	h := uint64(uint32(n.Parent))<<32 | uint64(uint32(n.Frame))
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// get returns the number at a pair.
func (t *pairs) get(pair Node, of keys) (int32, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	h, mask := hash(pair), uint64(len(t.slots)-1)
	for i := h & mask; t.slots[i].number != 0; i = (i + 1) & mask {
		if s := t.slots[i]; s.tag == uint32(h>>32) && of.key(s.number) == pair {
			return s.number, true
		}
	}
	return 0, false
}

// put adds a pair that is not there.
func (t *pairs) put(pair Node, number int32, of keys) {
	if 4*t.used >= 3*len(t.slots) {
		old := t.slots
		t.slots = make([]slot, max(64, 2*len(old)))
		for _, s := range old {
			if s.number != 0 {
				t.place(of.key(s.number), s.number)
			}
		}
	}
	t.place(pair, number)
	t.used++
}

func (t *pairs) place(pair Node, number int32) {
	h, mask := hash(pair), uint64(len(t.slots)-1)
	i := h & mask
	for t.slots[i].number != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = slot{uint32(h >> 32), number}
}
