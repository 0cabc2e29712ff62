package breakpoint

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"testing"
)

// memory is some bytes at address 0.
type memory []byte

func (m memory) ReadAt(b []byte, at int64) (int, error) {
	if at >= int64(len(m)) {
		return 0, errors.New("there is nothing")
	}
	return copy(b, m[at:]), nil
}
func (m memory) WriteAt(b []byte, at int64) (int, error) { return copy(m[at:], b), nil }
func (m memory) Close() error                            { return nil }

func set(m memory) *Set { return New(func() (Memory, error) { return m, nil }, nil) }

// A breakpoint stays while one of its owners wants it.
func TestOwners(t *testing.T) {
	m := memory("0123456789abcdefghijklmnop")
	s := set(m)
	for _, err := range []error{s.Insert(Debugger, 3), s.Insert(Clock, 3, 5), s.Remove(3, Debugger)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if m[3] != Int3 || m[5] != Int3 || s.Owners(3) != Clock {
		t.Fatalf("%q, owners %d", m, s.Owners(3))
	}
	b := bytes.Clone(m)
	if s.Hide(b, 0); string(b) != "0123456789abcdefghijklmnop" {
		t.Errorf("a reader sees %q", b)
	}
	s.Drop(Debugger)
	if m[3] != Int3 {
		t.Error("the debugger took the clock's out")
	}
	s.Drop(Clock)
	if string(m) != "0123456789abcdefghijklmnop" || !s.Was(3) || s.Owners(3) != 0 {
		t.Errorf("%q is left", m)
	}
}

// A thread that can't be emulated is stepped, with the breakpoint out until the last of those has passed.
func TestPass(t *testing.T) {
	m := memory("0123456789abcdefghijklmnop")
	s := set(m)
	if err := s.Insert(Clock, 3); err != nil {
		t.Fatal(err)
	}
	if s.Pass(1, 3, func(code []byte) bool { return string(code) == "3456789abcdefgh" }) || m[3] != Int3 {
		t.Error("what is emulated took the breakpoint out")
	}
	no := func([]byte) bool { return false }
	if !s.Pass(1, 3, no) || !s.Pass(2, 3, no) || m[3] != '3' {
		t.Errorf("%q", m)
	}
	s.Passed(1)
	if m[3] != '3' {
		t.Error("it's back while a thread is still to pass")
	}
	if addr, passed := s.Passed(2); addr != 3 || !passed || m[3] != Int3 || s.Passing(2) {
		t.Errorf("%q, thread 2 passed %v", m, passed)
	}
	s.Pass(1, 3, no)
	s.Drop(Clock)
	if s.Passed(1); string(m) != "0123456789abcdefghijklmnop" {
		t.Errorf("%q after a thread passed one that was taken out", m)
	}
}

// What is written goes below, other code in the place of a breakpoint stays, and a sealed set takes none.
func TestWriteReplaceSeal(t *testing.T) {
	m := memory("0123456789abcdefghijklmnop")
	s := set(m)
	_ = s.Insert(Debugger, 3)
	_ = s.Insert(Debugger, 4)
	_ = s.Write([]byte("xyz"), 2)
	if m[3] != Int3 || m[2] != 'x' {
		t.Errorf("%q", m)
	}
	m[4] = 'n' // as dlclose and dlopen would
	s.Drop(Debugger)
	if string(m[:6]) != "01xyn5" {
		t.Errorf("%q", m)
	}
	s.Seal()
	if err := s.Insert(Debugger, 3); err != nil || m[3] == Int3 {
		t.Errorf("%v, %q", err, m)
	}
	if err := set(m).Insert(Debugger, 100); err == nil {
		t.Error("there is a breakpoint where no memory is")
	}
}

// A child's copy is rid of breakpoints, and of nothing else.
func TestClean(t *testing.T) {
	m := memory("0123456789abcdefghijklmnop")
	m[9] = Int3
	s := set(m)
	_ = s.Insert(Debugger, 3)
	_ = s.Insert(Debugger, 4)
	_ = s.Remove(4, Debugger)
	o := s.Originals()
	child := memory(bytes.Clone(m))
	o.Clean(child)
	if string(child[:9]) != "012345678" || child[9] != Int3 {
		t.Errorf("%q", child)
	}
}

// mended is what a mender was told.
type mended struct{ original map[uint64]byte }

func (m *mended) Keep(_ Memory, original map[uint64]byte) { m.original = original }
func (m *mended) Add(original map[uint64]byte)            { maps.Copy(m.original, original) }
func (m *mended) Forget()                                 { m.original = nil }

// A mender knows of all breakpoints as long as any is in.
func TestMender(t *testing.T) {
	m := new(mended)
	s := New(func() (Memory, error) { return memory("0123456789abcdefghijklmnop"), nil }, func() Mender { return m })
	_ = s.Insert(Debugger, 3)
	_ = s.Insert(Clock, 3, 4)
	_ = s.Insert(Probe, 5)
	if m.original[3] != '3' || m.original[4] != '4' || m.original[5] != '5' {
		t.Errorf("%v", m.original)
	}
	s.Drop(Debugger)
	s.Drop(Clock)
	if m.original == nil {
		t.Error("it forgets with some")
	}
	if s.Drop(Probe); m.original != nil {
		t.Error("it does not forget")
	}
}

// Whatever happens in whatever order, the memory is as it was once all is dropped and passed.
func TestAlwaysOut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		m := memory("0123456789abcdefghijklmnop")
		s := set(m)
		for range r.IntN(30) {
			addr, tid := r.Uint64N(8), r.IntN(3)
			owner := Owner(1) << r.IntN(3)
			switch r.IntN(6) {
			case 0:
				_ = s.Insert(owner, addr)
			case 1:
				_ = s.Insert(Clock, addr, addr+1)
			case 2:
				_ = s.Remove(addr, owner)
			case 3:
				s.Pass(tid, addr, func([]byte) bool { return r.IntN(2) == 0 })
			case 4:
				s.Passed(tid)
			case 5:
				s.Drop(owner)
			}
		}
		s.Seal()
		s.Drop(Debugger | Clock | Probe)
		for tid := range 3 {
			s.Passed(tid)
		}
		if string(m) != "0123456789abcdefghijklmnop" {
			t.Fatalf("%q is left", m)
		}
	}
}
