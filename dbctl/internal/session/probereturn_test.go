package session

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
)

// stackWords is memory of words.
type stackWords map[uint64]uint64

func (s stackWords) ReadAt(b []byte, addr uint64) int {
	v, ok := s[addr]
	if !ok {
		return 0
	}
	return copy(b, binary.LittleEndian.AppendUint64(nil, v))
}

// code is memory in which breakpoints can stand.
type code256 [256]byte

func (c *code256) ReadAt(b []byte, at int64) (int, error)  { return copy(b, c[at:]), nil }
func (c *code256) WriteAt(b []byte, at int64) (int, error) { return copy(c[at:], b), nil }
func (c *code256) Close() error                            { return nil }

// caller makes calls of one thread, and tells what became due.
type caller struct {
	ps    *probes
	th    *thread
	stack stackWords
}

func newCaller() *caller {
	c := &caller{stack: make(stackWords)}
	p := &process{memory: c.stack, tree: &tree{}}
	p.points.Store(&pointsOf{Set: breakpoint.New(func() (breakpoint.Memory, error) { return &code256{}, nil }, nil)})
	c.ps = &probes{p: p, points: make(map[uint64]*probePoint)}
	c.th = &thread{p: p}
	return c
}

// calls is a call of a function, the stack pointer behind it being cfa, which returns to an address.
func (c *caller) calls(name string, cfa, back uint64) {
	c.stack[cfa-8] = back
	c.ps.overwritten(c.th, cfa, back)
	at := c.ps.point(back)
	at.returns = true
	at.waits++
	of := &probedFunction{functionName: functionName{name: name}}
	of.wanted[atReturns] = true
	c.th.calls = append(c.th.calls, activeCall{of: of, cfa: cfa, back: back})
}

// comes is the thread at an address to which calls return.
func (c *caller) comes(pc, sp uint64) {
	c.th.regs.Rip, c.th.regs.Rsp = pc, sp
	if at := c.ps.at(pc); at != nil && at.returns {
		c.ps.returned(c.th, at)
	}
}

func (c *caller) told(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, e := range c.th.due {
		got = append(got, e.word+" "+e.of.name)
	}
	c.th.due = nil
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestReturns(t *testing.T) {
	c := newCaller()
	c.calls("f", 100, 1)
	c.calls("f", 90, 2) // it calls itself,
	c.calls("g", 80, 2) // and that a function,
	c.calls("h", 80, 2) // which jumps to another one
	c.comes(2, 80)
	c.told(t, "return h", "return g")
	c.comes(2, 85) // of what is not probed
	c.told(t)
	c.comes(2, 90)
	c.comes(1, 100)
	c.told(t, "return f", "return f")
	if len(c.th.calls) != 0 || c.ps.points[1].waits != 0 || c.ps.points[2].waits != 0 {
		t.Errorf("left: %v", c.th.calls)
	}
	c.comes(2, 90) // a call that nobody waits for takes the breakpoint out
	if c.ps.at(2) != nil {
		t.Error("a breakpoint that is for nothing stays")
	}
}

// Calls whose frames are gone are left: seen at a return further out, at another call in their place, and when a
// function says that it leaves them.
func TestLeftCalls(t *testing.T) {
	c := newCaller()
	c.calls("f", 100, 1)
	c.calls("g", 90, 2)
	c.calls("h", 80, 3)
	c.stack[82], c.stack[72] = 0, 0
	c.comes(1, 100)
	c.told(t, "left h", "left g", "return f")

	c.calls("f", 100, 1)
	c.calls("g", 90, 2)
	c.calls("h", 90, 4)
	c.told(t, "left g")
	c.comes(4, 90)
	c.told(t, "return h")

	c.calls("g", 90, 2)
	c.calls("h", 80, 3)
	c.th.regs.Rsp = 82 // in what the handler of an exception calls first
	c.ps.left(c.th, byCatch)
	c.told(t, "left h", "left g")
	c.calls("g", 90, 2) // once more from the same place
	c.comes(2, 90)
	c.comes(1, 100)
	c.told(t, "return g", "return f")
}

// A thread that goes to and fro between two stacks.
func TestReturnsOfTwoStacks(t *testing.T) {
	c := newCaller()
	c.calls("f", 100, 1)
	c.calls("other", 1000, 2)
	c.calls("g", 90, 3)
	c.calls("deeper", 990, 4)
	c.comes(3, 90)
	c.comes(1, 100)
	c.told(t, "return g", "return f")
	c.comes(4, 990)
	c.comes(2, 1000)
	c.told(t, "return deeper", "return other")
}
