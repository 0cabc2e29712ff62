package session

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// trapSignaled is a stop for a signal: true, if it was of a pause-trap.
func (t *tree) trapSignaled(th *thread, sig unix.Signal) bool {
	p := th.p
	f := &p.trap
	switch {
	case f.laid != nil && sig == unix.SIGTRAP && t.tracer.Met(th.tid, f.laid):
		t.returned(th)
	case f.sent(t.tracer, th.tid, sig):
		regs, err := t.tracer.Registers(th.tid)
		if err == nil && regs.Rip == f.at {
			if f.site.Fork == 0 {
				t.trapSite(p)
			} else if f.laid == nil {
				t.lay(th, regs.Rsp)
			}
		} // else it comes late, and an event has told of the child
		t.goOn(th)
	default:
		return false
	}
	return true
}

// lay lays the trap for a thread that begins to fork, if that is safe.
func (t *tree) lay(th *thread, sp uint64) {
	p := th.p
	f := &p.trap
	status, err := proc.ReadStatus(p.pid, th.tid)
	trapBit := tracer.Bit(unix.SIGTRAP)
	why := ""
	switch {
	case err != nil:
		return // it's ending
	case status.Caught&trapBit != 0:
		why = "the process handles SIGTRAP"
	case status.Blocked&trapBit != 0:
		why = "the process blocks SIGTRAP"
	case (status.Pending|status.Shared)&trapBit != 0:
		why = "a SIGTRAP is pending"
	case status.Filtered:
		why = "seccomp filters its system calls"
	case status.Nested:
		why = "the process has its own PID namespace"
	case th.pace == tracee.Step, p.hasBreakpoint(f.site, sp):
		why = "the debugger steps or stops in fork"
	}
	var trap *tracer.Trap
	if why == "" {
		if trap = t.traps.guard.Take(); trap == nil {
			why = "too many processes were forking at once"
		}
	}
	if why != "" {
		p.tally.note(byEvents + why)
		return
	}
	ioctl(f.fd, unix.PERF_EVENT_IOC_DISABLE, 0)
	if err := t.tracer.Lay(th.tid, f.site, trap, status); err != nil {
		t.traps.guard.Give(trap)
		p.noTrap(err.Error())
		return
	}
	f.laid = trap
	t.step(tracee.Event{Kind: tracee.Trap, Pid: p.pid, Fork: tracee.InTrap})
}

// hasBreakpoint reports whether the debugger has one in the function, or where
// that returns to.
func (p *process) hasBreakpoint(site tracer.Site, sp uint64) bool {
	var b [8]byte
	p.memory.ReadAt(b[:], sp)
	back := binary.LittleEndian.Uint64(b[:])
	points, _ := p.breakpoints()
	return points.Owners(back) != 0 || points.Between(site.Fork, site.Fork+site.Size)
}

// returned is when the parent has met the trap.
func (t *tree) returned(th *thread) {
	child, trap := t.springParent(th)
	if child == 0 {
		t.goOn(th)
		return
	}
	// As the kernel would have told it.
	t.step(tracee.Event{Kind: tracee.Forked, Tid: th.tid, Child: child, How: "fork"})
	t.awaitTrapped(child, trap)
}

// springParent ends the trap in the parent and takes the child, 0 if there is
// none.
func (t *tree) springParent(th *thread) (int, *tracer.Trap) {
	f := &th.p.trap
	trap := f.laid
	t.untrap(th.p)
	result, err := t.tracer.Spring(th.tid, trap)
	if f.fd != 0 {
		ioctl(f.fd, unix.PERF_EVENT_IOC_ENABLE, 0)
	}
	if err != nil {
		// It was killed there.
		t.trapOrphaned(th.p, trap)
		return 0, nil
	}
	if result <= 0 {
		t.traps.guard.Give(trap)
		return 0, nil
	}
	th.p.tally.note(byTrap)
	return int(result), trap
}

// untrap is when the fork of a process returns as it would without us.
func (t *tree) untrap(p *process) {
	p.trap.laid = nil
	t.step(tracee.Event{Kind: tracee.Trap, Pid: p.pid, Fork: tracee.Plain})
}

