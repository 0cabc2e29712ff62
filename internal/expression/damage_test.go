package expression

import (
	"bytes"
	"debug/elf"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
)

// sectionsOf are copies of the debug sections of a program, which may be changed.
func sectionsOf(t *testing.T, path string) (s debuginfo.Sections, low, high uint64) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, to := range map[string]*[]byte{
		"info": &s.Info, "abbrev": &s.Abbrev, "line": &s.Line, "line_str": &s.LineStr, "str": &s.Str, "addr": &s.Addr, "ranges": &s.Ranges,
		"rnglists": &s.RngLists, "loc": &s.Loc, "loclists": &s.LocLists, "types": &s.Types, "str_offsets": &s.StrOffsets,
	} {
		if x := f.Section(".debug_" + name); x != nil {
			b, err := x.Data()
			if err != nil {
				t.Fatal(err)
			}
			*to = bytes.Clone(b)
		}
	}
	text := f.Section(".text")
	return s, text.Addr, text.Addr + text.Size
}

// anything is a frame in which all can be read.
type anything struct{}

func (anything) Register(n int) (uint64, bool)    { return 0x1234567890abcdef, true }
func (anything) High(n int) (uint64, bool)        { return 0, true }
func (anything) CFA() (uint64, bool)              { return 1 << 20, true }
func (anything) Entry(n int) (uint64, bool)       { return 0, true }
func (anything) Bias() uint64                     { return 0 }
func (anything) Thread(off uint64) (uint64, bool) { return off, true }
func (anything) Read(b []byte, addr uint64) bool {
	for i := range b {
		b[i] = byte(addr) + byte(i)
	}
	return true
}

// evaluateAll evaluates what is visible at some addresses, and returns how many values there were.
func evaluateAll(s debuginfo.Sections, low, high uint64) int {
	data := debuginfo.New(s, nil, 1)
	o := NewObject(data)
	n := 0
	for pc := low; pc < high; pc += (high - low) / 4 {
		names := []string{"*this", "*p", "copy", "nest", "d", "ns::Derived::shared", "*corner", "matrix", "list->next->next", "sizeof(ns::Nest)", "(struct node *)p", "text", "*b", "box.items[1]"}
		for _, b := range data.ScopeAt(pc).Blocks {
			names = append(names, visible([]debuginfo.Entry{b})...)
		}
		for _, x := range names[:min(len(names), 30)] {
			code, err := o.Compile(x, pc, 0)
			if err != nil {
				continue
			}
			if b, out := plan.Run(code.Code, anything{}, nil); out == plan.Got {
				if v, ok := code.Value(b); ok {
					v.Text(nil)
					v.Viewed(nil)
					n++
				}
			}
		}
		o.Passed(pc, 5, low)
	}
	calls, _ := o.Arguments(1 << 9)
	for _, c := range calls {
		for _, f := range c.Functions {
			for _, a := range f.Arguments {
				if a.Code != nil {
					o.Entries(a.Code.Low, a.Code.Code)
				}
			}
		}
	}
	return n
}

// Damaged data give other values or refusals, within bounded steps: no panic, no loop, no huge memory.
func TestDamage(t *testing.T) {
	for _, cc := range [][]string{{"gcc", "-g", "-O2"}, {"g++", "-g", "-O0", "-fdebug-types-section"}, {"clang++", "-g", "-O1"}} {
		source := "types.c"
		if cc[0] != "gcc" {
			source = "classes.cpp"
		}
		s, low, high := sectionsOf(t, build(t, source, cc...))
		if n := evaluateAll(s, low, high); n < 10 {
			t.Errorf("%v: %d values of good data", cc, n)
		}
		random := rand.New(rand.NewPCG(7, uint64(len(s.Info))))
		rounds := 150
		if testing.Short() || cc[0] != "gcc" {
			rounds = 4
		}
		for round := range rounds {
			section := []*[]byte{&s.Info, &s.Info, &s.Abbrev, &s.LocLists, &s.Loc, &s.Str}[round%6]
			if len(*section) == 0 {
				continue
			}
			at := random.IntN(len(*section))
			if round%2 == 0 {
				at = random.IntN(min(len(*section), 3000)) // where the first types and functions are
			}
			old := (*section)[at]
			(*section)[at] = []byte{0, 0xff, old ^ 1, old ^ 0x80, old + 1, 0x7f}[random.IntN(6)]
			begin := used(t)
			evaluateAll(s, low, high)
			if d := used(t) - begin; d > 4*time.Second {
				t.Errorf("%v: byte %d of section %d: %v", cc, at, round%6, d)
			}
			(*section)[at] = old
		}
	}
}

// used is the CPU time of the test in user mode.
func used(t *testing.T) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}
