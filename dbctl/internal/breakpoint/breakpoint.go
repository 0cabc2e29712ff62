// Package breakpoint owns the software breakpoints of one memory: what an int3 stands for, who
// wants it there, which threads are on their way over it, and that it is out at the end.
//
// Processes that share memory, as after vfork, share a Set. A child with memory of its own gets a
// copy of the int3s, of which Originals.Clean rids it before it begins.
package breakpoint

import (
	"fmt"
	"io"
	"maps"
	"sync"
)

// Owner says who wants a breakpoint. An int3 stays while anybody does.
type Owner uint8

const (
	Debugger Owner = 1 << iota
	Clock          // one that counts calls
	Probe          // one of a script
)

// Int3 is the instruction that a breakpoint is.
const Int3 = 0xcc

// CodeLength is that of the longest instruction.
const CodeLength = 15

// Memory is a process's, which may be written where the process may not.
type Memory interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// Mender is told of all breakpoints of a memory before they are put in, and takes them out if we are
// killed.
type Mender interface {
	// Keep tells of the first ones of the memory, and Add of more.
	Keep(memory Memory, original map[uint64]byte)
	Add(original map[uint64]byte)
	Forget()
}

// Set is the breakpoints of one memory. Any goroutine may use it.
type Set struct {
	open func() (Memory, error)
	help func() Mender

	mu      sync.Mutex
	memory  Memory // nil: not open
	points  map[uint64]*point
	passing map[int]uint64  // threads that are stepped over a breakpoint
	mender  Mender          // has been told of those that are in; nil: none
	told    map[uint64]byte // what the mender knows
	sealed  bool
}

// point is an address that has, or had, a breakpoint.
type point struct {
	original byte
	owners   Owner            // 0: it is out
	passing  int              // threads that are stepped over it: it is out meanwhile
	code     [CodeLength]byte // of the instruction; 0: not all of it is known
}

// New makes the set of a memory, in which there are none. open is called when it is first needed, and
// so is mender, which may be nil, and give nil: there is none.
func New(open func() (Memory, error), mender func() Mender) *Set {
	return &Set{open: open, help: mender, points: make(map[uint64]*point), passing: make(map[int]uint64), told: make(map[uint64]byte)}
}

// Insert puts breakpoints in for an owner. The mender knows of all before the first is there. In a
// sealed set it does nothing.
func (s *Set) Insert(owner Owner, addrs ...uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return nil
	}
	codes, original := make([][CodeLength]byte, len(addrs)), make(map[uint64]byte)
	for i, addr := range addrs {
		n, err := s.read(codes[i][:], addr)
		if err != nil {
			return err
		}
		if n > 0 {
			original[addr] = codes[i][0]
		}
		if n < CodeLength {
			codes[i] = [CodeLength]byte{} // such an instruction is stepped
		}
	}
	s.warn(original)
	for i, addr := range addrs {
		if err := s.insert(addr, owner); err != nil {
			return err
		}
		s.points[addr].code = codes[i]
	}
	return nil
}

// warn tells the mender what is about to be put in, as far as it does not know.
func (s *Set) warn(original map[uint64]byte) {
	maps.DeleteFunc(original, func(addr uint64, b byte) bool {
		told, ok := s.told[addr]
		return ok && told == b
	})
	maps.Copy(s.told, original)
	switch {
	case len(original) == 0 || s.help == nil:
	case s.mender != nil:
		s.mender.Add(original)
	default:
		if s.mender = s.help(); s.mender != nil {
			s.mender.Keep(s.memory, original)
		}
	}
}

// read reads what the program has at an address.
func (s *Set) read(b []byte, addr uint64) (int, error) {
	memory, err := s.opened()
	if err != nil {
		return 0, err
	}
	n, _ := memory.ReadAt(b, int64(addr))
	s.hide(b[:n], addr)
	return n, nil
}

