package session

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// release lets go of a process: its threads run on as if we had never been.
func (t *tree) release(p *process) {
	if p.released || p.gone {
		return
	}
	p.released = true
	p.let.Store(true)
	if points, own := p.breakpoints(); own {
		points.Seal()
	}
	p.abandon()
	p.stopClock()
	p.dropBreakpoints()
	for _, th := range p.threadList() {
		th.leaving = true
		switch {
		case !th.born:
			// Its first stop will come.
		case th.stands() && p.trap.laid != nil:
			t.goOn(th) // into its trap
		case th.stands():
			t.leave(th, th.owed)
		case t.tracer.Interrupt(th.tid) != nil:
			t.dropThread(th) // it's gone; its end is reported to others
		}
	}
	if p != t.root || t.stale {
		p.tell(notice{kind: letGo})
	} // the end of the program itself, our child, we learn all the same
}

// leave detaches a thread that stands still.
func (t *tree) leave(th *thread, sig unix.Signal) {
	p := th.p
	p.mu.Lock()
	th.setBack()
	if th.changed {
		t.tracer.SetRegisters(th.tid, &th.regs)
		th.changed = false
	}
	th.standing = false
	p.mu.Unlock()
	if p.everSet {
		t.setDebug(th) // the kernel would leave it as it is
	}
	if th.how == tracer.Step || p.hasHad() {
		status, err := tracer.ReadStatus(p.pid, th.tid)
		if err == nil && status.Pending&tracer.Bit(unix.SIGTRAP) != 0 {
			// It has been stepped, or has met what was put in, and would die of that.
			th.leaving = true
			t.tracer.Resume(th.tid, tracer.Onward, sig)
			return
		}
	}
	t.tracer.Detach(th.tid, sig)
	t.dropThread(th)
	p.trap.close()
}

// setBack undoes a call that the debugger was making in a thread. The mutex is
// held.
func (th *thread) setBack() {
	if th.calling {
		th.regs, th.changed = *th.before, true
		th.calling, th.before = false, nil
	}
}

// left is a stop of a thread that is to be let go.
func (t *tree) left(th *thread, ev tracer.Event) {
	if t.leavesTrap(th, ev) {
		return
	}
	sig := unix.Signal(0)
	switch ev.Kind {
	case tracer.Signaled:
		sig = ev.Signal
		if th.unmask != 0 {
			t.tracer.SetMask(th.tid, th.unmask)
			th.unmask = 0
		}
		switch {
		case t.clocks(th, sig):
			sig = 0
			if t.stand(th) {
				t.repair(th)
			}
		case sig == unix.SIGTRAP && t.stand(th) && t.ownTrap(th):
			sig = 0
		}
	case tracer.Forked:
		t.leftChild(th, ev)
	case tracer.Trapped:
		if t.stand(th) {
			t.repair(th)
		}
	}
	t.leave(th, sig)
}

// leftChild lets what a thread that leaves has made go with it.
func (t *tree) leftChild(th *thread, ev tracer.Event) {
	if _, ended := t.early[ev.Child]; ended {
		delete(t.early, ev.Child)
		return
	}
	if known := t.threads[ev.Child]; known != nil {
		known.early = false
		return
	}
	if t.children[ev.Child] != nil {
		return
	}
	_, begun := t.orphans[ev.Child]
	delete(t.orphans, ev.Child)
	if ev.How == "clone" && tgid(ev.Child) == th.p.pid {
		th.p.addThread(t, ev.Child, begun, false)
		return
	}
	t.children[ev.Child] = &child{parent: th.p, how: ev.How, born: begun, original: th.p.originals()}
	t.decide(ev.Child, false)
}

// ownTrap reports whether a SIGTRAP comes of a breakpoint, a step or a watchpoint.
func (t *tree) ownTrap(th *thread) bool {
	info, err := t.tracer.Siginfo(th.tid)
	if err != nil || info.Code() <= 0 {
		return false
	}
	if info.Code() == kernelSent {
		return th.p.atOldBreakpoint(th, info.Code())
	}
	points, _ := th.p.breakpoints()
	return th.how == tracer.Step || th.p.everSet || points.Passing(th.tid)
}

// clocks reports whether the signal for which a thread stands is of the kind that its last
// clock sent: the program's own are to reach it.
func (t *tree) clocks(th *thread, sig unix.Signal) bool {
	switch th.p.lastClock {
	case perfName:
		info, err := t.tracer.Siginfo(th.tid)
		return err == nil && slices.Contains(clockSignals[:], sig) && info.Code() > 0 && info.Code() < kernelSent
	case itimerName:
		return sig == unix.SIGVTALRM
	}
	return false
}

// leaveTime is how long threads may take to stop so that they can be let go.
const leaveTime = 2 * time.Second

// letGoOfAll ends the run: whatever is still followed runs on without us.
//
// Those that were never changed are simply left to the kernel, which lets them
// go when our thread ends, without a stop; those that stand still, or in which
// the debugger has put breakpoints, are let go one by one.
func (t *tree) letGoOfAll() {
	t.stale = true
	for pid := range t.children {
		t.decide(pid, false)
	}
	for _, p := range t.processes {
		p.let.Store(true)
		if points, own := p.breakpoints(); own {
			points.Seal()
		}
		p.abandon()
		if p.hasHad() || p.trap.laid != nil || p.anyStands() {
			t.release(p)
		} else {
			p.stopClock()
		}
	}
	deadline := time.Now().Add(leaveTime)
	for t.leaving() && time.Now().Before(deadline) {
		t.look = time.Time{}
		t.wake(time.Now().Add(10 * time.Millisecond))
		ev, err := t.tracer.Next()
		if err != nil || ev.Kind == tracer.Alone {
			break
		}
		t.happened(ev)
		t.posted()
	}
	for _, p := range t.processes {
		p.tell(notice{kind: letGo})
	}
	for t.served > 0 {
		// Their goroutines may still ask for something.
		t.look = time.Time{}
		t.wake(time.Now().Add(10 * time.Millisecond))
		if ev, err := t.tracer.Next(); err == nil && ev.Kind != tracer.Rang {
			t.happened(ev)
		}
		t.posted()
	}
}

// leaving reports whether a thread is still to be let go one by one.
func (t *tree) leaving() bool {
	for _, th := range t.threads {
		if th.leaving {
			return true
		}
	}
	return len(t.children) > 0
}
