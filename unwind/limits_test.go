package unwind

import (
	"encoding/binary"
	"slices"
	"testing"
)

// savedMemory is a part of a memory, and counts its readings.
type savedMemory struct {
	base  uint64
	data  []byte
	reads int
}

func (m *savedMemory) ReadAt(p []byte, addr uint64) int {
	m.reads++
	if d := addr - m.base; d < uint64(len(m.data)) {
		return copy(p, m.data[d:])
	}
	return 0
}

// save copies size bytes of a stack from the red zone on.
func save(t *testing.T, p *tracee, size int) *savedMemory {
	t.Helper()
	m := &savedMemory{base: p.regs.Rsp - redZone, data: make([]byte, size)}
	m.data = m.data[:ProcessMemory(p.pid).ReadAt(m.data, m.base)]
	return m
}

func deep(t *testing.T, depth string) (*tracee, *Unwinder) {
	t.Helper()
	p := trace(t, build(t, "deep.c", "-O0"), depth)
	p.runTo()
	return p, newUnwinder(t, p.pid)
}

func TestTooDeep(t *testing.T) {
	p, u := deep(t, "100000")
	fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
	if why != TooDeep || len(fs) != MaxDepth {
		t.Errorf("%v, %d frames", why, len(fs))
	}
	for _, f := range fs {
		if name, _ := u.Symbol(f); name != "dive" {
			t.Fatalf("there is %s", name)
		}
	}
	u.Limit = 100006 // and dive(0), main, two of libc, _start
	if fs, why = u.Unwind(p.few(), ProcessMemory(p.pid), nil); why != Complete || len(fs) > u.Limit || len(fs) < 100000 {
		t.Errorf("%v, %d frames of at most %d", why, len(fs), u.Limit)
	}
}

func TestJustNotTooDeep(t *testing.T) {
	p, u := deep(t, "4091") // and dive(0), main, two of libc, _start
	fs, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
	if why != Complete || len(fs) != MaxDepth {
		t.Errorf("%v, %d frames", why, len(fs))
	}
}

func TestSavedStack(t *testing.T) {
	p, u := deep(t, "40")
	live, why := u.Unwind(p.few(), ProcessMemory(p.pid), nil)
	if why != Complete {
		t.Fatalf("%v\n%s", why, describe(u, live))
	}
	whole := save(t, p, 1<<20)
	for size := 0; size <= len(whole.data); size = size*5/4 + 1 {
		m := &savedMemory{base: whole.base, data: whole.data[:size]}
		fs, why := u.Unwind(p.few(), m, nil)
		switch {
		case why == Complete && slices.Equal(fs, live):
		case why == BadMemory && len(fs) < len(live) && slices.Equal(fs[:len(fs)-1], live[:len(fs)-1]):
		default:
			t.Errorf("of %d bytes of stack: %v\n%s", size, why, describe(u, fs))
		}
	}
}

func TestOneRead(t *testing.T) {
	p, u := deep(t, "1")
	m := save(t, p, 1<<20)
	for range 2 { // the first time code may be read
		m.reads = 0
		if fs, why := u.Unwind(p.few(), m, nil); why != Complete || len(fs) != 6 {
			t.Fatalf("%v\n%s", why, describe(u, fs))
		}
	}
	if m.reads != 1 {
		t.Errorf("%d frames took %d reads", 6, m.reads)
	}
}

// TestLoop makes frames that lead back to themselves.
func TestLoop(t *testing.T) {
	p, u := deep(t, "10")
	bp := p.regs.Rbp
	m := save(t, p, 1<<20)
	// dive's frame: the caller's rbp, then the return address.
	next := binary.LittleEndian.Uint64(m.data[bp-m.base:])
	for name, target := range map[string]uint64{"itself": next, "the frame below": bp} {
		copied := &savedMemory{base: m.base, data: slices.Clone(m.data)}
		binary.LittleEndian.PutUint64(copied.data[next-m.base:], target)
		fs, why := u.Unwind(p.few(), copied, nil)
		if why != Loop || len(fs) > 4*maxBackward {
			t.Errorf("frame that leads to %s: %v, %d frames", name, why, len(fs))
		}
	}
}

// TestLostRegisters gives registers that make no sense.
func TestLostRegisters(t *testing.T) {
	p, u := deep(t, "10")
	mem := ProcessMemory(p.pid)
	for _, r := range []Regs{
		{},
		{PC: 1, SP: 1, BP: 1},
		{PC: ^uint64(0), SP: ^uint64(0), BP: ^uint64(0)},
		{PC: p.regs.Rip, SP: ^uint64(0) - 8, BP: ^uint64(0) - 8},
		{PC: p.regs.Rip, SP: 0, BP: 0},
		{PC: 1 << 63, SP: p.regs.Rsp, BP: p.regs.Rsp},
	} {
		fs, why := u.Unwind(r, mem, nil)
		if len(fs) != 1 || fs[0].PC != r.PC || !fs[0].Exact || why == Complete {
			t.Errorf("%+v: %v\n%s", r, why, describe(u, fs))
		}
	}
	// A call of a null pointer: its caller is found by the return address.
	m := save(t, p, 1<<20)
	r := p.few()
	var word [8]byte
	fs, _ := u.Unwind(r, mem, nil)
	binary.LittleEndian.PutUint64(word[:], fs[1].PC)
	r.PC, r.SP = 0, r.SP-8
	copy(m.data[r.SP-m.base:], word[:])
	got, why := u.Unwind(r, m, nil)
	if why != Complete || len(got) < 2 || got[0].Object != nil || got[1].PC != fs[1].PC {
		t.Errorf("%v\n%s", why, describe(u, got))
	}
}
