package session

import (
	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// thread is one that is traced: what is known of it. What it does is a state of package tracee. Its
// fields belong to the tracing goroutine, but those that the process's mutex guards: a debugger
// reads them.
type thread struct {
	p      *process
	tid    int
	number int // which of its process, from 1; the script's name for it

	standing bool             // guarded: it stands still, and its registers are known
	regs     unix.PtraceRegs  // guarded: while it stands
	float    []byte           // guarded
	siginfo  tracer.Siginfo   // guarded: of the signal for which it stands
	changed  bool             // guarded: regs are to be written back
	before   *unix.PtraceRegs // guarded: regs as they were when the debugger was shown the event
	calling  bool             // guarded: the debugger has it call a function of the program before it goes on
	halted   bool             // guarded: the debugger has stopped it for its own purposes
	kept     bool             // guarded: an event of it is to be acted on before it goes on
	shown    bool             // guarded: the debugger knows that it stands, and resumes it
	pace     tracee.Pace      // at which the debugger wants it to go on
	turns    int              // how often it had come to a processor when it was interrupted to be sampled
	owing    bool             // its next system call is to be sampled
	at       *callSite        // it stands before this call, which is counted
	again    place            // where it will meet the breakpoint that it was stepped over
	unmask   uint64           // the mask that it has in truth, while the clock's signal is taken out of it
	later    tracee.Errand    // that it is to be stopped for when that is done
	name     int              // of the process's goroutine: the debugger's number for it
}

func (t *tree) newThread(p *process, tid int) *thread {
	p.threadsMade++
	th := &thread{p: p, tid: tid, number: p.threadsMade}
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
}

// renamed is a thread that has taken its leader's number, by executing another program.
func (t *tree) renamed(th *thread, tid int) {
	p := th.p
	th.passed()
	if p.clk != nil {
		p.clk.remove(th.tid)
	}
	p.mu.Lock()
	delete(p.threads, th.tid)
	delete(t.threads, th.tid)
	th.tid = tid
	p.threads[tid], t.threads[tid] = th, th
	p.mu.Unlock()
	if p.clk != nil {
		p.clockThread(tid)
	}
}

// goOn lets a thread go on that stands still.
func (t *tree) goOn(th *thread) {
	p := th.p
	p.mu.Lock()
	if th.at != nil {
		t.past(th)
	}
	pace := th.pace
	if p.points.Passing(th.tid) {
		pace = tracee.Step
	} else if pace == tracee.Onward && (p.catching || th.owing) {
		pace = tracee.Calls
	}
	th.standing = false
	p.mu.Unlock()
	t.step(tracee.Event{Kind: tracee.Resume, Tid: th.tid, Pace: pace})
}

// goOnIf is goOn for a thread of which nothing is still to be acted on.
func (t *tree) goOnIf(th *thread) {
	th.p.mu.Lock()
	goes := th.standing && !th.kept
	th.p.mu.Unlock()
	if goes {
		t.goOn(th)
	}
}

// owe changes the signal that a thread gets when it goes on; 0: none.
func (t *tree) owe(th *thread, sig unix.Signal) {
	t.step(tracee.Event{Kind: tracee.Owe, Tid: th.tid, Signal: int(sig)})
}

// want has a thread stop for an errand. An error means that it is gone.
func (t *tree) want(th *thread, e tracee.Errand) error {
	return t.step(tracee.Event{Kind: tracee.Want, Tid: th.tid, Errand: e})
}

// forgo is when an errand was done by the way.
func (t *tree) forgo(th *thread, e tracee.Errand) {
	t.step(tracee.Event{Kind: tracee.Forgo, Tid: th.tid, Errand: e})
}

// does is what a thread does.
func (t *tree) does(th *thread) tracee.State {
	s, _ := t.traced.State(th.tid)
	return s
}

// stands reports whether the thread stands still.
func (th *thread) stands() bool {
	th.p.mu.Lock()
	defer th.p.mu.Unlock()
	return th.standing
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

// putBack writes the registers that were changed. The mutex is held.
func (t *tree) putBack(th *thread) {
	if !th.changed {
		return
	}
	t.tracer.SetRegisters(th.tid, &th.regs)
	if th.float != nil {
		t.tracer.SetFloat(th.tid, th.float)
	}
	th.changed = false
}
