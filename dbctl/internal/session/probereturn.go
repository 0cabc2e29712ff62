package session

import "math/bits"

// A call is over when the thread comes to where it returns to, with the stack pointer that it has then.
// One that jumps to another function instead of calling it (a tail call) returns with that. One whose
// frame is gone otherwise, by longjmp or an exception, was left. A thread may have several stacks and go to and
// fro between them: what lies on another one is not gone because this one is less deep.

// returned is a thread at an address that calls return to.
func (ps *probes) returned(th *thread, at *probePoint) {
	pc, sp := th.regs.Rip, th.regs.Rsp
	// The outermost that returns here and now: those that do are near each other, and calls may be very many.
	const near = 64
	first := len(th.calls)
	for i := first - 1; i >= 0 && (first == len(th.calls) || first-i <= near); i-- {
		if c := th.calls[i]; c.cfa == sp && c.back == pc {
			first = i
		}
	}
	if first == len(th.calls) {
		if at.waits == 0 {
			at.returns = false
			ps.drop(pc)
		}
		return
	}
	for i := len(th.calls) - 1; i >= first; i-- {
		switch c := th.calls[i]; {
		case c.cfa == sp && c.back == pc:
			ps.over(th, i, "return")
		case ps.gone(c):
			ps.over(th, i, "left")
		}
	}
}

// over is when a call is.
func (ps *probes) over(th *thread, i int, word string) {
	c := th.calls[i]
	th.calls = append(th.calls[:i], th.calls[i+1:]...)
	ps.awaited(c)
	if c.of.chooses != nil && word == "return" {
		ps.chose(c.of, th.regs.Rax)
	}
	if !c.of.wanted[atReturns] {
		return
	}
	th.due = append(th.due, &probeEvent{word: word, of: c.of.functionName, took: th.took(c.began), changes: ps.changes})
}

// awaited is when a call is no longer waited for. The breakpoint stays until it is met for no call: most
// are made again.
func (ps *probes) awaited(c activeCall) {
	if at := ps.points[c.back]; at != nil && at.waits > 0 {
		at.waits--
	}
}

// overwritten tells of the calls that were left, which a new one shows: its frame is where theirs was. A call
// that has the same place to return to was left by the new one, by a jump.
func (ps *probes) overwritten(th *thread, cfa, back uint64) {
	for i := len(th.calls) - 1; i >= 0 && th.calls[i].cfa <= cfa; i-- {
		c := th.calls[i]
		if c.cfa == cfa && c.back == back {
			continue
		}
		if ps.gone(c) {
			ps.over(th, i, "left")
		}
	}
}

// gone reports whether the frame of a call is overwritten.
func (ps *probes) gone(c activeCall) bool {
	now, ok := ps.word(c.cfa - 8)
	return !ok || now != c.back
}

// forget is a thread that has ended, or executes another program.
func (ps *probes) forget(th *thread) {
	if ps != nil {
		for _, c := range th.calls {
			ps.awaited(c)
		}
	}
	th.probing = probing{}
}

// leaving is how a function leaves calls without their return.
type leaving int

const (
	notLeaving leaving = iota
	byJump             // to where setjmp was called
	byCatch            // to a handler of an exception, which calls this first
)

// leavers are the functions that do.
var leavers = map[string]leaving{
	"longjmp": byJump, "_longjmp": byJump, "siglongjmp": byJump, "__longjmp_chk": byJump, "__libc_longjmp": byJump,
	"__libc_siglongjmp": byJump, "__cxa_begin_catch": byCatch,
}

// left is a thread that has called one.
func (ps *probes) left(th *thread, how leaving) {
	to := th.regs.Rsp + 8
	if how == byJump {
		var ok bool
		if to, ok = ps.jumpsTo(th); !ok {
			return
		}
	}
	const most = 1 << 28 // that is left of one stack at once
	for i := len(th.calls) - 1; i >= 0; i-- {
		if cfa := th.calls[i].cfa; cfa <= to && to-cfa < most {
			ps.over(th, i, "left")
		}
	}
}

// jumpsTo is the stack pointer to which longjmp leads: glibc has it scrambled with a number of the thread.
func (ps *probes) jumpsTo(th *thread) (uint64, bool) {
	const saved, guard, turned = 6 * 8, 0x30, 17
	sp, ok := ps.word(th.regs.Rdi + saved)
	key, found := ps.word(th.regs.Fs_base + guard)
	if !ok || !found {
		return 0, false
	}
	here := th.regs.Rsp
	for _, to := range []uint64{sp, bits.RotateLeft64(sp, -turned) ^ key} {
		const most = 1 << 32 // that a stack may have
		if to > here && to-here < most {
			return to, true
		}
	}
	return 0, false // to another stack, or unknown
}
