package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// verdict is what came of an evaluation without a debugger.
type verdict int

const (
	inactive  verdict = iota // the function is not on the call path
	valued                   // there is a value
	valueless                // the program has none to show: why tells
	refused                  // only a debugger can tell: why says for what reason
	forbidden                // nobody may evaluate it: why says for what reason
	unasked                  // no debugger could be asked: why tells
)

// result is what an expression gave at one instant.
type result struct {
	verdict verdict
	datum
	why     string
	level   int  // of the frame on the call path
	inlined bool // the function is inlined into that of the frame

	language debuginfo.Language // of the function
}

// results returns what an expression gives in the innermost activation of a function at the present
// event; it is found out once.
func (p *process) results(m *matcher, expression string, shown bool) result {
	of := evaluation{m.pattern, expression, shown}
	for i := range p.now.results {
		if p.now.results[i].of == of {
			return p.now.results[i].result
		}
	}
	a := p.native(m, of)
	p.now.results = append(p.now.results, evaluated{of, a})
	return a
}

// evaluated is an expression that was evaluated at an event.
type evaluated struct {
	of evaluation
	result
}

// native evaluates an expression in the innermost activation of a function.
func (p *process) native(m *matcher, of evaluation) result {
	path := p.callPath(p.now)
	for level := range path {
		a := p.nativeAt(m, level, of)
		if a.verdict == inactive {
			continue
		}
		if register := unsaved(of.expression); level > 0 && register != "" {
			a.verdict = forbidden // a debugger would show that of the innermost frame
			a.why = fmt.Sprintf("calls do not preserve register %s: it is known only where %s is the innermost function", register, m.pattern)
		}
		return a
	}
	return result{}
}

// refuse leaves an expression to a debugger, unless it would write into the program.
func (a result) refuse(l debuginfo.Language, text, why string) result {
	a.verdict, a.why = refused, why
	if writes(l, text) {
		a.verdict, a.why = forbidden, writesInto
	}
	return a
}

const (
	writesInto  = "it would write into the program"
	noDebugData = "the function has no debug data"
)

// nativeAt is native for one frame.
func (p *process) nativeAt(m *matcher, level int, of evaluation) (a result) {
	text := of.expression
	f := &p.now.frames[level]
	d := p.debugOf(f.Object)
	if d == nil {
		if symbol, _ := p.unwinder.Symbol(*f); m.match(symbol) {
			return result{level: level}.refuse(debuginfo.C, text, noDebugData)
		}
		return result{}
	}
	if !d.guarded(func() { a = p.evaluateIn(m, d, level, of) }) {
		return result{level: level, verdict: refused, why: "the debug data of " + d.path + " are damaged"}
	}
	return a
}

// evaluateIn is nativeAt for a frame of an object with debug data, which is locked.
func (p *process) evaluateIn(m *matcher, d *debugObject, level int, of evaluation) result {
	text := of.expression
	f := &p.now.frames[level]
	vaddr := f.Vaddr()
	s := d.scopeAt(vaddr)
	if s.symbol == nil {
		symbol, start := p.unwinder.Symbol(*f)
		s.symbol, s.differs = &symbol, symbol != "" && !s.covers(start)
	}
	function := m.within(s)
	switch {
	case function == nowhere:
		return result{}
	case len(s.functions) == 0:
		return result{level: level}.refuse(debuginfo.C, text, noDebugData)
	}
	a := result{level: level, inlined: function < s.outermost(), language: s.language}
	switch {
	case p.tree.cfg.Eval == ByDebugger:
		return a.refuse(s.language, text, "")
	case s.differs:
		a.verdict, a.why = refused, "symbols and debug data differ"
		return a
	case f.Guessed:
		a.verdict, a.why = refused, "a function on the call path has no call frame information"
		return a
	}
	by, err := d.code(s, function, text, vaddr)
	if err != nil {
		return a.refuse(s.language, text, err.Error())
	}
	code := by.code
	frame := activation{p: p, d: d, level: level}
	written, outcome := plan.Run(code.Code, &frame, p.written[:0])
	p.written = written
	switch outcome {
	case plan.Got:
	case plan.NoMemory:
		a.verdict, a.why = valueless, fmt.Sprintf("Cannot access memory at address %#x", frame.unread)
		return a
	case plan.OptimizedOut, plan.DivisionByZero:
		a.verdict, a.why = valueless, outcome.String()
		if strings.HasPrefix(text, "&") {
			a.verdict = refused // of an address a debugger says so in other words
		}
		return a
	default:
		a.verdict, a.why = refused, outcome.String()
		if outcome == plan.NoRegister && level > 0 && d.isGo { // a debugger would show what is there now
			a.verdict, a.why = forbidden, fmt.Sprintf("calls in Go preserve no registers: it is known only where %s is the innermost function", m.pattern)
		}
		return a
	}
	v, ok := code.Value(written)
	if !ok {
		a.verdict, a.why = refused, "its value is shorter than its type"
		return a
	}
	a.verdict = valued
	if by.description != nil {
		a.by, a.written = by, string(written)
		if !of.shown {
			return a
		}
	}
	if code.Lacking {
		a.verdict, a.why = refused, "gdb shows more of it than its members"
		return a
	}
	names := naming{p: p, language: by.code.Type.Language}
	a.text = v.Text(&names)
	if names.unsure {
		a.verdict, a.why = refused, "a pointer in it has several names"
	}
	return a
}

