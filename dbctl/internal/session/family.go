package session

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/syscalls"
)

// child is a process between its maker's event and its own first stop.
type child struct {
	parent   *process
	original breakpoint.Originals // of its parent's memory, as it got it
	runs     image                // as its parent did, when it was decided whether it's followed
	trap     *tracer.Trap         // it's in this pause-trap, or will be
}

// childMade is a process that was made, by a thread that stands or by nobody who could tell.
func (t *tree) childMade(o tracee.Order, th *thread) {
	if t.children[o.Child] != nil {
		return // of a parent that was killed in its pause-trap
	}
	parent := t.parentOf(o.Pid)
	if parent == nil {
		parent = t.base
	}
	t.children[o.Child] = &child{parent: parent, original: parent.originals(), runs: parent.runs}
	if th == nil {
		return
	}
	if parent.runs.rule == nil {
		// Only followed, and so are its children.
		t.decide(o.Child, tracee.Follow)
		t.goOn(th)
		return
	}
	if !t.stand(th) {
		t.decide(o.Child, tracee.Drop)
		t.goOn(th)
		return
	}
	parent.tell(notice{kind: madeChild, thread: th, child: o.Child, how: o.How})
}

// sharesMemory reports whether two processes have one memory, as after vfork.
func sharesMemory(a, b int, how string) bool {
	const kcmpVM = 1
	order, _, e := unix.Syscall6(unix.SYS_KCMP, uintptr(a), uintptr(b), kcmpVM, 0, 0, 0)
	if e != 0 {
		return how == "vfork" // a kernel without kcmp
	}
	return order == 0
}

// tgid is the process of a thread, 0 if it's gone.
func tgid(tid int) int {
	status, err := proc.ReadStatus(tid, tid)
	if err != nil {
		return 0
	}
	return status.Tgid
}

// threadBegins is the first stop of a thread.
func (t *tree) threadBegins(th *thread) {
	p := th.p
	if p.clk != nil {
		p.clockThread(th.tid)
	}
	if p.everSet {
		t.setDebug(th) // it does not inherit them
	}
	if p.runs.rule != nil && t.stand(th) {
		p.tell(notice{kind: threadBegan, thread: th})
		return
	}
	t.goOn(th)
}

// decide says whether a child is followed.
func (t *tree) decide(pid int, d tracee.Decision) {
	if c := t.children[pid]; c != nil {
		c.runs = c.parent.runs
		t.step(tracee.Event{Kind: tracee.Decide, Child: pid, Decision: d})
	}
}

// childBegins is the first stop of a child that was decided on.
func (t *tree) childBegins(o tracee.Order) {
	pid, c := o.Tid, t.children[o.Tid]
	delete(t.children, pid)
	now := time.Now()
	t.note(t.log.Start(now, pid, c.parent.pid, o.How))
	if !o.Shares {
		c.withoutBreakpoints(pid)
	}
	if o.Decision == tracee.Drop || t.ending {
		t.drop(pid, c, o.Shares)
		return
	}
	p := t.newProcess(pid, c.parent.pid)
	p.image, p.runs = c.runs, c.runs
	if o.Shares {
		p.borrow(c.parent)
	}
	t.trapForksOf(p, c.parent)
	th := t.newThread(p, pid)
	if p.rule == nil {
		t.goOn(th)
		return
	}
	p.newBlock()
	if !t.stand(th) {
		t.goOn(th)
		return
	}
	p.tell(notice{kind: begun, thread: th, word: "started"})
}

// drop lets a child go that is not followed. One that shares the memory of its parent with the
// breakpoints in it would die of them alone: it's kept until it executes a program.
func (t *tree) drop(pid int, c *child, shares bool) {
	now := time.Now()
	t.note(t.log.Mode(now, pid, "released"))
	if !shares || !c.parent.hasHad() {
		t.step(tracee.Event{Kind: tracee.Release, Pid: pid})
		t.note(t.log.End(now, pid, 0, 0, 0, "detached"))
		return
	}
	p := t.newProcess(pid, c.parent.pid)
	p.runs = image{exe: c.runs.exe, argv: c.runs.argv}
	p.image, p.leaves = p.runs, true
	p.borrow(c.parent)
	t.goOn(t.newThread(p, pid))
}

// executed is a process that has executed another program.
func (t *tree) executed(th *thread) {
	p := th.p
	exe, err := proc.Exe(p.pid)
	if err != nil {
		t.goOn(th) // it's ending
		return
	}
	p.executed = true
	if _, counts := p.clk.(*callClock); counts {
		p.stopClock() // it was of what is gone
	}
	p.endProbes()
	p.traced, p.tracedPaths = syscalls.Set{}, false
	t.newMemory(p)
	if p.leaves && t.stand(th) {
		t.release(p)
		return
	}
	if tracer.Privileged(proc.Entry(p.pid, "exe")) {
		t.privileged(p, exe)
		return
	}
	if t.programs.checksLeaks(proc.Entry(p.pid, "exe"), proc.Environ(p.pid)) && t.stand(th) {
		t.sayOnce("%s; it runs unprofiled", leakCheckFails(exe))
		t.note(t.log.Exec(time.Now(), p.pid, exe, proc.Args(p.pid)))
		t.note(t.log.Mode(time.Now(), p.pid, "released"))
		t.release(p)
		return
	}
	before := p.runs.rule
	p.runs = image{exe, proc.Args(p.pid), t.cfg.Program.For(exe)}
	if !runsScript(p.pid, p.runs.argv) {
		if err := t.answerable(exe, p.runs.rule, proc.Environ(p.pid)); err != nil {
			t.sayOnce("%v", err)
		}
	}
	t.note(t.log.Exec(time.Now(), p.pid, exe, p.runs.argv))
	t.matched = t.matched || p.runs.rule != nil
	t.trapForks(p, p.runs.rule, false)
	if before == nil && p.runs.rule == nil {
		t.goOn(th)
		return
	}
	if !t.stand(th) {
		t.goOn(th)
		return
	}
	p.began = tracer.ProcessTime(p.pid)
	p.tell(notice{kind: executes, thread: th, runs: p.runs})
}

