package session

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/expression"
	"github.com/profilecollection/pct/internal/funcname"
)

// probeLine is the event that a probe tells.
func (p *process) probeLine(now *moment, e *probeEvent) string {
	p.knowObjects(e.changes)
	p.fewFrames(now)
	pairs := []string{"func", e.of.name, "object", e.of.object}
	switch e.word {
	case probeWords[atCalls], probeWords[atFirst]:
		pairs = append(pairs, "args", p.argumentsAt(now), "from", p.callerOf(now))
	case probeWords[atReturns]:
		pairs = append(pairs, "value", p.returnValue(now, e.of), "time", seconds(e))
	default:
		pairs = append(pairs, "time", seconds(e))
	}
	pairs = append(pairs, "thread", itoa(now.thread.number), "tid", itoa(now.thread.tid), "pc", "0x"+strconv.FormatUint(now.pc, 16))
	return machine.FormatEvent(e.word, pairs...)
}

func seconds(e *probeEvent) string { return strconv.FormatFloat(max(0, e.took.Seconds()), 'f', 6, 64) }

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
	before := p.now
	p.now = now
	defer func() { p.now = before }()
	f := &now.frames[0]
	if d := p.debugOf(f.Object); d != nil {
		var b strings.Builder
		known := false
		if d.guarded(func() {
			s := d.scopeAt(f.Vaddr())
			if len(s.functions) == 0 || !s.language.CFamily() {
				return
			}
			if s.params == nil {
				s.params = d.parameters(f.Vaddr())
			}
			p.writeParameters(&b, d, s, s.outermost(), 0)
			known = true
		}) && known {
			return b.String()
		}
	}
	r, _ := now.thread.registers()
	g := &r.General
	return fmt.Sprintf("rdi=%#x, rsi=%#x, rdx=%#x, rcx=%#x, r8=%#x, r9=%#x", g.Rdi, g.Rsi, g.Rdx, g.Rcx, g.R8, g.R9)
}

// callerOf is the function that has made a call.
func (p *process) callerOf(now *moment) string {
	if len(now.frames) < 2 {
		return ""
	}
	f := now.frames[1]
	symbol, _ := p.unwinder.Symbol(f)
	name := funcname.Plain(readable(funcname.OfSymbol(symbol)))
	if d := p.debugOf(f.Object); d != nil {
		d.guarded(func() {
			if s := d.scopeAt(f.Vaddr()); len(s.functions) > 0 && len(s.functions[0].names) > 0 {
				names := s.functions[0].names
				name = names[len(names)-1] // it may be inlined
			}
		})
	}
	return name
}

// returnValue is what a function has returned: by its type, else the register that integers are returned in.
func (p *process) returnValue(now *moment, of functionName) string {
	if len(now.frames) == 0 {
		return ""
	}
	before := p.now
	p.now = now
	defer func() { p.now = before }()
	if d := p.debugOf(p.unwinder.ObjectAt(of.enter)); d != nil {
		var code *expression.Code
		known := false
		if d.guarded(func() { code, known = d.returned(of.vaddr) }) && known {
			if code == nil {
				return notKnown
			}
			if code.Type == nil {
				return "void"
			}
			text := notKnown
			d.guarded(func() { text = p.shown(d, code, 0) })
			return text
		}
	}
	r, _ := now.thread.registers()
	return fmt.Sprintf("rax=%#x", r.General.Rax)
}
