package tracee

// AdoptTime is after which a process is taken in whose maker's event has not come, in nanoseconds:
// the maker may have been killed in between. The event may also come late, since the kernel tells
// of many in an order of its own.
const AdoptTime = 1_000_000_000

// taken is a program that was launched, or a thread that was seized.
func (t *Tree) taken(ev Event) {
	pid, state := ev.Pid, Running
	if ev.Kind == Launched {
		pid, state = ev.Tid, Standing
	}
	p := t.processes[pid]
	if p == nil {
		p = t.newProcess(pid)
	}
	t.newThread(p, ev.Tid, state)
}

// born is the first stop of a thread.
func (t *Tree) born(ev Event) {
	if th := t.threads[ev.Tid]; th != nil {
		t.begin(th)
		return
	}
	if c := t.children[ev.Tid]; c != nil {
		c.begun = true
		t.settle(ev.Tid, c)
		return
	}
	ev.Kind = Born // whatever its first stop was for
	t.ask(ev.Tid, ev)
}

// begin is the first stop of a thread whose process is known.
func (t *Tree) begin(th *thread) {
	if th.p.fate == Released {
		t.detach(th, 0)
		return
	}
	th.state = Standing
	t.tell(Order{Word: ThreadBegins, Tid: th.tid, Pid: th.p.pid})
}

// ask has it found out what a thread is, and goes on with an event then.
func (t *Tree) ask(tid int, ev Event) {
	t.asked[tid] = ev
	t.order(Order{Do: Look, Tid: tid})
}

// found goes on with the event for which it was asked what a thread is.
func (t *Tree) found(ev Event) {
	about := t.asked[ev.Tid]
	delete(t.asked, ev.Tid)
	switch about.Kind {
	case Born:
		t.foundBorn(ev, about)
	case Forked:
		t.foundForked(ev, about)
	case Time:
		t.adopt(ev)
	}
}

// foundBorn is a thread at its first stop of which nothing was known.
func (t *Tree) foundBorn(ev, born Event) {
	switch p := t.processes[ev.Group]; {
	case ev.Group != 0 && ev.Group != ev.Tid && p == nil:
		// Of a process that was let go.
		t.order(Order{Do: Detach, Tid: ev.Tid})
		t.early[ev.Tid] = early{what: letGo}
	case ev.Group != ev.Tid && p != nil:
		th := t.addThread(p, ev.Tid)
		th.origin = Unannounced
		t.begin(th)
	default:
		t.strangers[ev.Tid] = born.At
	}
}

func (t *Tree) addThread(p *process, tid int) *thread {
	th := t.newThread(p, tid, Expected)
	t.tell(Order{Word: ThreadMade, Tid: tid, Pid: p.pid})
	return th
}

// forked is a thread that has made another, or a process.
func (t *Tree) forked(th *thread, ev Event) {
	if e, ended := t.early[ev.Child]; ended {
		if e.what == letGo {
			delete(t.early, ev.Child)
			t.onward(th)
			return
		}
		if _, begun := t.strangers[ev.Child]; !begun {
			t.ask(ev.Child, ev) // it may be another one of that number
			return
		}
		delete(t.early, ev.Child)
	}
	t.made(th, ev)
}

// foundForked is the event of the maker of what has ended already, unless another one has its number.
func (t *Tree) foundForked(ev, forked Event) {
	e := t.early[ev.Tid]
	delete(t.early, ev.Tid)
	th := t.threads[forked.Tid]
	if th == nil {
		return
	}
	if ev.Alive {
		t.made(th, forked)
		return
	}
	if e.what == aProcess || e.what == unknown && forked.How != "clone" {
		t.tell(Order{
			Word: ChildPassed, Child: ev.Tid, Pid: th.p.pid, How: forked.How, Status: e.end.Status, CPU: e.end.CPU, At: e.end.At,
		})
	}
	t.onward(th)
}

// made takes in what a thread has made.
func (t *Tree) made(th *thread, ev Event) {
	p := th.p
	_, begun := t.strangers[ev.Child]
	delete(t.strangers, ev.Child)
	if known := t.threads[ev.Child]; known != nil {
		known.origin = Announced // it was taken in already
		t.onward(th)
		return
	}
	if c := t.children[ev.Child]; c != nil {
		c.origin = Announced
		t.onward(th)
		return
	}
	if ev.How == "clone" && ev.Group == p.pid {
		made := t.addThread(p, ev.Child)
		t.onward(th)
		if begun {
			t.begin(made)
		}
		return
	}
	c := &child{parent: p.pid, how: ev.How, shares: ev.Shares, begun: begun}
	t.children[ev.Child] = c
	o := Order{Word: ChildMade, Child: ev.Child, Pid: p.pid, How: ev.How, Shares: ev.Shares}
	if p.fate == Released {
		t.tell(o)
		t.decide(ev.Child, c, Drop)
		t.onward(th)
		return
	}
	th.state = Standing
	o.Tid = th.tid
	t.tell(o)
}

// onward lets a thread go on of which the owner has nothing to be told.
func (t *Tree) onward(th *thread) {
	if th.p.fate == Released {
		t.leave(th, 0)
		return
	}
	th.state = Standing
	t.tell(Order{Word: Passes, Tid: th.tid, Pid: th.p.pid})
}

// announced is a child whose parent has ended before it could tell.
func (t *Tree) announced(ev Event) {
	t.children[ev.Child] = &child{parent: ev.Pid, how: ev.How}
	t.tell(Order{Word: ChildMade, Child: ev.Child, Pid: ev.Pid, How: ev.How})
}

// time takes in those that have waited long for their maker's event.
func (t *Tree) time(ev Event) {
	for _, tid := range sorted(t.strangers) {
		if _, asked := t.asked[tid]; !asked && ev.At-t.strangers[tid] >= AdoptTime {
			t.ask(tid, ev)
		}
	}
}

// adopt takes one in.
func (t *Tree) adopt(ev Event) {
	since, waits := t.strangers[ev.Tid]
	switch {
	case !waits:
		return
	case ev.Again:
		t.strangers[ev.Tid] = since + AdoptTime
		return
	}
	delete(t.strangers, ev.Tid)
	if ev.Group == 0 {
		return // it has ended
	}
	parent := t.base
	if t.processes[ev.Parent] != nil {
		parent = ev.Parent
	}
	c := &child{parent: parent, how: "fork", begun: true, shares: ev.Shares, origin: Unannounced}
	t.children[ev.Tid] = c
	t.tell(Order{Word: ChildMade, Child: ev.Tid, Pid: parent, How: c.how, Shares: c.shares})
	t.decide(ev.Tid, c, Follow)
}

// decided says whether a child is followed. The first word counts.
func (t *Tree) decided(ev Event) {
	if c := t.children[ev.Child]; c != nil {
		t.decide(ev.Child, c, ev.Decision)
	}
}

func (t *Tree) decide(pid int, c *child, d Decision) {
	if c.decision == Undecided {
		c.decision = d
		t.settle(pid, c)
	}
}

// settle lets a child begin, once it is there and decided on.
func (t *Tree) settle(pid int, c *child) {
	if !c.begun || c.decision == Undecided {
		return
	}
	delete(t.children, pid)
	th := t.newThread(t.newProcess(pid), pid, Standing)
	th.origin = c.origin
	t.tell(Order{
		Word: ChildBegins, Tid: pid, Pid: c.parent, How: c.how, Shares: c.shares, Decision: c.decision,
	})
}