func (s *Set) insert(addr uint64, owner Owner) error {
	p := s.points[addr]
	if p != nil && p.owners != 0 {
		p.owners |= owner
		return nil
	}
	memory, err := s.opened()
	if err != nil {
		return err
	}
	var old [1]byte
	if n, _ := memory.ReadAt(old[:], int64(addr)); n != 1 {
		return fmt.Errorf("there is no memory at %#x", addr)
	}
	if p == nil {
		p = &point{original: old[0]}
	} else if old[0] != Int3 {
		p.original = old[0]
	}
	if p.passing == 0 {
		if err := s.poke(addr, Int3); err != nil {
			return err
		}
	}
	p.owners, s.points[addr] = owner, p
	return nil
}

// Remove takes an owner's breakpoint out. One that is not there is fine.
func (s *Set) Remove(addr uint64, owner Owner) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remove(addr, owner)
}

func (s *Set) remove(addr uint64, owner Owner) error {
	p := s.points[addr]
	if p == nil || p.owners&owner == 0 {
		return nil
	}
	if p.owners &^= owner; p.owners != 0 || p.passing > 0 {
		return nil
	}
	return s.restore(addr, p)
}

// restore puts back what a breakpoint stands for, unless something else has taken its place.
func (s *Set) restore(addr uint64, p *point) error {
	memory, err := s.opened()
	if err != nil {
		return err
	}
	var now [1]byte
	if n, _ := memory.ReadAt(now[:], int64(addr)); n == 1 && now[0] != Int3 {
		return nil
	}
	return s.poke(addr, p.original)
}

// Drop takes all of an owner's out, and closes the memory if none is left.
func (s *Set) Drop(owner Owner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := false
	for addr, p := range s.points {
		_ = s.remove(addr, owner) // the memory may be gone
		left = left || p.owners != 0 || p.passing > 0
	}
	if !left {
		s.forget()
		s.close()
	}
}

// Seal is for a process that runs on without us: from now on none is put in.
func (s *Set) Seal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed = true
}

// Gone is for memory that is gone. Nothing can be taken out of it.
func (s *Set) Gone() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.points)
	clear(s.passing)
	s.forget()
	s.close()
}

func (s *Set) forget() {
	if s.mender != nil {
		s.mender.Forget()
		s.mender = nil
		clear(s.told)
	}
}

func (s *Set) close() {
	if s.memory != nil {
		s.memory.Close()
		s.memory = nil
	}
}

func (s *Set) opened() (Memory, error) {
	if s.memory == nil {
		m, err := s.open()
		if err != nil {
			return nil, err
		}
		s.memory = m
	}
	return s.memory, nil
}

func (s *Set) poke(addr uint64, b byte) error {
	memory, err := s.opened()
	if err != nil {
		return err
	}
	_, err = memory.WriteAt([]byte{b}, int64(addr))
	return err
}

// Write changes memory, below the breakpoints.
func (s *Set) Write(b []byte, addr uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, p := range s.points {
		if at < addr+uint64(len(b)) && addr < at+CodeLength {
			p.code = [CodeLength]byte{}
		}
	}
	for i, c := range b {
		at := addr + uint64(i)
		if p := s.points[at]; p != nil && p.owners != 0 {
			p.original = c
			if p.passing == 0 {
				continue
			}
		}
		if err := s.poke(at, c); err != nil {
			return err
		}
	}
	return nil
}

// Hide puts what was there before into what was read at an address.
func (s *Set) Hide(b []byte, addr uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide(b, addr)
}

func (s *Set) hide(b []byte, addr uint64) {
	if len(b) < len(s.points) {
		for i := range b {
			if p := s.points[addr+uint64(i)]; p != nil && p.owners != 0 {
				b[i] = p.original
			}
		}
		return
	}
	for at, p := range s.points {
		if p.owners != 0 && at >= addr && at < addr+uint64(len(b)) {
			b[at-addr] = p.original
		}
	}
}
