package breakpoint

import (
	"io"
)

// Owners are those of the breakpoint at an address; 0: there is none.
func (s *Set) Owners(addr uint64) Owner {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.points[addr]; p != nil {
		return p.owners
	}
	return 0
}

// Between reports whether there is a breakpoint from one address on, and before another.
func (s *Set) Between(from, to uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for addr, p := range s.points {
		if p.owners != 0 && addr >= from && addr < to {
			return true
		}
	}
	return false
}

// Was reports whether an address has, or had, a breakpoint: a thread may have met it before it was
// taken out.
func (s *Set) Was(addr uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.points[addr] != nil
}

// Ever reports whether there was any.
func (s *Set) Ever() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.points) > 0
}

// Pass takes a thread that stands at a breakpoint over it. emulate, which may be nil, does the
// instruction in the thread's stead, if it can: the breakpoint stays, and no other thread slips by.
// Else the thread is to be stepped, and the breakpoint is out until Passed.
func (s *Set) Pass(tid int, addr uint64, emulate func(code []byte) bool) (steps bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.points[addr]
	if p == nil || p.owners == 0 {
		return false // it is gone
	}
	if emulate != nil && emulate(p.code[:]) {
		return false
	}
	if _, passes := s.passing[tid]; passes {
		return true
	}
	if p.passing++; p.passing == 1 {
		_ = s.poke(addr, p.original) // the thread is being killed: its end comes
	}
	s.passing[tid] = addr
	return true
}

// Passing reports whether a thread is on its way over a breakpoint.
func (s *Set) Passing(tid int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, passes := s.passing[tid]
	return passes
}

// Passed is when a thread has made its step, or has stopped before it, or has ended. The last of
// those that pass puts the breakpoint back, if it is still wanted.
func (s *Set) Passed(tid int) (addr uint64, passed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addr, passed = s.passing[tid]
	if !passed {
		return 0, false
	}
	delete(s.passing, tid)
	if p := s.points[addr]; p != nil {
		if p.passing--; p.passing == 0 && p.owners != 0 {
			_ = s.poke(addr, Int3)
		}
	}
	return addr, true
}

// Originals are what the breakpoints of a memory stood for when it was copied, by address.
type Originals map[uint64]byte

// Originals are those of now.
func (s *Set) Originals() Originals {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.points) == 0 {
		return nil
	}
	o := make(Originals, len(s.points))
	for addr, p := range s.points {
		o[addr] = p.original
	}
	return o
}

// Clean takes the int3s out of a copy of the memory.
func (o Originals) Clean(copied interface {
	io.ReaderAt
	io.WriterAt
}) {
	var b [1]byte
	for addr, original := range o {
		if n, _ := copied.ReadAt(b[:], int64(addr)); n == 1 && b[0] == Int3 && original != Int3 {
			_, _ = copied.WriteAt([]byte{original}, int64(addr)) // it may have been killed
		}
	}
}
