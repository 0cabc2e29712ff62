package session

import (
	"errors"
	"slices"

	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

var errNoDebugRegister = errors.New("the processor's debug registers are all in use")

// register is what a debug register is for: a watchpoint, or the part of one that
// a register can be for.
type register struct {
	watchpoint
	of watchpoint
}

// parts divides a watchpoint among registers, which are for one, two, four or eight
// bytes at a multiple of that.
func (w watchpoint) parts() (list []register) {
	size := uint64(8)
	for addr, end := w.addr, w.addr+w.length; addr < end && len(list) <= tracer.DebugAddresses; addr += size {
		for size = 8; addr%size != 0 || addr+size > end; size /= 2 {
		}
		list = append(list, register{watchpoint{w.kind, addr, size}, w})
	}
	return list
}

// watch sets a hardware watchpoint in all threads of a process, or does without the
// hardware.
func (t *tree) watch(p *process, w watchpoint) error {
	if slices.ContainsFunc(p.watched[:], func(r register) bool { return r.of == w }) {
		return nil
	}
	if err := t.debugRegisters(); err != nil {
		return t.lookAt(p, w, err)
	}
	list := w.parts()
	var free []int
	for i := range p.watched {
		if p.watched[i].length == 0 {
			free = append(free, i)
		}
	}
	if len(list) > len(free) {
		return t.lookAt(p, w, errNoDebugRegister)
	}
	for i, part := range list {
		p.watched[free[i]] = part
	}
	p.everSet = true
	p.mu.Lock()
	p.broken = true
	p.mu.Unlock()
	t.setWatches(p)
	return nil
}

func (t *tree) unwatch(p *process, w watchpoint) {
	p.looked = slices.DeleteFunc(p.looked, func(l looked) bool { return l.at == w })
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
	for _, th := range p.threadList() {
		th.stale = true
		if th.stands() {
			t.setDebug(th)
		} else {
			t.tracer.Interrupt(th.tid)
		}
	}
}

// setDebug sets the debug registers of a thread that stands still.
func (t *tree) setDebug(th *thread) {
	th.stale = false
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

// watchHit is the watchpoint that a thread has met with its last instruction, if any.
func (t *tree) watchHit(th *thread) (w watchpoint, hit bool) {
	if th.p.watched == [tracer.DebugAddresses]register{} {
		return w, false
	}
	status, err := t.tracer.Debug(th.tid, tracer.DebugStatus)
	if err != nil {
		return w, false
	}
	for i, r := range th.p.watched {
		if status&(1<<i) != 0 && r.length != 0 {
			t.tracer.SetDebug(th.tid, tracer.DebugStatus, 0)
			return r.watchpoint, true
		}
	}
	return w, false
}
