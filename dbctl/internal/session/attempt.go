package session

import (
	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/internal/proc"
)

// attempt stops a thread whose time has come, if it runs: one that waits, for whatever it
// may be, uses no CPU time where it stands, and is tried again later. So the instants
// are those of its time on a processor, whatever share of all time that is. A signal of the clock is
// taken out of it wherever it is.
func (p *process) attempt(th *thread) {
	if p.clk.stray(th.tid) != 0 {
		p.tree.want(th, tracee.NoErrand)
		return
	}
	if state, err := proc.ThreadState(p.pid, th.tid); err != nil || state != 'R' {
		return
	}
	used, _ := threadUse(p.pid, th.tid)
	th.turns = used.turns
	p.tree.want(th, tracee.Sample)
}

// slept reports whether the stop of an attempt has woken the thread: it stands in a system
// call that was to wait, and has come to a processor since for no other reason.
func (th *thread) slept() bool {
	if int64(th.regs.Orig_rax) < 0 {
		return false
	}
	switch -int64(th.regs.Rax) {
	case int64(unix.EINTR), 512, 513, 514, 516: // ERESTARTSYS, NOINTR, NOHAND, RESTARTBLOCK
	default:
		return false
	}
	used, ok := threadUse(th.p.pid, th.tid)
	return ok && used.turns != th.turns
}
