package session

import (
	"debug/dwarf"
	"strings"
	"sync"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// Eval says who evaluates the expressions of EVAL.
type Eval int

const (
	Best       Eval = iota // dbctl itself, and a debugger what dbctl can't
	Natively               // dbctl alone
	ByDebugger             // a debugger alone
	Both                   // each, and differences are told; the value is dbctl's own
)

// comparison counts values that were evaluated in both ways; any goroutine may.
type comparison struct {
	mu               sync.Mutex
	compared, differ uint64
}

// compare has a debugger evaluate what dbctl has evaluated, and tells of a difference.
func (p *process) compare(m *matcher, expression string, a result) {
	if p.show(p.pathObjects(p.now.frames)) != 0 && p.link != nil {
		p.readAllSymbols() // or it would not name what pointers lead to
	}
	theirs := p.debugged(m, expression, a)
	if theirs.verdict == unasked || p.free.Load() || p.link != nil && theirs.verdict == valueless && p.link.table.NoThreadLocal(theirs.why) {
		return
	}
	if l := a.language; (l == debuginfo.Go || l == debuginfo.Rust) && a.verdict == valued && theirs.verdict == valueless {
		return // of these gdb knows no slices, and not all names
	}
	if a.why == plan.OptimizedOut.String() && theirs.verdict == valued && p.inPrologue(a.level) {
		return // gdb reads parameters that are not stored yet
	}
	if a.level == 0 && p.beginsInlined() {
		return // gdb shows the function around it there, as before a call
	}
	c := &p.tree.comparison
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compared++
	ours, other := a.shown(), theirs.shown()
	if ours == other || agree(ours, other) {
		return
	}
	c.differ++
	p.tree.sayOnce("%s in %s differs: natively %s, by gdb %s", expression, m.pattern, ours, other)
}

// beginsInlined reports whether the present event's thread stands where the code of an inlined call begins.
func (p *process) beginsInlined() (yes bool) {
	f := &p.now.frames[0]
	if d := p.debugOf(f.Object); d != nil {
		d.guarded(func() {
			for _, b := range d.data.ScopeAt(f.Vaddr()).Blocks {
				if b.Tag() == dwarf.TagInlinedSubroutine {
					yes = yes || b.EntryPC() == f.Vaddr()
					b.Ranges(func(low, _ uint64) { yes = yes || low == f.Vaddr() })
				}
			}
		})
	}
	return yes
}

// inPrologue reports whether a frame of the present event's call path is in the prologue of its function.
func (p *process) inPrologue(level int) (yes bool) {
	f := &p.now.frames[level]
	if d := p.debugOf(f.Object); d != nil {
		d.guarded(func() {
			if blocks := d.data.ScopeAt(f.Vaddr()).Blocks; len(blocks) > 0 {
				low, ok := blocks[0].Begins()
				yes = ok && f.Vaddr() < d.data.Body(low)
			}
		})
	}
	return yes
}

// agree reports whether two texts differ at most in what gdb is known to show wrongly: of characters before one that is
// incomplete it loses the last, and what its debug data do not tell of is a pointer for it, whatever its type.
func agree(ours, gdb string) bool {
	same := func(text string) string {
		return value.WithoutLost(strings.ReplaceAll(text, "<synthetic pointer>", "<optimized out>"))
	}
	return same(ours) == same(gdb)
}

// shown is a value, or why there is none.
func (a result) shown() string {
	if a.verdict == valued {
		return a.text
	}
	return "none: " + a.why
}

// outcome tells how many values were compared, and whether all were equal.
func (c *comparison) outcome(t *tree) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.say("%d values compared with gdb's: %d differ", c.compared, c.differ)
	return c.differ == 0
}
