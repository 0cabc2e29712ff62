package difftest_test

import (
	"fmt"
	"slices"
	"strings"
)

// verdict is what comes of one stop.
type verdict int

const (
	equal    verdict = iota // our path is gdb's
	libgcc                  // they differ, and libgcc finds ours
	outside                 // they differ, libgcc finds neither, and dbctl finds ours
	landing                 // libgcc is going to a handler of an exception, and writes over its own frame: only ours knows how
	partial                 // our path does not reach its outermost frame, and says so
	rootless                // our path claims to be whole, but ends where nothing began
	alone                   // they differ, and nobody finds ours
	verdicts = iota
)

func (v verdict) String() string {
	return [...]string{"equal", "libgcc's", "dbctl's", "landing", "partial", "rootless", "alone"}[v]
}

// judge compares what the unwinders found at one stop.
func (s *stop) judge() verdict {
	switch {
	case s.end != 0:
		return partial
	case !s.rooted:
		return rootless
	case s.landing > 0 && s.landsWell():
		return landing
	case slices.Equal(s.ours, s.byGDB()):
		return equal
	case !s.faulted && slices.Equal(pcs(s.ours), s.libgcc):
		return libgcc
	case !s.outsidePartial && slices.Equal(addresses(s.ours), s.outside):
		return outside
	}
	return alone
}

// landsWell reports whether the frames outside the handler's are gdb's too, if gdb's stack is whole.
func (s *stop) landsWell() bool {
	outer := pcs(s.ours[s.landing+1:])
	list := pcs(s.gdb)
	whole := len(list) >= len(outer) && list[len(list)-1] == outer[len(outer)-1]
	return !whole || slices.Equal(list[len(list)-len(outer):], outer)
}

// byGDB is gdb's stack. What makecontext has begun returns to the beginning of a function that
// nothing called, and that to 0, which gdb shows as one more frame.
func (s *stop) byGDB() []frame {
	n := len(s.gdb)
	if n < 2 || s.gdb[n-1].pc != 0 {
		return s.gdb
	}
	list := slices.Clone(s.gdb[:n-1])
	list[n-2].exact = true
	return list
}

// outsideAgrees reports whether dbctl's path is gdb's, or where that is libgcc's ours.
func (s *stop) outsideAgrees() bool {
	v := s.judge()
	return !s.outsidePartial && (slices.Equal(s.outside, addresses(s.byGDB())) || (v == libgcc || v == outside) && slices.Equal(s.outside, addresses(s.ours)))
}

func pcs(frames []frame) []uint64 {
	var list []uint64
	for _, f := range frames {
		list = append(list, f.pc)
	}
	return list
}

// addresses are those of instructions: of a return address, one in its call.
func addresses(frames []frame) []uint64 {
	var list []uint64
	for _, f := range frames {
		if !f.exact {
			f.pc--
		}
		list = append(list, f.pc)
	}
	return list
}

// String has the four paths beside each other.
func (s *stop) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "thread %d sp %#x: ours ends by %d, gdb's by %q, guess %v, libgcc faulted %v, dbctl's partial %v\n",
		s.tid, s.sp, s.end, s.gdbEnd, s.guess, s.faulted, s.outsidePartial)
	column := func(list []uint64, i int) string {
		if i < len(list) {
			return fmt.Sprintf("%#x", list[i])
		}
		return "-"
	}
	for i := range min(24, max(len(s.ours), len(s.gdb), len(s.libgcc), len(s.outside))) {
		exact := i < len(s.ours) && s.ours[i].exact
		signal := i < len(s.gdb) && (s.gdb[i].exact || s.signals[i])
		fmt.Fprintf(&b, "\t%-16s %-5v gdb %-16s %-5v libgcc %-16s dbctl %s\n", column(pcs(s.ours), i), exact,
			column(pcs(s.gdb), i), signal, column(s.libgcc, i), column(s.outside, i))
	}
	return b.String()
}
