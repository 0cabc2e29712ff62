package debuginfo

import (
	"math/rand/v2"
	"testing"
)

// flatten gives each address to the span that a plain search finds.
func TestFlatten(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var spans []span
		for id := range int32(r.IntN(30)) {
			low := r.Uint64N(100)
			spans = append(spans, span{low, low + 1 + r.Uint64N(30), id, r.Uint64N(4)})
		}
		all := append([]span(nil), spans...)
		segments := flatten(spans)
		for addr := range uint64(140) {
			want, rank := int32(-1), uint64(0)
			for _, s := range all {
				if s.low <= addr && addr < s.high && (want < 0 || s.rank > rank || s.rank == rank && s.id > want) {
					want, rank = s.id, s.rank
				}
			}
			if got := lookup(segments, addr); got != want {
				t.Fatalf("seed %d, address %d: %d, want %d of %v", seed, addr, got, want, all)
			}
		}
	}
}

func TestLEB128(t *testing.T) {
	for _, c := range []struct {
		data string
		u    uint64
		s    int64
	}{
		{"\x00", 0, 0},
		{"\x02", 2, 2},
		{"\x7f", 127, -1},
		{"\x80\x01", 128, 128},
		{"\xff\x7e", 16255, -129},
		{"\x80\x7f", 16256, -128},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 1<<64 - 1, -1},
		{"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 1 << 63, -1 << 63},
	} {
		if c1 := at([]byte(c.data), 0); c1.uleb() != c.u || c1.bad || c1.off != len(c.data) {
			t.Errorf("%x: unsigned is not %d", c.data, c.u)
		}
		if c1 := at([]byte(c.data), 0); c1.sleb() != c.s || c1.bad || c1.off != len(c.data) {
			t.Errorf("%x: signed is not %d", c.data, c.s)
		}
	}
	for _, data := range []string{"", "\x80", "\xff\xff"} {
		if c := at([]byte(data), 0); c.uleb() != 0 && !c.bad {
			t.Errorf("%x is a number", data)
		}
	}
}
