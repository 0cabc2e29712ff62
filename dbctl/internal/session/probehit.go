package session

import (
	"encoding/binary"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
	"github.com/profilecollection/pct/unwind"
)

// probing is what a thread's probes know of it. It belongs to the tracing goroutine.
type probing struct {
	calls   []activeCall  // of probed functions, the outermost first
	armed   []place       // functions that it has entered, where their call is still to be told
	due     []*probeEvent // of the stop that it is in, still to be acted on
	telling telling
	stopwatch
}

// telling is where goOn is with what is due. It may be very much, so that what is acted on at once is a loop.
type telling int

const (
	notTelling  telling = iota
	tellsNow            // goOn within it only notes that the event was acted on
	toldAlready         // and goes on with the next, or with the thread
)

// activeCall is a call that has not returned.
type activeCall struct {
	of    *probedFunction
	cfa   uint64 // the stack pointer when it has returned
	back  uint64 // where it returns to
	began stopwatch
}

// probeEvent is what a probe tells.
type probeEvent struct {
	word    string
	of      functionName
	inlined bool     // it is of an inlined call
	took    took     // of a call that is over
	changes int      // of objects, before it
	place   string   // of a line
	call    []string // of a system call: keys and values
}

// nextDue is the next event of a thread's stop, nil if there is none, or the debugger has the thread call a function.
func (th *thread) nextDue() *probeEvent {
	if len(th.due) == 0 || th.p.told || th.inCall() {
		return nil
	}
	e := th.due[0]
	th.due = th.due[1:]
	return e
}

// probed is a thread at a breakpoint of probes, whose registers are as if there were none. What is to be
// told is due when it goes on.
func (t *tree) probed(th *thread, at *probePoint) {
	p := th.p
	ps, pc, sp := p.probes, th.regs.Rip, th.regs.Rsp
	if at == nil {
		return
	}
	th.at = pc
	if th.meetsAgain() || th.inCall() {
		return // it was told, or a debugger makes the call
	}
	if points, _ := p.breakpoints(); points.Owners(pc)&breakpoint.Debugger != 0 {
		t.sayOnce("a breakpoint of the debugger at an instruction with a PROBE is not met")
	}
	p.tally.note("each probe that was met stopped its thread for some microseconds")
	if at.beginsAt {
		ps.begins()
	}
	if at.loads {
		ps.look()
	}
	if at.returns {
		ps.returned(th, at)
	}
	if at.leaves != notLeaving {
		ps.left(th, at.leaves)
	}
	if f := at.enters; f != nil && f.looped {
		th.armed = append(th.armed, place{f.run, sp + 8})
	} else if f != nil {
		ps.called(th, f, sp+8)
	}
	if f := at.runs; f != nil {
		ps.ran(th, f)
	}
	if at.inlined != nil {
		ps.inlinedHere(th, at)
	}
	if at.lines != nil {
		ps.passes(th, at.lines)
	}
}

// begins is when the program is about to run its own code, with its libraries.
func (ps *probes) begins() {
	ps.points[ps.entry].beginsAt = false
	ps.drop(ps.entry)
	ps.entry = 0
	ps.look()
	p := ps.p
	for _, want := range ps.asked {
		ps.judge(want, p == p.tree.root && !p.executed)
	}
}

// ran is a thread behind the prologue of a function.
func (ps *probes) ran(th *thread, f *probedFunction) {
	if !f.looped && !f.awaited() {
		ps.called(th, f, 0)
		return
	}
	ps.unwinder.Limit = 1
	ps.buffer, _ = ps.unwinder.Unwind(unwindRegs(&th.regs), ps.p.memory, ps.buffer[:0])
	var inner unwind.Frame
	if len(ps.buffer) > 0 {
		inner = ps.buffer[0]
	}
	if f.looped {
		last := len(th.armed) - 1
		for last >= 0 && th.armed[last].sp < inner.CFA {
			last-- // it was left
		}
		if last < 0 || th.armed[last] != (place{f.run, inner.CFA}) {
			return // it has been told
		}
		th.armed = th.armed[:last]
	}
	ps.called(th, f, inner.CFA)
}

// awaited reports whether the returns of a function are of interest.
func (f *probedFunction) awaited() bool {
	return !f.jumps && !f.inlined && (f.wanted[atReturns] || f.chooses != nil)
}

// called is a thread that has called a function; cfa is its canonical frame address, 0 if it is not known.
func (ps *probes) called(th *thread, f *probedFunction, cfa uint64) {
	key := [2]string{f.object, f.name}
	inlined, reached := ps.reached[key]
	told := reached && (f.inlined || inlined) // a function of the same name may be another one
	for _, kind := range []probeKind{atCalls, atFirst} {
		if f.wanted[kind] && (kind != atFirst || !told) {
			th.due = append(th.due, &probeEvent{word: probeWords[kind], of: f.functionName, inlined: f.inlined, changes: ps.changes})
		}
	}
	if f.wanted[atFirst] {
		ps.reached[key] = inlined || f.inlined
		f.wanted[atFirst] = false
		ps.unwanted(f)
	}
	if !f.awaited() {
		return
	}
	back, ok := ps.word(cfa - 8)
	switch {
	case !ok || cfa == 0:
		ps.p.tally.note("some returns are missing: the call frame was not understood")
		return
	case !ps.unwinder.Returns(back) && !ps.unwinder.Begins(back):
		// What is no instruction must not get a breakpoint.
		ps.p.tally.note("some returns are missing: the function was entered without a call")
		return
	}
	ps.overwritten(th, cfa, back)
	at := ps.point(back)
	if !at.returns {
		points, _ := ps.p.breakpoints()
		if err := points.Insert(breakpoint.Probe, back); err != nil {
			ps.drop(back)
			ps.p.tally.note("some returns are missing: " + err.Error())
			return
		}
	}
	at.returns = true
	at.waits++
	th.calls = append(th.calls, activeCall{f, cfa, back, th.stopwatch})
}

// unwanted takes out the breakpoints of a function of which nothing is to be told any more.
func (ps *probes) unwanted(f *probedFunction) {
	if f.wanted != [probeKinds]bool{} {
		return
	}
	if f.inlined {
		ps.dropInlined(f)
		return
	}
	for _, addr := range []uint64{f.enter, f.run} {
		at := ps.points[addr]
		if at == nil {
			continue
		}
		if at.enters == f {
			at.enters = nil
		}
		if at.runs == f {
			at.runs = nil
		}
		ps.drop(addr)
	}
}

func (ps *probes) word(addr uint64) (uint64, bool) {
	var b [8]byte
	n := ps.p.memory.ReadAt(b[:], addr)
	return binary.LittleEndian.Uint64(b[:]), n == len(b)
}
