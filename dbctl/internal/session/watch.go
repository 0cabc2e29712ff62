package session

import (
	"errors"
	"slices"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// errNotWanted is why debug registers are not used where somebody has said so.
var errNotWanted = errors.New("debug registers are disabled (-no-debug-registers)")

// errNoDebugRegister says what to do: gdb asks for registers only when it resumes the process.
var errNoDebugRegister = errors.New("all debug registers are in use: delete a watchpoint, " +
	"or use \"set can-use-hw-watchpoints 0\" before \"watch\", which then single-steps")

// watchesAlone has gdb watch by itself, before its first watchpoint, where debug registers
// can't be used: it steps each instruction.
func (l *link) watchesAlone() {
	if l.steps {
		return
	}
	p := l.p
	why := p.tree.debugRegisters()
	if why == nil {
		return
	}
	l.steps = true
	p.ask(time.Now().Add(answerTime), l.table.WatchBySteps)
	p.tree.sayOnce("watchpoints are slow, because gdb single-steps: %v", why)
	p.run.note("gdb single-stepped for its watchpoints: " + why.Error())
}

// register is what a debug register is for: a watchpoint, or the part of one that
// a register can be for.
type register struct {
	watchpoint
	of   watchpoint
	held [8]byte // what was there when it was set or last met
}

// parts divides a watchpoint among registers, which are for one, two, four or eight
// bytes at a multiple of that.
func (w watchpoint) parts() (list []register) {
	size := uint64(8)
	for addr, end := w.addr, w.addr+w.length; addr < end && len(list) <= tracer.DebugAddresses; addr += size {
		for size = 8; addr%size != 0 || addr+size > end; size /= 2 {
		}
		list = append(list, register{watchpoint: watchpoint{w.kind, addr, size}, of: w})
	}
	return list
}

// watch sets a hardware watchpoint in all threads of a process. Where debug registers can't
// be used it fails: gdb has been told to watch by itself (see perform.go).
func (t *tree) watch(p *process, w watchpoint) error {
	if slices.ContainsFunc(p.watched[:], func(r register) bool { return r.of == w }) {
		return nil
	}
	if err := t.debugRegisters(); err != nil {
		return err
	}
	list := w.parts()
	var free []int
	for i := range p.watched {
		if p.watched[i].length == 0 {
			free = append(free, i)
		}
	}
	if len(list) > len(free) {
		t.sayOnce("%v", errNoDebugRegister)
		return errNoDebugRegister
	}
	for i, part := range list {
		part.look(p)
		p.watched[free[i]] = part
	}
	p.everSet = true
	t.setWatches(p)
	return nil
}

func (t *tree) unwatch(p *process, w watchpoint) {
	had := p.watched
	for i := range p.watched {
		if p.watched[i].of == w {
			p.watched[i] = register{}
		}
	}
	if p.watched != had {
		t.setWatches(p)
	}
}

// setWatches brings the debug registers of the threads up to date. One that
// runs is stopped for it, and set when it goes on.
func (t *tree) setWatches(p *process) {
	for _, th := range p.threads.all() {
		if th.stands() {
			t.setDebug(th)
		} else {
			t.want(th, tracee.Registers)
		}
	}
}

// setDebug sets the debug registers of a thread that stands still.
func (t *tree) setDebug(th *thread) {
	t.tracer.SetDebug(th.tid, tracer.DebugControl, 0)
	control := uint64(0)
	for i, w := range th.p.watched {
		if w.length == 0 {
			continue
		}
		t.tracer.SetDebug(th.tid, i, w.addr)
		condition := map[remote.WatchKind]uint64{
			remote.WatchExecute: 0, remote.WatchWrite: 1, remote.WatchRead: 3, remote.WatchAccess: 3,
		}[w.kind]
		size := map[uint64]uint64{1: 0, 2: 1, 4: 3, 8: 2}[w.length]
		if w.kind == remote.WatchExecute {
			size = 0
		}
		control |= 1<<(2*i) | (condition|size<<2)<<(16+4*i)
	}
	t.tracer.SetDebug(th.tid, tracer.DebugControl, control)
}

// watchHit is the watchpoint that a thread has met with its last instruction, if any. Virtual machines
// sometimes don't say which one. If it is certain that there was one, it is then the first of those
// whose bytes have changed, or the first of all.
func (t *tree) watchHit(th *thread, certain bool) (w watchpoint, hit bool) {
	p := th.p
	if p.watched == [tracer.DebugAddresses]register{} {
		return w, false
	}
	status, err := t.tracer.Debug(th.tid, tracer.DebugStatus)
	if err != nil {
		return w, false
	}
	t.tracer.SetDebug(th.tid, tracer.DebugStatus, 0)
	const (
		possible = iota + 1
		changed
		told
	)
	most := 0
	for i := range p.watched {
		r := &p.watched[i]
		if r.length == 0 {
			continue
		}
		before := r.held
		r.look(p)
		sure := 0
		switch {
		case status&(1<<i) != 0:
			sure = told
		case certain && r.held != before:
			sure = changed
		case certain:
			sure = possible
		}
		if sure > most {
			most, w = sure, r.watchpoint
		}
	}
	return w, most > 0
}

// look keeps what the bytes of a register hold.
func (r *register) look(p *process) {
	r.held = [8]byte{}
	p.ReadMemory(r.held[:min(r.length, 8)], r.addr)
}