// privileged lets a process go that executes a set-uid program, which would not
// get its rights.
func (t *tree) privileged(p *process, exe string) {
	now := time.Now()
	t.note(t.log.Exec(now, p.pid, exe, proc.Args(p.pid)))
	t.note(t.log.Mode(now, p.pid, "setuid"))
	if err := t.tracer.Again(p.pid); err != nil {
		t.say("%s is set-uid or set-gid and runs without its privileges, because it is traced: %v", exe, err)
		t.goOn(t.threads[p.pid])
		return
	}
	t.sayOnce("%s is set-uid or set-gid and would lose its privileges under a tracer: it runs unprofiled", exe)
	t.step(tracee.Event{Kind: tracee.Lost, Tid: p.pid})
	t.dropThread(t.threads[p.pid])
	p.tell(notice{kind: letGo})
}

// daemonLook is how often daemons are looked for when the program has ended.
const daemonLook = 50 * time.Millisecond

// letDaemonsGo lets go of what has left the program's session, once the program
// has ended: it's meant to outlive it. What hasn't left it is waited for; it may
// leave it yet.
func (t *tree) letDaemonsGo() {
	if len(t.processes) > 0 {
		t.wake(time.Now().Add(daemonLook))
	}
	for _, p := range t.processes {
		if sid, err := unix.Getsid(p.pid); err == nil && sid != t.sid && !p.gone {
			if p.runs.rule != nil && !slices.Contains(t.daemons, p.pid) {
				t.daemons = append(t.daemons, p.pid)
			}
			t.release(p)
		}
	}
}

// tellDaemons tells of processes that were let go, if they still run.
func (t *tree) tellDaemons() {
	left := slices.DeleteFunc(t.daemons, func(pid int) bool {
		s, err := proc.ReadStat(pid)
		return err != nil || s.Ended()
	})
	switch len(left) {
	case 0:
	case 1:
		t.say("one process still runs and is no longer sampled (-p %d attaches to it)", left[0])
	default:
		t.say("%d processes still run and are no longer sampled (-p %d attaches to one of them)", len(left), left[0])
	}
}

// beginProgram is the beginning of a launched program, or of a process that was
// attached to.
func (t *tree) beginProgram(p *process, th *thread, word string) error {
	exe, err := proc.Exe(p.pid)
	if err != nil {
		return fmt.Errorf("process %d has ended", p.pid)
	}
	p.began = tracer.ProcessTime(p.pid) // of one that was launched, our launcher has used it
	if word == "attached" {
		p.joined = p.began
	}
	p.image = image{exe, proc.Args(p.pid), t.cfg.Program.For(exe)}
	p.runs = p.image
	t.matched = t.matched || p.rule != nil
	if word == "attached" {
		if t.programs.checksLeaks(proc.Entry(p.pid, "exe"), proc.Environ(p.pid)) {
			t.sayOnce("%s checks for leaks at its end (LeakSanitizer), which fails while dbctl is attached", exe)
		}
		if err := t.answerable(exe, p.rule, proc.Environ(p.pid)); err != nil && !runsScript(p.pid, p.argv) {
			return err
		}
	}
	t.trapForks(p, p.rule, word == "attached")
	if t.base == nil {
		if err := t.startLog(p); err != nil {
			return err
		}
	}
	now := time.Now()
	t.note(t.log.Start(now, p.pid, p.ppid, map[string]string{"started": "launch", "attached": "attach"}[word]))
	t.note(t.log.Exec(now, p.pid, exe, p.argv))
	t.mode(p)
	if p == t.base {
		t.note(t.log.Dir(now, p.pid, t.name))
	}
	if p.rule == nil {
		if th != nil {
			t.goOn(th)
		}
		return nil
	}
	p.newBlock()
	if th != nil {
		t.stand(th)
	} else if leader := t.threads[p.pid]; t.habit(p.rule).slow && leader != nil {
		// A debugger wants a thread that stands still.
		if t.want(leader, tracee.Begin) == nil {
			return nil
		}
	}
	p.tell(notice{kind: begun, thread: th, word: word, fresh: word == "started"})
	return nil
}

// startLog makes the run directory of the first process, which holds the tree.
func (t *tree) startLog(p *process) (err error) {
	t.base = p
	p.run = newRun(p)
	if err := p.run.open(); err != nil {
		return err
	}
	t.keepTables(p.run.dir)
	t.log, err = p.run.dir.NewTree()
	return err
}

// note takes the error of a write to the file tree, which is no reason to end.
func (t *tree) note(err error) {
	if err != nil {
		t.sayOnce("cannot write the tree of processes: %v", err)
	}
}
