package tracee

import (
	"maps"
	"slices"
)

// stopped is a stop of a thread, or what comes instead of its first.
func (t *Tree) stopped(ev Event) {
	th := t.threads[ev.Tid]
	if th == nil || th.state == Expected {
		if ev.Kind == Signaled {
			t.order(Order{Do: Restart, Tid: ev.Tid, Signal: ev.Signal})
			return
		}
		t.born(ev)
		return
	}
	th.owed = 0
	if th.p.fate == Released {
		t.left(th, ev)
		return
	}
	th.state = Standing
	o := Order{Tid: th.tid, Pid: th.p.pid, Signal: ev.Signal}
	switch ev.Kind {
	case Signaled:
		th.owed = ev.Signal
		o.Word = Signal
	case Grouped:
		th.state = Listening
		o.Word = JobStopped
		t.order(Order{Do: Listen, Tid: th.tid})
	case Trapped:
		t.tell(Order{Word: JobContinued, Pid: th.p.pid})
		t.errand(th)
		return
	case Forked:
		t.forked(th, ev)
		return
	case Called:
		o.Word = Call
	}
	t.tell(o)
}

// errand is a stop that we asked for, or that came with one. The first errand that waits is its
// reason; others are for the next stop.
func (t *Tree) errand(th *thread) {
	if th.waits[Registers] {
		th.waits[Registers] = false
		t.tell(Order{Word: SetRegisters, Tid: th.tid, Pid: th.p.pid})
	}
	o := Order{Word: Stop, Tid: th.tid, Pid: th.p.pid}
	for e := SetBack; e < Registers; e++ {
		if th.waits[e] {
			th.waits[e] = false
			o.Errand = e
			break
		}
	}
	t.tell(o)
}

// resumed lets a thread go on that stands still. If an errand waits for it, another stop has taken
// the place of the one that was asked for: it is asked for again.
func (t *Tree) resumed(ev Event) {
	th := t.threads[ev.Tid]
	if th == nil || th.state != Standing {
		return
	}
	if th.waits != [errands]bool{} {
		t.order(Order{Do: Interrupt, Tid: th.tid})
	}
	t.restart(th, ev.Pace)
}

func (t *Tree) restart(th *thread, pace Pace) {
	th.state = Running
	if th.p.fate == Released {
		th.state = Leaving
	}
	t.order(Order{Do: Restart, Tid: th.tid, Pace: pace, Signal: th.owed})
	th.owed = 0
}

// owes changes the signal that a thread gets when it goes on.
func (t *Tree) owes(ev Event) {
	if th := t.threads[ev.Tid]; th != nil && th.state == Standing {
		th.owed = ev.Signal
	}
}

// wanted has a thread stop for an errand. NoErrand wants a stop, and nothing to be told of it.
func (t *Tree) wanted(ev Event) {
	th := t.threads[ev.Tid]
	if th == nil {
		return
	}
	th.waits[ev.Errand] = ev.Errand != NoErrand
	if th.state == Running || th.state == Listening {
		t.order(Order{Do: Interrupt, Tid: th.tid})
	}
}

func (t *Tree) forgone(ev Event) {
	if th := t.threads[ev.Tid]; th != nil {
		th.waits[ev.Errand] = false
	}
}

// executed is a process that has executed another program. Its other threads are gone, and the one
// that did it has the number of the first.
func (t *Tree) executed(ev Event) {
	th := t.threads[ev.Tid]
	if th == nil {
		th = t.threads[ev.Former]
	}
	if th == nil {
		t.born(ev)
		return
	}
	p := th.p
	for _, tid := range sorted(p.threads) {
		if tid != ev.Former {
			t.drop(p.threads[tid])
			t.tell(Order{Word: Replaced, Tid: tid, Pid: p.pid})
		}
	}
	if th = p.threads[ev.Former]; th == nil {
		th = t.newThread(p, ev.Former, Running) // it had not begun for us
		t.tell(Order{Word: ThreadMade, Tid: ev.Former, Pid: p.pid})
	}
	if ev.Former != ev.Tid {
		delete(p.threads, ev.Former)
		delete(t.threads, ev.Former)
		th.tid = ev.Tid
		p.threads[ev.Tid], t.threads[ev.Tid] = th, th
		t.tell(Order{Word: Renamed, Tid: ev.Tid, Pid: p.pid, Former: ev.Former})
	}
	t.processes[p.pid] = p
	th.owed = 0
	if p.fate == Released {
		t.leave(th, 0)
		return
	}
	th.state = Standing
	t.tell(Order{Word: Program, Tid: th.tid, Pid: p.pid})
}

// ended is the end of a thread, or of a process.
func (t *Tree) ended(ev Event) {
	if _, waits := t.strangers[ev.Tid]; waits {
		delete(t.strangers, ev.Tid)
		t.early[ev.Tid] = early{aProcess, ev}
		return
	}
	o := Order{Tid: ev.Tid, Pid: ev.Tid, Status: ev.Status, CPU: ev.CPU, At: ev.At}
	if c := t.children[ev.Tid]; c != nil {
		delete(t.children, ev.Tid)
		if c.origin == Unannounced {
			t.early[ev.Tid] = early{what: aThread}
		}
		o.Word, o.Child, o.Pid, o.How = ChildGone, ev.Tid, c.parent, c.how
		t.tell(o)
		return
	}
	th := t.threads[ev.Tid]
	if p := t.processes[ev.Tid]; th == nil && p != nil {
		t.renamedAndEnded(p, ev)
		return
	}
	if th == nil {
		t.early[ev.Tid] = early{unknown, ev}
		o.Word = StrangerGone
		t.tell(o)
		return
	}
	o.Pid = th.p.pid
	o.Word = ThreadGone
	t.drop(th)
	if ev.Tid == th.p.pid {
		for _, other := range th.p.threads {
			t.drop(other)
		}
		delete(t.processes, th.p.pid)
	}
	t.tell(o)
}

// renamedAndEnded is the end of a process by the number of its first thread, which was let go before the others: one of
// these has executed a program, has got that number with it, and was killed before that was told.
func (t *Tree) renamedAndEnded(p *process, ev Event) {
	for _, tid := range slices.Sorted(maps.Keys(p.threads)) {
		t.drop(p.threads[tid])
		t.tell(Order{Word: ThreadGone, Tid: tid, Pid: p.pid, Status: ev.Status, CPU: ev.CPU, At: ev.At})
	}
}
