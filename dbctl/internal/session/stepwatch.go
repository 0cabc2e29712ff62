package session

import (
	"bytes"
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/unwind"
)

// Where the processor's debug registers don't trap, threads are stepped, and
// after each instruction the memory is looked at that is watched for writes. It
// is slow, and sees what hardware does not: what the kernel writes.
//
// Nothing else can be watched for so: what is read leaves nothing to be seen, and
// a breakpoint without a change of the code is what hbreak is asked for.

// errNotWanted is why debug registers are not used where somebody has said so.
var errNotWanted = errors.New("the processor's debug registers are not to be used (-no-debug-registers)")

// looked is memory that is looked at: as it was, as far as it was there.
type looked struct {
	at       watchpoint
	was, now []byte
}

// look finds the first byte that has changed since the last time.
func (l *looked) look(memory unwind.Memory) (w watchpoint, found bool) {
	l.now = l.now[:l.at.length]
	l.now = l.now[:memory.ReadAt(l.now, l.at.addr)]
	if bytes.Equal(l.now, l.was) {
		return w, false
	}
	n := 0
	for n < min(len(l.now), len(l.was)) && l.now[n] == l.was[n] {
		n++
	}
	l.was, l.now = l.now, l.was
	return watchpoint{l.at.kind, l.at.addr + uint64(n), 1}, true
}

// lookAt begins to step the threads of a process, for the debug registers can't be
// used.
func (t *tree) lookAt(p *process, w watchpoint, why error) error {
	if w.kind != remote.WatchWrite {
		t.sayOnce("%s: a read, or the execution of what is not changed, can't be watched for", why)
		return why
	}
	if slices.ContainsFunc(p.looked, func(l looked) bool { return l.at == w }) {
		return nil
	}
	l := looked{w, make([]byte, w.length), make([]byte, w.length)}
	l.look(p.memory)
	p.looked, p.everSet = append(p.looked, l), true
	p.mu.Lock()
	p.broken = true
	p.mu.Unlock()
	for _, th := range p.threadList() {
		if !th.stands() {
			t.tracer.Interrupt(th.tid)
		}
	}
	t.sayOnce("watchpoints take long, for each instruction is stepped: %v", why)
	p.noted("watchpoints were looked at after each instruction, which was stepped: " + why.Error())
	return nil
}

// changed is the first byte of what is looked at that has another value than before.
func (p *process) changed() (first watchpoint, found bool) {
	for i := range p.looked {
		if w, changed := p.looked[i].look(p.memory); changed && !found {
			first, found = w, true
		}
	}
	return first, found
}

// seen is the watchpoint that a thread has met with the instruction that it was
// stepped over, if any. After a system call it does not look while another thread
// makes its step, which may have written.
func (t *tree) seen(th *thread) (watchpoint, bool) {
	if th.p.turns.of == nil {
		if w, found := th.p.changed(); found {
			return w, true
		}
	}
	return t.watchHit(th)
}

// pace is how a thread goes on: as its debugger wants, or step by step. The steps
// pass over the system calls that are caught, whose stops come in between.
func (t *tree) pace(th *thread) tracer.How {
	p := th.p
	how := th.how
	th.looks = how == tracer.Onward && len(p.looked) > 0
	if how == tracer.Onward && (p.catching && (!th.looks || t.calls(th)) || th.owing && !th.looks) {
		return tracer.Calls
	}
	if th.looks {
		return tracer.Step
	}
	return how
}

// calls reports whether a thread is about to make a system call, or to go on with one
// in which it was stopped, which the kernel begins again.
func (t *tree) calls(th *thread) bool {
	if t.tracer.CallStop(th.tid) == tracer.CallEntry {
		return true
	}
	regs, err := t.tracer.Registers(th.tid)
	const restart, restartBlock = -512, -516 // ERESTARTSYS, ERESTART_RESTARTBLOCK
	if result := int64(regs.Rax); err == nil && int64(regs.Orig_rax) >= 0 && restartBlock <= result && result <= restart {
		return true
	}
	var code [2]byte
	return err == nil && th.p.memory.ReadAt(code[:], regs.Rip) == len(code) && code == [2]byte{0x0f, 0x05}
}

// passes is a stop of a thread that was stepped to be looked at: false, if it's
// another one.
func (t *tree) passes(th *thread) bool {
	info, err := t.tracer.Siginfo(th.tid)
	if err != nil || info.Code() <= 0 || info.Code() == kernelSent {
		return false
	}
	w, found := t.seen(th)
	if !found {
		t.goOn(th)
		return true
	}
	if !t.stand(th) {
		return false
	}
	th.halt = false
	t.showStop(th, remote.Stop{Signal: int(unix.SIGTRAP), Watch: w.kind, Watched: w.addr})
	return true
}