// nowhere is the number of a function that there is not.
const nowhere = -1

// within is the number of the innermost function of a scope that matches, by its names or its symbol.
func (m *matcher) within(s *scope) int {
	n, known := m.scopes[s]
	if !known {
		n = slices.IndexFunc(s.functions, func(f inScope) bool { return slices.ContainsFunc(f.names, m.match) })
		if n == nowhere && m.match(*s.symbol) {
			n = max(0, s.outermost())
		}
		m.scopes[s] = n
	}
	return n
}

// activation is a frame of the call path of the present event, in which a plan is run.
type activation struct {
	p      *process
	d      *debugObject
	level  int
	unread uint64 // the last address that could not be read
	asked  *int   // how often callers were asked so far; nil: never
}

// mostAsked bounds how often the callers of a frame are asked for what they passed, which may be what theirs
// passed several times over.
const mostAsked = 1000

// DWARF numbers of the registers that each call preserves.
const (
	framePointer = 6
	stackPointer = 7
)

// lastKept is the DWARF number of the last register that calls may preserve.
const lastKept = 16

func (a *activation) Register(n int) (uint64, bool) {
	switch {
	case a.level > 0 && a.d.isGo && n != framePointer && n != stackPointer:
		return 0, false // of Go's functions none preserves any
	case n <= lastKept:
		return a.p.unwinder.Register(a.level, n)
	case a.level > 0:
		return 0, false
	case n == plan.Flags:
		r, stands := a.p.now.thread.registers()
		return r.General.Eflags, stands
	}
	return plan.FloatRegister(a.p.float(), n)
}

func (a *activation) High(n int) (uint64, bool) {
	if a.level > 0 {
		return 0, false
	}
	return plan.FloatHigh(a.p.float(), n)
}

// float is the image of the floating point registers of the present event's thread; it is read once.
func (p *process) float() []byte {
	now := p.now
	if now.float == nil {
		if r, _ := now.thread.registers(); r.Float != nil {
			now.float = r.Float
		} else if !p.served {
			now.float = p.tree.tracer.Float(now.thread.tid)
		}
	}
	return now.float
}

func (a *activation) CFA() (uint64, bool) {
	cfa := a.p.now.frames[a.level].CFA
	return cfa, cfa != 0
}

func (a *activation) Bias() uint64 { return a.p.now.frames[a.level].Object.Bias }

// Entry asks the caller, whose debug data may tell what it passed.
func (a *activation) Entry(n int) (uint64, bool) {
	frames := a.p.now.frames
	if a.level+1 >= len(frames) {
		return 0, false
	}
	f, caller := frames[a.level], frames[a.level+1]
	if caller.Object != f.Object || f.Exact && a.level > 0 || caller.Exact || caller.Guessed {
		return 0, false
	}
	code := a.d.passes(passing{caller.PC - caller.Object.Bias, a.d.scopeAt(f.Vaddr()).entry, n})
	if code == nil {
		return 0, false
	}
	if a.asked == nil {
		a.asked = new(int)
	}
	if *a.asked++; *a.asked > mostAsked {
		return 0, false
	}
	b, outcome := plan.Run(code, &activation{p: a.p, d: a.d, level: a.level + 1, asked: a.asked}, nil)
	return value.Number(b), outcome == plan.Got && len(b) == 8
}

func (a *activation) Read(b []byte, addr uint64) bool {
	if a.p.unwinder.Read(b, addr) {
		return true
	}
	a.unread = addr
	return false
}
