package session

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// thread is one that is traced. Its fields belong to the tracing goroutine,
// but those that the process's mutex guards: a debugger reads them.
type thread struct {
	p      *process
	tid    int
	number int  // which of its process, from 1; the script's name for it
	early  bool // its maker's event is still to come
	born   bool // it has begun

	standing bool             // guarded: it stands still until resumed
	regs     unix.PtraceRegs  // guarded: while it stands
	float    []byte           // guarded
	siginfo  tracer.Siginfo   // guarded: of the signal for which it stands
	changed  bool             // guarded: regs are to be written back
	before   *unix.PtraceRegs // guarded: regs as they were when the debugger was shown the event
	calling  bool             // guarded: the debugger has it call a function of the program before it goes on
	back     bool             // it's to stop, and to be set back to before
	owed     unix.Signal      // to be delivered when it goes on
	how      tracer.How       // how it runs
	leaving  bool             // it's let go at its next stop
	begins   bool             // it is the one of an attached process to stop for the script
	stale    bool             // its debug registers are to be set
	halted   bool             // guarded: the debugger has stopped it for its own purposes
	kept     bool             // guarded: an event of it is to be acted on before it goes on
	halt     bool             // the debugger wants it to stop
	due      bool             // it was interrupted because its time has come
	turns    int              // how often it had come to a processor then
	owing    bool             // its next system call is to be sampled
	at       *callSite        // it stands before this call, which is counted
	again    place            // where it will meet the breakpoint that it was stepped over
	unmask   uint64           // the mask that it has in truth, while it's being taken out
	listens  bool             // it has stopped for job control
	shown    bool             // guarded: the debugger knows that it stands, and resumes it
	name     int              // of the process's goroutine: the debugger's number for it
}

// child is a process between its parent's event and its own first.
type child struct {
	parent  *process
	how     string
	shares  bool // its parent's memory
	born    bool
	decided bool // whether it's followed
	follow  bool
	runs    image        // as its parent did, when that was decided
	trap    *tracer.Trap // it's in this pause-trap, or will be

	original breakpoint.Originals // of its parent's memory, as it got it
}

func (t *tree) newThread(p *process, tid int) *thread {
	p.threadsMade++
	th := &thread{p: p, tid: tid, number: p.threadsMade, born: true}
	p.mu.Lock()
	p.threads[tid] = th
	p.mu.Unlock()
	t.threads[tid] = th
	return th
}

func (t *tree) dropThread(th *thread) {
	if th.p.clk != nil {
		th.p.clk.remove(th.tid)
	}
	th.passed()
	th.p.mu.Lock()
	delete(th.p.threads, th.tid)
	th.standing = false
	th.p.mu.Unlock()
	delete(t.threads, th.tid)
	if th.early {
		t.early[th.tid] = early{thread: true} // and what there is to note of it is noted
	}
}

// happened acts on what the kernel tells of a thread.
func (t *tree) happened(ev tracer.Event) {
	if ev.Kind == tracer.Rang || ev.Kind == tracer.Alone {
		return
	}
	th := t.threads[ev.Tid]
	if ev.Kind == tracer.Ended {
		t.ended(th, ev)
		return
	}
	if ev.Kind == tracer.Executed {
		th = t.executing(ev)
	}
	if th == nil && t.root != nil && ev.Tid == t.root.pid && t.root.released {
		t.root.stopped, t.root.stopSignal = ev.Kind == tracer.Signaled, ev.Signal
		return
	}
	if t.trappedChild(ev) {
		return
	}
	if th == nil || !th.born {
		// The first stop of a new one, whatever for.
		if ev.Kind == tracer.Signaled {
			t.tracer.Resume(ev.Tid, tracer.Onward, ev.Signal)
			return
		}
		t.born(th, ev.Tid)
		return
	}
	th.listens = ev.Kind == tracer.Grouped
	if th.p.released || th.leaving {
		t.left(th, ev)
		return
	}
	switch ev.Kind {
	case tracer.Signaled:
		t.signaled(th, ev.Signal)
	case tracer.Grouped:
		th.p.stopped, th.p.stopSignal = true, ev.Signal
		t.tracer.Listen(th.tid)
	case tracer.Trapped:
		th.p.stopped = false
		t.trapped(th)
	case tracer.Forked:
		t.forked(th, ev)
	case tracer.Executed:
		t.executed(th)
	case tracer.Called:
		t.called(th)
	default:
		t.goOn(th)
	}
}

// goOn resumes a thread that stands still.
func (t *tree) goOn(th *thread) {
	p := th.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if th.at != nil {
		t.past(th)
	}
	if th.changed {
		t.tracer.SetRegisters(th.tid, &th.regs)
		if th.float != nil {
			t.tracer.SetFloat(th.tid, th.float)
		}
		th.changed = false
	}
	if th.halt || th.back || th.begins || th.stale || th.due && p.clk != nil {
		// The stop at a system call or a fork takes the place of one that was asked for.
		t.tracer.Interrupt(th.tid)
	}
	how := th.how
	if p.points.Passing(th.tid) {
		how = tracer.Step
	} else if how == tracer.Onward && (p.catching || th.owing) {
		how = tracer.Calls
	}
	th.standing = false
	sig := th.owed
	th.owed = 0
	t.tracer.Resume(th.tid, how, sig)
}

// stands reports whether the thread stands still.
func (th *thread) stands() bool {
	th.p.mu.Lock()
	defer th.p.mu.Unlock()
	return th.standing
}

// goOnIf resumes a thread if it stands still and nothing of it is still to be
// acted on.
func (t *tree) goOnIf(th *thread) {
	th.p.mu.Lock()
	goes := th.standing && !th.kept
	th.p.mu.Unlock()
	if goes {
		t.goOn(th)
	}
}

