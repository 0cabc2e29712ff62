package session

import (
	"errors"

	"github.com/profilecollection/pct/dbctl/internal/remote"
)

// The machine has four debug registers for addresses; the seventh says what each
// is for, and the sixth which has been met.
const (
	debugRegisters = 4
	debugStatus    = 6
	debugControl   = 7
)

var errNoDebugRegister = errors.New("all hardware watchpoints are in use")

// watch sets a hardware watchpoint in all threads of a process.
func (t *tree) watch(p *process, kind remote.WatchKind, addr, length uint64) error {
	w := watchpoint{kind, addr, length}
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
		if len(p.watched) == debugRegisters {
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
	for i, w := range p.watched {
		if w == (watchpoint{kind, addr, length}) {
			p.watched[i] = watchpoint{}
		}
	}
	t.setWatches(p)
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
	t.tracer.SetDebug(th.tid, debugControl, 0)
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
	t.tracer.SetDebug(th.tid, debugControl, control)
}

// watchHit is which watchpoint a thread has met.
func (t *tree) watchHit(th *thread) (int, bool) {
	if len(th.p.watched) == 0 {
		return 0, false
	}
	status, err := t.tracer.Debug(th.tid, debugStatus)
	if err != nil {
		return 0, false
	}
	for i, w := range th.p.watched {
		if status&(1<<i) != 0 && w.length != 0 {
			t.tracer.SetDebug(th.tid, debugStatus, 0)
			return i, true
		}
	}
	return 0, false
}
