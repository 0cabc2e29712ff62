package session

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// signaled is a stop before a signal is delivered, which it is only if it's the program's own.
func (t *tree) signaled(th *thread, sig unix.Signal) {
	p := th.p
	t.owe(th, 0)
	if th.unmask != 0 {
		// The clock's signal, taken out of a thread that blocks it.
		t.tracer.SetMask(th.tid, th.unmask)
		th.unmask = 0
		t.want(th, th.later)
		th.later = tracee.NoErrand
	}
	if t.trapSignaled(th, sig) {
		return
	}
	if p.clk != nil && p.clk.watches(sig) {
		info, err := t.tracer.Siginfo(th.tid)
		if err == nil && p.clk.sent(th.tid, &info) {
			t.tick(th, false)
			return
		}
	}
	if sig == unix.SIGTRAP && t.trap(th) {
		return
	}
	calling := th.inCall()
	if over, passed := th.passed(); passed && t.stand(th) && th.regs.Rip == over {
		th.again = place{th.regs.Rip, th.regs.Rsp}
	}
	if calling && t.stand(th) {
		// A call that the debugger makes may end by one: it returns to the stack.
		t.showStop(th, remote.Stop{Signal: int(sig)})
		return
	}
	t.owe(th, sig)
	if !t.stand(th) {
		t.goOn(th)
		return
	}
	t.unheard(th, sig)
	if p.runs.rule == nil || sig == unix.SIGVTALRM {
		t.goOn(th) // of that name are ticks alone
		return
	}
	p.tell(notice{kind: signalCame, thread: th, signal: sig})
}

// tick is a stop because a thread's time has come, or for a signal of the
// clock that is too late.
func (t *tree) tick(th *thread, attempt bool) {
	p := th.p
	t.forgo(th, tracee.Sample)
	if !t.stand(th) {
		t.goOn(th)
		return
	}
	slept := attempt && th.slept() // it's to be found where it uses its time
	t.repair(th)
	var periods uint64
	switch {
	case !attempt:
		periods = p.clk.tick(th.tid)
		th.owing = !p.served && p.clk.owes(th.tid) // a debugger could not have it call anything there
	case !slept:
		periods = p.clk.attempted(th.tid, int64(th.regs.Orig_rax) >= 0)
	}
	if periods == 0 || th.inCall() { // what a debugger has it call is no work of the program, and must come to its end
		t.goOn(th)
		return
	}
	if attempt {
		p.tally.attempted = true
	}
	p.tell(notice{kind: ticked, thread: th, periods: periods, at: time.Now(), cpu: tracer.ProcessTime(p.pid)})
}

// errand is a stop that we asked for, and why.
func (t *tree) errand(th *thread, e tracee.Errand) {
	p := th.p
	if p.clk != nil {
		sig := p.clk.stray(th.tid)
		p.clk.tookOut(th.tid)
		if sig != 0 && t.unblock(th, sig) {
			th.later = e
			return
		}
	}
	if e == tracee.Sample && p.clk != nil {
		t.tick(th, true)
		return
	}
	if !t.stand(th) {
		t.goOn(th)
		return
	}
	if e == tracee.SetBack {
		th.setBack()
		t.goOn(th)
		return
	}
	t.repair(th)
	switch e {
	case tracee.Begin:
		p.tell(notice{kind: begun, thread: th, word: "attached"})
	case tracee.Halt:
		t.showStop(th, remote.Stop{})
	case tracee.Visit:
		t.visit(th)
	default:
		t.goOn(th)
	}
}

// unblock takes the clock's signal out of a thread that blocks it, so that it
// does not stay there after us: the thread is made to accept it for the instant
// in which we take it.
func (t *tree) unblock(th *thread, sig unix.Signal) bool {
	status, err := proc.ReadStatus(th.p.pid, th.tid)
	if err != nil || status.Pending&tracer.Bit(sig) == 0 {
		return false
	}
	mask, err := t.tracer.Mask(th.tid)
	if err != nil || mask&tracer.Bit(sig) == 0 {
		return false
	}
	if t.tracer.SetMask(th.tid, mask&^tracer.Bit(sig)) != nil {
		return false
	}
	th.unmask = mask
	t.step(tracee.Event{Kind: tracee.Resume, Tid: th.tid})
	return true
}

// interrupted reports whether the thread stands in a system call that is about to
// return EINTR.
func (th *thread) interrupted() bool {
	return int64(th.regs.Rax) == -int64(unix.EINTR) && int64(th.regs.Orig_rax) >= 0
}

// repair undoes what our stop may do to a system call that blocks: some, such as
// epoll_wait, return EINTR at any stop. The call is made again, unless a signal
// is waiting that would have ended it.
func (t *tree) repair(th *thread) {
	if !th.interrupted() {
		return
	}
	status, err := proc.ReadStatus(th.p.pid, th.tid)
	const stops = 1<<(unix.SIGSTOP-1) | 1<<(unix.SIGTSTP-1) | 1<<(unix.SIGTTIN-1) | 1<<(unix.SIGTTOU-1)
	if err != nil || (status.Pending|status.Shared)&^status.Blocked&(status.Caught|stops) != 0 {
		return
	}
	const restartNoHandler = 514 // ERESTARTNOHAND
	th.change(func(r *unix.PtraceRegs) bool {
		r.Rax = ^uint64(restartNoHandler - 1)
		t.tracer.SetRegisters(th.tid, r)
		return false
	})
	th.p.tally.repaired++
}

// unheard repairs a system call that ended for a signal which the program
// ignores: the kernel keeps such a one for a tracer alone.
func (t *tree) unheard(th *thread, sig unix.Signal) {
	if !th.interrupted() {
		return
	}
	const byDefault = 1<<(unix.SIGCHLD-1) | 1<<(unix.SIGURG-1) | 1<<(unix.SIGWINCH-1) | 1<<(unix.SIGCONT-1)
	status, err := proc.ReadStatus(th.p.pid, th.tid)
	if err == nil && (status.Ignored|byDefault&^status.Caught)&tracer.Bit(sig) != 0 {
		t.repair(th)
	}
}
