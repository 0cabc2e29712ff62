package session

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// watches are what a debugger has asked to be stopped for, besides breakpoints.
type watches struct {
	watched  [tracer.DebugAddresses]register
	everSet  bool         // debug registers may be set in threads
	catching bool         // system calls stop it
	calls    map[int]bool // those alone; empty: all
}

type watchpoint struct {
	kind         remote.WatchKind
	addr, length uint64
}

// pointsOf are the breakpoints of the memory that a process executes in.
type pointsOf struct {
	*breakpoint.Set
	borrowed bool // the memory is its parent's
}

// newPoints are those of a process with memory of its own.
func (t *tree) newPoints(pid int) *pointsOf {
	open := func() (breakpoint.Memory, error) { return os.OpenFile(proc.Entry(pid, "mem"), os.O_RDWR, 0) }
	return &pointsOf{Set: breakpoint.New(open, func() breakpoint.Mender { return t.mender.of(pid) })}
}

// breakpoints are those of the process's memory. own is false where that is its parent's, as after
// vfork: what a child executes is below them, and it puts none in.
func (p *process) breakpoints() (points *breakpoint.Set, own bool) {
	m := p.points.Load()
	return m.Set, !m.borrowed
}

// borrow is for a process that shares the memory of another, with the breakpoints in it.
func (p *process) borrow(of *process) {
	points, _ := of.breakpoints()
	p.points.Store(&pointsOf{points, true})
}

// dropBreakpoints takes out what the debugger has put in. Threads that have just met a breakpoint
// stand on it again, as if it had never been.
func (p *process) dropBreakpoints() {
	if points, own := p.breakpoints(); own {
		points.Drop(breakpoint.Debugger)
	}
	p.watches = watches{everSet: p.everSet}
}

// originals are what the breakpoints of the process's memory stand for.
func (p *process) originals() breakpoint.Originals {
	points, _ := p.breakpoints()
	return points.Originals()
}

// hasHad reports whether breakpoints or watchpoints were ever in the process's memory or threads.
func (p *process) hasHad() bool {
	points, _ := p.breakpoints()
	return p.everSet || points.Ever()
}

// newMemory is when the process executes another program.
func (t *tree) newMemory(p *process) {
	old, own := p.breakpoints()
	p.points.Store(t.newPoints(p.pid))
	p.watches = watches{}
	for _, other := range t.processes {
		if points, _ := other.breakpoints(); points == old {
			return
		}
	}
	if own {
		old.Gone()
	}
}

// withoutBreakpoints cleans the memory that a child got from its parent.
func (c *child) withoutBreakpoints(child int) {
	if len(c.original) == 0 {
		return
	}
	f, err := os.OpenFile(proc.Entry(child, "mem"), os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	c.original.Clean(f)
}

// stepBack sets a thread that has met an int3 back to it.
func (th *thread) stepBack() {
	th.change(func(r *unix.PtraceRegs) bool {
		r.Rip--
		return true
	})
}

// holds reports whether a byte of the process's memory is this one.
func (p *process) holds(addr uint64, b byte) bool {
	held := [1]byte{}
	return p.ReadMemory(held[:], addr) == 1 && held[0] == b
}

// trap is a stop for SIGTRAP: false, if it's the program's own.
func (t *tree) trap(th *thread) bool {
	p := th.p
	if !p.hasHad() && th.pace != tracee.Step && !th.late || !t.stand(th) {
		return false
	}
	points, own := p.breakpoints()
	at := th.regs.Rip - 1
	info, _ := t.tracer.Siginfo(th.tid)
	clk, _ := p.clk.(*callClock)
	point := p.probes.at(at)
	facts := sigtrap{
		code: info.Code(), steps: th.pace == tracee.Step, here: points.Owners(at) != 0, was: points.Was(at), lent: !own,
		counts: clk != nil && clk.sites[at] != nil, probes: point != nil, late: th.late,
	}
	facts.watches = p.everSet && !(facts.code == unnamedRegister && p.holds(at, int1))
	_, facts.passed = points.Passed(th.tid)
	th.late = false
	stop := remote.Stop{Signal: int(unix.SIGTRAP)}
	switch cause := facts.cause(); cause {
	case trapParents:
		th.stepBack()
		points.Pass(th.tid, at, nil)
		t.goOn(th)
		return true
	case trapCounted:
		th.stepBack()
		t.probed(th, point)
		t.met(th, clk, clk.sites[at])
		return true
	case trapProbed:
		th.stepBack()
		t.probed(th, point)
		th.hasMet()
		t.goOn(th)
		return true
	case trapLate:
		th.stepBack()
		t.goOn(th)
		return true
	case trapMet:
		th.stepBack()
		stop.Breakpoint = true
	case trapPassed, trapStepped, trapWatched:
		w, hit := t.watchHit(th, cause == trapWatched)
		switch {
		case hit:
			stop.Watched, stop.Watch = w.addr, w.kind
		case cause != trapStepped:
			t.goOn(th)
			return true
		}
	case trapUnknown:
		return false
	}
	th.pace = tracee.Onward
	t.forgo(th, tracee.Halt)
	t.showStop(th, stop)
	return true
}