// stand reads what there is to know of a thread that has stopped; false: it's
// dying.
func (t *tree) stand(th *thread) bool {
	p := th.p
	p.mu.Lock()
	defer p.mu.Unlock()
	regs, err := t.tracer.Registers(th.tid)
	if err != nil {
		return false
	}
	th.regs, th.changed, th.standing = regs, false, true
	th.float = nil
	if p.served {
		th.float = t.tracer.Float(th.tid)
		th.siginfo, _ = t.tracer.Siginfo(th.tid)
	}
	return true
}

// signaled is a stop before a signal is delivered.
func (t *tree) signaled(th *thread, sig unix.Signal) {
	p := th.p
	if th.unmask != 0 {
		// The clock's signal, taken out of a thread that blocks it.
		t.tracer.SetMask(th.tid, th.unmask)
		th.unmask = 0
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
	p.mu.Lock()
	calling := th.calling
	p.mu.Unlock()
	if over, passed := th.passed(); passed && t.stand(th) && th.regs.Rip == over {
		th.again = place{th.regs.Rip, th.regs.Rsp}
	}
	if calling && t.stand(th) {
		// A call that the debugger makes may end by one: it returns to the stack.
		t.showStop(th, remote.Stop{Signal: int(sig)})
		return
	}
	th.owed = sig
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
	th.due = false
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
	if periods == 0 {
		t.goOn(th)
		return
	}
	if attempt {
		p.attempted.Store(true)
	}
	p.tell(notice{kind: ticked, thread: th, periods: periods, at: time.Now(), cpu: tracer.ProcessTime(p.pid)})
}

// trapped is a stop that we asked for.
func (t *tree) trapped(th *thread) {
	p := th.p
	if p.clk != nil {
		sig := p.clk.stray(th.tid)
		p.clk.tookOut(th.tid)
		if sig != 0 && t.unblock(th, sig) {
			return
		}
	}
	if th.stale {
		t.setDebug(th)
	}
	if th.back {
		th.back = false
		if t.stand(th) {
			p.mu.Lock()
			th.setBack()
			p.mu.Unlock()
		}
		t.goOn(th)
		return
	}
	if th.begins {
		th.begins = false
		if t.stand(th) {
			t.repair(th)
			p.tell(notice{kind: begun, thread: th, word: "attached"})
			return
		}
	}
	if th.halt {
		th.halt = false
		if t.stand(th) {
			t.repair(th)
			t.showStop(th, remote.Stop{})
			return
		}
	}
	if th.due && p.clk != nil {
		t.tick(th, true)
		return
	}
	if t.stand(th) {
		t.repair(th)
	}
	t.goOn(th)
}

// unblock takes the clock's signal out of a thread that blocks it, so that it
// does not stay there after us: the thread is made to accept it for the instant
// in which we take it.
func (t *tree) unblock(th *thread, sig unix.Signal) bool {
	status, err := tracer.ReadStatus(th.p.pid, th.tid)
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
	t.tracer.Resume(th.tid, tracer.Onward, 0)
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
	status, err := tracer.ReadStatus(th.p.pid, th.tid)
	const stops = 1<<(unix.SIGSTOP-1) | 1<<(unix.SIGTSTP-1) | 1<<(unix.SIGTTIN-1) | 1<<(unix.SIGTTOU-1)
	if err != nil || (status.Pending|status.Shared)&^status.Blocked&(status.Caught|stops) != 0 {
		return
	}
	const restartNoHandler = 514 // ERESTARTNOHAND
	th.p.mu.Lock()
	th.regs.Rax = ^uint64(restartNoHandler - 1)
	t.tracer.SetRegisters(th.tid, &th.regs)
	th.p.mu.Unlock()
	th.p.repaired.Add(1)
}

// unheard repairs a system call that ended for a signal which the program
// ignores: the kernel keeps such a one for a tracer alone.
func (t *tree) unheard(th *thread, sig unix.Signal) {
	if !th.interrupted() {
		return
	}
	const byDefault = 1<<(unix.SIGCHLD-1) | 1<<(unix.SIGURG-1) | 1<<(unix.SIGWINCH-1) | 1<<(unix.SIGCONT-1)
	status, err := tracer.ReadStatus(th.p.pid, th.tid)
	if err == nil && (status.Ignored|byDefault&^status.Caught)&tracer.Bit(sig) != 0 {
		t.repair(th)
	}
}

// ended is the end of a thread, or of a process.
func (t *tree) ended(th *thread, ev tracer.Event) {
	if _, orphan := t.orphans[ev.Tid]; orphan {
		delete(t.orphans, ev.Tid)
		t.early[ev.Tid] = early{at: time.Now(), status: ev.Status, cpu: ev.CPU}
		return
	}
	if c := t.children[ev.Tid]; c != nil {
		t.notBegun(ev.Tid, c, ev.CPU, statusText(ev.Status))
	}
	if th == nil {
		if t.root == nil || ev.Tid != t.root.pid || t.root.gone {
			return
		}
		th = &thread{p: t.root, tid: ev.Tid}
	}
	p := th.p
	t.dropThread(th)
	p.tellEnded(ev.Tid, ev.Status)
	if ev.Tid != p.pid {
		p.tell(notice{kind: threadEnded, thread: th})
		return
	}
	t.trapEnded(p)
	p.gone = true
	if p == t.root {
		t.status = ev.Status
	}
	for _, other := range p.threadList() {
		t.dropThread(other)
	}
	p.stopClock()
	t.programs.forget(p.pid)
	p.tell(notice{kind: processEnded, status: ev.Status, cpu: ev.CPU})
	if p == t.root {
		t.letDaemonsGo()
	}
}
