package ring

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/profilecollection/pct/unwind"
)

// stackOf makes a stack of words, of which the first n are in the copy.
func stackOf(base uint64, n int, words ...uint64) *stack {
	s := &stack{cut: n < len(words)}
	s.regs.SP = base
	var all []byte
	for _, w := range words {
		all = binary.NativeEndian.AppendUint64(all, w)
	}
	s.data, s.rest = all[:8*n], all[8*n:]
	return s
}

// A stack of two parts is read as one.
func TestStackParts(t *testing.T) {
	s := stackOf(0x1000, 3, 1, 2, 3, 4, 5)
	for at := uint64(0xff0); at <= 0x1030; at += 4 {
		var room [16]byte
		n := s.ReadAt(room[:], at)
		want := max(0, min(16, 0x1028-int(at)))
		if at < 0x1000 {
			want = 0
		}
		if n != want {
			t.Errorf("%d bytes at %#x, want %d", n, at, want)
		}
		if n >= 8 && at%8 == 0 && binary.NativeEndian.Uint64(room[:]) != (at-0x1000)/8+1 {
			t.Errorf("at %#x is %d", at, room[0])
		}
	}
}

// The process is a witness if the innermost frames that it has in common with the copy return to the
// same places.
func TestAgrees(t *testing.T) {
	frames := []unwind.Frame{{PC: 10, CFA: 0x1010, Exact: true}, {PC: 11, CFA: 0x1020}, {PC: 12, CFA: 0x1030}, {PC: 13, CFA: 0x1100}}
	for name, c := range map[string]struct {
		words []uint64 // from 0x1008 on
		want  bool
	}{
		"same":              {[]uint64{11, 0, 12, 0, 13, 0}, true},
		"another innermost": {[]uint64{99, 0, 12, 0, 13, 0}, false},
		"another outermost": {[]uint64{11, 0, 12, 0, 99, 0}, false},
		"other data":        {[]uint64{11, 7, 12, 7, 13, 7}, true},
		"too little":        {[]uint64{11, 0, 12}, false},
	} {
		s := stackOf(0x1000, 5, 0, 11, 0, 12, 0, 13)
		now := stackOf(0x1008, len(c.words), c.words...)
		s.now = &live{0x1008, now.data}
		if got := s.agrees(frames); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		s.now = nil
		if s.agrees(frames) {
			t.Errorf("%s: what could not be read agrees", name)
		}
	}
	// Only what both have counts.
	s := stackOf(0x1000, 5, 0, 11, 0, 12, 0, 13)
	s.now = &live{0x1028, stackOf(0x1028, 1, 13).data}
	if !s.agrees(frames) {
		t.Error("the outermost return address alone does not agree")
	}
}

// The path before is a witness only with the very frame in which the copy ends.
func TestOutside(t *testing.T) {
	path := []unwind.Frame{{PC: 1, CFA: 0x10, Exact: true}, {PC: 2, CFA: 0x20}, {PC: 3, CFA: 0x30}, {PC: 4, CFA: 0x40}}
	before := &trail{frames: slices.Clone(path)}
	slices.Reverse(before.frames)
	for _, c := range []struct {
		last unwind.Frame
		want bool
	}{
		{unwind.Frame{PC: 3, CFA: 0x30}, true},
		{unwind.Frame{PC: 3, CFA: 0x38}, false},
		{unwind.Frame{PC: 5, CFA: 0x30}, false},
		{unwind.Frame{PC: 3}, false},
		{unwind.Frame{PC: 4, CFA: 0x40}, true},
	} {
		cut := []unwind.Frame{{PC: 7, CFA: 0x18, Exact: true}, c.last}
		got, ok := before.outside(slices.Clone(cut))
		want := cut
		if c.want {
			i := slices.IndexFunc(path, func(f unwind.Frame) bool { return f == c.last })
			want = append(want, path[i+1:]...)
		}
		if ok != c.want || !slices.Equal(got, want) {
			t.Errorf("outside of %+v: %+v, %v", c.last, got, ok)
		}
	}
	if n := before.common(append([]unwind.Frame{{PC: 9, CFA: 0x8}}, path[2:]...)); n != 2 {
		t.Errorf("%d frames are common", n)
	}
	if n := before.common(path[:2]); n != 0 {
		t.Errorf("%d frames are common with the inner ones", n)
	}
}

// Rings are as large as what is sampled needs, and not more than all together may be.
func TestRingBytes(t *testing.T) {
	clock := func(hz uint64, stack int) eventSpec { return eventSpec{clock: true, period: 1e9 / hz, stack: stack} }
	for _, c := range []struct {
		spec eventSpec
		cpus int
		want int
	}{
		{clock(1000, 0), 2, ringBytes},
		{clock(100, stackBytes), 2, 4 << 20},
		{clock(1000, stackBytes), 2, 16 << 20},
		{clock(10000, stackBytes), 2, 16 << 20},
		{clock(1000, stackBytes), 8, 8 << 20},
		{clock(1000, stackBytes), 64, 4 << 20},
		{eventSpec{stack: eventStack}, 2, 16 << 20},
	} {
		e := &events{specs: []eventSpec{{tells: true}, c.spec}, cpus: make([]int, c.cpus)}
		if got := e.ringBytes(); got != c.want {
			t.Errorf("%+v on %d processors: %d, want %d", c.spec, c.cpus, got, c.want)
		}
	}
}

// A copy that is used again is not one that somebody has still.
func TestCopies(t *testing.T) {
	var d deep
	first, second := stackOf(0, 2, 1, 2), stackOf(0, 2, 3, 4)
	d.keep(first)
	d.give(first)
	d.give(first) // once is enough
	d.keep(second)
	third := stackOf(0, 1, 5)
	d.keep(third)
	if first.data[0] != 3 || second.data[0] != 3 || third.data[0] != 5 || len(d.free) != 0 {
		t.Errorf("%v, %v, %v, %d free", first.data, second.data, third.data, len(d.free))
	}
	lent := stackOf(0, 1, 6)
	lent.lent = true
	if d.give(lent); len(d.free) != 0 {
		t.Error("what is lent was taken")
	}
}

// Of a stack that did not change one copy serves all samples.
func TestHolds(t *testing.T) {
	all := live{0x1000, stackOf(0, 4, 1, 2, 3, 4).data}
	for want, other := range map[bool]live{
		true:  {0x1010, stackOf(0, 2, 3, 4).data},
		false: {0x1010, stackOf(0, 3, 3, 4, 5).data},
	} {
		if all.holds(other) != want {
			t.Errorf("%v: %v", other, !want)
		}
	}
	if other := (live{0xff8, stackOf(0, 5, 0, 1, 2, 3, 4).data}); all.holds(other) {
		t.Error("it holds what is more")
	}
}
