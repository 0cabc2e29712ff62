package session

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// happened acts on what the kernel tells of a thread.
func (t *tree) happened(ev tracer.Event) {
	if ev.Kind == tracer.Rang || ev.Kind == tracer.Alone || t.trappedChild(ev) {
		return
	}
	if t.threads[ev.Tid] == nil && t.root != nil && ev.Tid == t.root.pid && ev.Kind == tracer.Signaled {
		// The program was let go. Of our child we are told that it stops all the same.
		t.root.stopped, t.root.stopSignal = true, ev.Signal
		return
	}
	if th := t.threads[ev.Tid]; th != nil && ev.Kind != tracer.Ended {
		th.stopped(ev.At)
	}
	e := tracee.Event{
		Kind: kinds[ev.Kind], Tid: ev.Tid, Signal: int(ev.Signal), Child: ev.Child, How: ev.How, Former: ev.Former,
		Status: uint32(ev.Status), CPU: int64(ev.CPU), At: ev.At.UnixNano(),
	}
	if ev.Kind == tracer.Forked {
		if ev.How == "clone" {
			e.Group = tgid(ev.Child)
		}
		if th := t.threads[ev.Tid]; th != nil && e.Group != th.p.pid {
			e.Shares = sharesMemory(ev.Tid, ev.Child, ev.How)
		}
	}
	t.step(e)
	t.wakeToAdopt()
}

// wakeToAdopt has those adopted in time whose maker's event does not come.
func (t *tree) wakeToAdopt() {
	if at := t.traced.Deadline(); at != 0 {
		t.wake(time.Unix(0, at))
	}
}

var kinds = [...]tracee.Kind{
	tracer.Signaled: tracee.Signaled, tracer.Grouped: tracee.Grouped, tracer.Trapped: tracee.Trapped,
	tracer.Forked: tracee.Forked, tracer.Executed: tracee.Executed, tracer.Called: tracee.Called, tracer.Ended: tracee.Ended,
}

// step has the state of the tree make a step, and carries out what it orders. The error is that of
// an order to interrupt a thread which is gone.
func (t *tree) step(ev tracee.Event) (err error) {
	orders := t.traced.Step(ev)
	if t.rec != nil {
		t.rec.step(ev, orders)
	}
	for _, o := range orders {
		if e := t.carryOut(o); e != nil {
			err = e
		}
	}
	return err
}

func (t *tree) carryOut(o tracee.Order) error {
	th := t.threads[o.Tid]
	switch o.Do {
	case tracee.Restart:
		if th != nil {
			t.endStop(th)
			th.restarted(tracer.How(o.Pace))
		}
		t.tracer.Resume(o.Tid, tracer.How(o.Pace), unix.Signal(o.Signal))
	case tracee.Interrupt:
		if err := t.tracer.Interrupt(o.Tid); err != nil {
			t.step(tracee.Event{Kind: tracee.Missing, Tid: o.Tid})
			if _, known := t.traced.State(o.Tid); !known && th != nil {
				t.dropThread(th)
			}
			return err
		}
	case tracee.Listen:
		if th != nil {
			th.restarted(tracer.Onward) // it stops for others, as it would without us
		}
		t.tracer.Listen(o.Tid)
	case tracee.Detach:
		t.tracer.Detach(o.Tid, unix.Signal(o.Signal))
		if th != nil {
			t.dropThread(th)
			th.p.trap.close()
		}
	case tracee.PutRight:
		t.step(tracee.Event{Kind: tracee.Righted, Tid: o.Tid, Stays: th != nil && t.putRight(th)})
	case tracee.Look:
		t.step(t.identify(o.Tid))
	case tracee.Judge:
		e := tracee.Event{Kind: tracee.Judged, Tid: o.Tid, Signal: o.Signal}
		if th != nil {
			sig, stays := t.judge(th, unix.Signal(o.Signal))
			e.Signal, e.Stays = int(sig), stays
		}
		t.step(e)
	case tracee.Tell:
		t.hear(o, th)
	}
	return nil
}

