package session

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// release lets go of a process: its threads run on as if we had never been.
func (t *tree) release(p *process) {
	if fate, known := t.traced.Fate(p.pid); !known || fate == tracee.Released || p.gone {
		return
	}
	p.free.Store(true)
	if points, own := p.breakpoints(); own {
		points.Seal()
	}
	p.abandon()
	p.stopClock()
	p.endProbes()
	p.dropBreakpoints()
	t.step(tracee.Event{Kind: tracee.Release, Pid: p.pid})
	if p != t.root || t.ending {
		p.tell(notice{kind: letGo})
	} // the end of the program itself, our child, we learn all the same
}

// putRight makes a thread that stands still what it would be without us. It reports whether the
// thread has still to meet a signal of ours.
func (t *tree) putRight(th *thread) (stays bool) {
	p := th.p
	th.setBack()
	t.endStop(th)
	if p.everSet {
		t.setDebug(th) // the kernel would leave it as it is
	}
	// If it has been stepped, or has met what was put in, it would die of that.
	return (th.pace == tracee.Step || th.late || p.hasHad()) && th.trapPends()
}

// judge tells what signal a thread that is to be let go gets, of the one for which it stands, and
// whether it has to stay because it's in a pause-trap.
func (t *tree) judge(th *thread, sig unix.Signal) (_ unix.Signal, stays bool) {
	if th.unmask != 0 {
		t.tracer.SetMask(th.tid, th.unmask)
		th.unmask = 0
	}
	if own, stays := t.leavesTrap(th, sig); own || stays {
		if own {
			sig = 0
		}
		return sig, stays
	}
	switch {
	case t.clocks(th, sig):
		if t.stand(th) {
			t.repair(th)
		}
		return 0, false
	case sig == unix.SIGTRAP && t.stand(th) && t.ownTrap(th):
		return 0, false
	}
	return sig, false
}

// ownTrap reports whether a SIGTRAP comes of a breakpoint, a step or a watchpoint.
func (t *tree) ownTrap(th *thread) bool {
	info, err := t.tracer.Siginfo(th.tid)
	points, _ := th.p.breakpoints()
	switch {
	case err != nil || info.Code() <= userSent:
		return false
	case info.Code() != kernelSent:
		return th.pace == tracee.Step || th.late || th.p.everSet || points.Passing(th.tid)
	case !points.Was(th.regs.Rip - 1):
		return false
	}
	th.stepBack()
	return true
}

// clocks reports whether the signal for which a thread stands is of the kind that its last
// clock sent: the program's own are to reach it.
func (t *tree) clocks(th *thread, sig unix.Signal) bool {
	switch th.p.tally.clock {
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
	t.ending = true
	for _, pid := range t.traced.Children() {
		t.decide(pid, tracee.Drop)
	}
	for _, p := range t.processes {
		p.free.Store(true)
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
	for t.traced.Leaving() && time.Now().Before(deadline) {
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
