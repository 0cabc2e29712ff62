package session

import (
	"errors"
	"slices"

	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

var errNoDebugRegister = errors.New("all hardware watchpoints are in use")

// watch sets a hardware watchpoint in all threads of a process.
func (t *tree) watch(p *process, kind remote.WatchKind, addr, length uint64) error {
	w := watchpoint{kind, addr, length}
	if err := t.debugRegisters(); err != nil {
		return t.lookAt(p, w, err)
	}
	slot := -1
	for i, old := range p.watched {
		if old == w {
			return nil
		}
		if old.length == 0 && slot < 0 {
			slot = i
		}
	}
	if slot < 0 {
		if len(p.watched) == tracer.DebugAddresses {
			return errNoDebugRegister
		}
		slot = len(p.watched)
		p.watched = append(p.watched, watchpoint{})
	}
	p.watched[slot], p.everSet = w, true
	p.mu.Lock()
	p.broken = true
	p.mu.Unlock()
	t.setWatches(p)
	return nil
}

func (t *tree) unwatch(p *process, kind remote.WatchKind, addr, length uint64) {
	w := watchpoint{kind, addr, length}
	p.looked = slices.DeleteFunc(p.looked, func(l looked) bool { return l.at == w })
	if i := slices.Index(p.watched, w); i >= 0 {
		p.watched[i] = watchpoint{}
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

// watchHit is which watchpoint a thread has met.
func (t *tree) watchHit(th *thread) (int, bool) {
	if len(th.p.watched) == 0 {
		return 0, false
	}
	status, err := t.tracer.Debug(th.tid, tracer.DebugStatus)
	if err != nil {
		return 0, false
	}
	for i, w := range th.p.watched {
		if status&(1<<i) != 0 && w.length != 0 {
			t.tracer.SetDebug(th.tid, tracer.DebugStatus, 0)
			return i, true
		}
	}
	return 0, false
}