// identify finds out what a thread is.
func (t *tree) identify(tid int) tracee.Event {
	e := tracee.Event{Kind: tracee.Found, Tid: tid}
	status, err := proc.ReadStatus(tid, tid)
	switch {
	case errors.Is(err, unix.EMFILE):
		e.Again = true
	case err == nil:
		e.Group, e.Parent = status.Tgid, status.Ppid
		e.Alive = status.State != 'Z' && status.State != 'X'
		if parent := t.parentOf(status.Ppid); parent != nil {
			e.Shares = sharesMemory(parent.pid, tid, "")
		}
	}
	return e
}

// hear acts on what the owner of the tree is told.
func (t *tree) hear(o tracee.Order, th *thread) {
	switch o.Word {
	case tracee.ThreadMade:
		if p := t.parentOf(o.Pid); p != nil {
			t.newThread(p, o.Tid)
			p.noTrap(hasThreads)
		}
	case tracee.ChildMade:
		t.childMade(o, th)
	case tracee.ChildBegins:
		t.childBegins(o)
	case tracee.ChildGone:
		t.notBegun(o.Child, o.How, time.Duration(o.CPU), statusText(unix.WaitStatus(o.Status)))
	case tracee.ChildPassed:
		t.note(t.log.Start(time.Unix(0, o.At), o.Child, o.Pid, o.How))
		t.note(t.log.End(time.Unix(0, o.At), o.Child, time.Duration(o.CPU), 0, 0, statusText(unix.WaitStatus(o.Status))))
	case tracee.JobStopped, tracee.JobContinued:
		if p := t.processes[o.Pid]; p != nil {
			p.stopped, p.stopSignal = o.Word == tracee.JobStopped, unix.Signal(o.Signal)
		}
	case tracee.Renamed:
		if former := t.threads[o.Former]; former != nil {
			t.renamed(former, o.Tid)
		}
	case tracee.Replaced:
		if th != nil {
			t.callEnds(th)
			t.dropThread(th)
			if o.Tid != th.p.pid {
				th.p.tellEnded(o.Tid, 0)
			}
		}
	case tracee.ThreadGone:
		t.threadGone(o, th)
	case tracee.StrangerGone:
		if t.root != nil && o.Tid == t.root.pid && !t.root.gone {
			t.processGone(t.root, o)
		}
	default:
		if th != nil {
			t.stoppedFor(o, th)
		}
	}
}

// stoppedFor acts on a stop of a thread.
func (t *tree) stoppedFor(o tracee.Order, th *thread) {
	switch o.Word {
	case tracee.ThreadBegins:
		t.threadBegins(th)
	case tracee.Program:
		t.executed(th)
	case tracee.Signal:
		t.signaled(th, unix.Signal(o.Signal))
	case tracee.Stop:
		t.errand(th, o.Errand)
	case tracee.Passes:
		t.goOn(th)
	case tracee.Call:
		t.called(th)
	case tracee.Repair:
		if t.stand(th) {
			t.repair(th)
		}
	case tracee.SetRegisters:
		t.setDebug(th)
	}
}

// threadGone is the end of a thread, or of a process.
func (t *tree) threadGone(o tracee.Order, th *thread) {
	if th == nil {
		return
	}
	t.callEnds(th)
	t.dropThread(th)
	if o.Tid == th.p.pid {
		t.processGone(th.p, o)
		return
	}
	th.p.tellEnded(o.Tid, unix.WaitStatus(o.Status))
	th.p.tell(notice{kind: threadEnded, thread: th})
}

// processGone is the end of a process.
func (t *tree) processGone(p *process, o tracee.Order) {
	status := unix.WaitStatus(o.Status)
	p.tellEnded(o.Tid, status)
	t.trapEnded(p)
	p.gone = true
	if p == t.root {
		t.status = status
	}
	for _, other := range p.threads.all() {
		t.callEnds(other)
		t.dropThread(other)
	}
	p.stopClock()
	p.endProbes()
	t.programs.forget(p.pid)
	p.tell(notice{kind: processEnded, status: status, cpu: time.Duration(o.CPU)})
	if p == t.root {
		t.letDaemonsGo()
	}
}

// parentOf is the process of a number, also one that was let go and still has threads; nil: there
// is none.
func (t *tree) parentOf(pid int) *process {
	if p := t.processes[pid]; p != nil {
		return p
	}
	for _, th := range t.threads {
		if th.p.pid == pid {
			return th.p
		}
	}
	return nil
}
