package session

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// probeLine is the event that a probe tells.
func (p *process) probeLine(now *moment, e *probeEvent) string {
	before := p.now
	p.now = now
	defer func() { p.now = before }()
	thread := []string{"thread", itoa(now.thread.number), "tid", itoa(now.thread.tid)}
	if e.call != nil {
		return machine.FormatEvent(e.word, slices.Concat(e.call, e.took.pairs(), thread)...)
	}
	p.knowObjects(e.changes)
	p.fewFrames(now)
	pairs := []string{"func", e.of.name, "object", e.of.object}
	switch e.word {
	case probeWords[atLine]:
		pairs = []string{"place", e.place, "func", p.functionOf(now, 0), "object", e.of.object}
	case probeWords[atCalls], probeWords[atFirst]:
		if e.inlined {
			args, from := p.inlinedCall(now, e.of.name)
			pairs = append(pairs, "args", args, "from", from)
		} else {
			pairs = append(pairs, "args", p.argumentsAt(now), "from", p.functionOf(now, 1))
		}
	case probeWords[atReturns]:
		pairs = slices.Concat(pairs, []string{"value", p.returnValue(now, e.of)}, e.took.pairs(), []string{"from", p.functionOf(now, 0)})
	default:
		pairs = append(pairs, e.took.pairs()...)
	}
	return machine.FormatEvent(e.word, slices.Concat(pairs, thread, []string{"pc", "0x" + strconv.FormatUint(now.pc, 16)})...)
}

// pairs are the time and its error as events have them.
func (t took) pairs() []string { return []string{"time", seconds(t.time), "error", seconds(t.err)} }

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 9, 64) }

// knowObjects finds out what is mapped, if that has changed: the probes have counted how often.
func (p *process) knowObjects(changes int) {
	if p.changes != changes && p.needObjects() {
		p.changes = changes
		_ = p.unwinder.Refresh() // it may be ending
	}
}

// fewFrames finds the innermost frames of an event's call path, which is all that it takes.
func (p *process) fewFrames(now *moment) {
	if now.frames == nil && p.needObjects() {
		p.unwinder.Limit = 2 // a function and its caller
		p.callPath(now)
		p.unwinder.Limit = 0
		now.few = now.frames != nil
	}
}

// argumentsAt are those of the function that an event's thread has called: by the debug data, else the
// registers in which integers are passed.
func (p *process) argumentsAt(now *moment) string {
	if len(now.frames) == 0 {
		return ""
	}
	if name, yes := p.inC(&now.frames[0]); yes {
		var c calls
		p.addCalls(&c, 0)
		// The inlined ones are first.
		if called := c.list[len(c.list)-1]; called.of != nil && called.function == name {
			return p.callText(&c, called).Arguments()
		}
	}
	r, _ := now.thread.registers()
	g := &r.General
	return fmt.Sprintf("rdi=%#x, rsi=%#x, rdx=%#x, rcx=%#x, r8=%#x, r9=%#x", g.Rdi, g.Rsi, g.Rdx, g.Rcx, g.R8, g.R9)
}

// inC is the name that the debug data have for the function of a frame, if its language is of C's family.
func (p *process) inC(f *unwind.Frame) (name string, yes bool) {
	if d := p.debugOf(f.Object); d != nil {
		d.guarded(func() {
			s := d.scopeAt(f.Vaddr())
			if n := s.outermost(); n >= 0 && s.language.CFamily() && len(s.functions[n].names) > 0 {
				names := s.functions[n].names
				name, yes = names[len(names)-1], true
			}
		})
	}
	return name, yes
}

// functionOf is the function of a frame: that has made the call of the one within, or has got its return.
func (p *process) functionOf(now *moment, level int) string {
	if len(now.frames) <= level {
		return ""
	}
	f := now.frames[level]
	symbol, _ := p.unwinder.Symbol(f)
	name := readable(funcname.OfSymbol(symbol))
	if d := p.debugOf(f.Object); d != nil {
		d.guarded(func() {
			s := d.scopeAt(f.Vaddr())
			if inlined := s.outermost() > 0 || symbol == "" && s.outermost() == 0; inlined && len(s.functions[0].names) > 0 {
				names := s.functions[0].names
				name = names[len(names)-1]
			}
		})
	}
	return cmp.Or(name, data.FunctionUnknown)
}

// returnValue is what a function has returned: by its type, else the register that integers are returned in.
func (p *process) returnValue(now *moment, of functionName) string {
	if len(now.frames) == 0 {
		return ""
	}
	if d := p.debugOf(p.unwinder.ObjectAt(of.enter)); d != nil {
		var code *expression.Code
		known := false
		if d.guarded(func() { code, known = d.returned(of.vaddr) }) && known {
			if code == nil {
				return data.ArgumentUnknown
			}
			if code.Type == nil {
				return "void"
			}
			return p.shownResult(d, code)
		}
	}
	r, _ := now.thread.registers()
	return fmt.Sprintf("rax=%#x", r.General.Rax)
}

// shownResult is the value that a code gives in the innermost frame of the present event, as an argument is
// shown.
func (p *process) shownResult(d *debugObject, code *expression.Code) string {
	text := data.ArgumentUnknown
	d.guarded(func() {
		if code.Type.Plural() {
			text = data.ArgumentPlural
			return
		}
		written, outcome := plan.Run(code.Code, &activation{p: p, d: d, level: 0}, nil)
		if v, whole := code.Value(written); outcome == plan.Got && whole {
			text = v.Text(&naming{p: p, language: code.Type.Language})
		}
	})
	return text
}