// awaitTrapped takes a child that has met the trap, or will.
func (t *tree) awaitTrapped(pid int, trap *tracer.Trap) {
	c := t.children[pid]
	if c == nil {
		t.traps.guard.Give(trap)
		return
	}
	c.trap = trap
	if _, err := t.tracer.Seize(pid); err == nil {
		t.tracer.Expect(pid, trap)
		t.tracer.Interrupt(pid)
	} else if status, e := proc.ReadStatus(pid, pid); e == nil && status.State != 'Z' && status.State != 'X' {
		t.say("%v", err) // the guard frees it, when we end
	} else {
		// It was killed: no other signal reaches it there.
		t.step(tracee.Event{Kind: tracee.Ended, Tid: pid, Status: uint32(unix.SIGKILL), CPU: int64(tracer.ProcessTime(pid))})
	}
}

// notBegun notes a child that was killed before it began.
func (t *tree) notBegun(pid int, how string, cpu time.Duration, status string) {
	c := t.children[pid]
	delete(t.children, pid)
	if c.trap != nil {
		t.traps.guard.Give(c.trap)
	}
	t.note(t.log.Start(time.Now(), pid, c.parent.pid, how))
	t.note(t.log.End(time.Now(), pid, cpu, 0, 0, status))
}

// trappedChild is a stop of one: false, if nothing holds it.
func (t *tree) trappedChild(ev tracer.Event) bool {
	c := t.children[ev.Tid]
	if c == nil || c.trap == nil || ev.Kind == tracer.Ended {
		return false
	}
	switch {
	case ev.Kind == tracer.Signaled && ev.Signal == unix.SIGTRAP && t.tracer.Met(ev.Tid, c.trap),
		ev.Kind == tracer.Trapped && t.tracer.Waits(ev.Tid, c.trap):
		if _, err := t.tracer.Spring(ev.Tid, c.trap); err != nil {
			return true // it was killed there, and its end is to come
		}
		t.traps.guard.Give(c.trap)
		c.trap = nil
		t.step(tracee.Event{Kind: tracee.Born, Tid: ev.Tid})
	case ev.Kind == tracer.Grouped:
		t.tracer.Listen(ev.Tid)
	default:
		t.tracer.Resume(ev.Tid, tracer.Onward, ev.Signal)
	}
	return true
}

// trapEnded is the end of a process, perhaps inside fork.
func (t *tree) trapEnded(p *process) {
	p.trap.close()
	if trap := p.trap.laid; trap != nil {
		t.untrap(p)
		t.trapOrphaned(p, trap)
	}
}

// trapOrphaned takes in the child, if there is one, of a parent that was killed
// before it could tell.
func (t *tree) trapOrphaned(p *process, trap *tracer.Trap) {
	pids := trap.Victims()
	if len(pids) == 0 {
		t.traps.guard.Give(trap)
		return
	}
	d := tracee.Follow
	if p.free.Load() {
		d = tracee.Drop
	}
	t.untold(p, pids[0], d)
	t.awaitTrapped(pids[0], trap)
}

// untold is a child of which its parent can't tell.
func (t *tree) untold(p *process, pid int, d tracee.Decision) {
	t.children[pid] = &child{parent: p}
	t.step(tracee.Event{Kind: tracee.Announce, Child: pid, Pid: p.pid, How: "fork"})
	t.decide(pid, d)
}

// leavesTrap is the stop of a thread that is to be let go for a signal: whether that is of a
// pause-trap, and whether the thread has to stay until it has met it.
func (t *tree) leavesTrap(th *thread, sig unix.Signal) (own, stays bool) {
	f := &th.p.trap
	switch {
	case f.sent(t.tracer, th.tid, sig):
		f.close()
		return true, f.laid != nil
	case f.laid == nil:
		return false, false
	case sig == unix.SIGTRAP && t.tracer.Met(th.tid, f.laid):
		if pid, trap := t.springParent(th); pid != 0 {
			t.untold(th.p, pid, tracee.Drop)
			t.awaitTrapped(pid, trap)
		}
		return true, false
	}
	return false, true
}
