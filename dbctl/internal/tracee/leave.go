package tracee

// released lets go of a process: its threads run on as if we had never been.
func (t *Tree) released(ev Event) {
	p := t.processes[ev.Pid]
	if p == nil || p.fate == Released {
		return
	}
	p.fate = Released
	for _, tid := range sorted(p.threads) {
		th := p.threads[tid]
		switch {
		case th.state == Expected:
			// Its first stop will come.
		case th.state == Standing && p.fork == InTrap:
			t.restart(th, Onward) // into its trap
		case th.state == Standing:
			t.leave(th, th.owed)
		default:
			th.state = Leaving
			t.order(Order{Do: Interrupt, Tid: th.tid})
		}
	}
}

// trapLaid says what a fork of a process returns to.
func (t *Tree) trapLaid(ev Event) {
	if p := t.processes[ev.Pid]; p != nil {
		p.fork = ev.Fork
	}
}

// leave detaches a thread that stands still, once it is what it would be without us.
func (t *Tree) leave(th *thread, sig int) {
	th.state, th.owed = Leaving, sig
	t.order(Order{Do: PutRight, Tid: th.tid, Pid: th.p.pid})
}

func (t *Tree) righted(ev Event) {
	th := t.threads[ev.Tid]
	switch {
	case th == nil:
	case ev.Stays:
		t.restart(th, Onward)
	default:
		t.detach(th, th.owed)
	}
}

func (t *Tree) detach(th *thread, sig int) {
	t.order(Order{Do: Detach, Tid: th.tid, Pid: th.p.pid, Signal: sig})
	t.drop(th)
	if th.origin == Unannounced {
		t.early[th.tid] = early{what: letGo}
	}
}

// left is a stop of a thread that is to be let go.
func (t *Tree) left(th *thread, ev Event) {
	th.state = Leaving
	switch {
	case ev.Kind == Signaled:
		t.order(Order{Do: Judge, Tid: th.tid, Pid: th.p.pid, Signal: ev.Signal})
		return
	case th.p.fork == InTrap:
		t.restart(th, Onward)
		return
	case ev.Kind == Forked:
		t.forked(th, ev)
		return
	case ev.Kind == Trapped:
		t.tell(Order{Word: Repair, Tid: th.tid, Pid: th.p.pid})
	}
	t.leave(th, 0)
}

func (t *Tree) judged(ev Event) {
	th := t.threads[ev.Tid]
	if th == nil {
		return
	}
	if th.owed = ev.Signal; ev.Stays {
		t.restart(th, Onward)
		return
	}
	t.leave(th, ev.Signal)
}

// missing is a thread that could not be interrupted, for it is gone. The end of one that is to be
// let go is reported to others.
func (t *Tree) missing(ev Event) {
	if th := t.threads[ev.Tid]; th != nil && th.state == Leaving {
		t.drop(th)
	}
}

// lost is a thread that is traced no more.
func (t *Tree) lost(ev Event) {
	if th := t.threads[ev.Tid]; th != nil {
		t.drop(th)
	}
}
