package session

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// adoptTime is after which a process is taken in whose parent's event has not
// come: the parent may have been killed in between. It may also come late, since
// the kernel tells of many in an order of its own.
const adoptTime = time.Second

// early is a process, or a thread, that has ended before its parent's event came.
type early struct {
	thread bool
	at     time.Time
	status unix.WaitStatus
	cpu    time.Duration
}

// forked is a thread that has made another, or a process.
func (t *tree) forked(th *thread, ev tracer.Event) {
	p := th.p
	_, begun := t.orphans[ev.Child]
	delete(t.orphans, ev.Child)
	if known := t.threads[ev.Child]; known != nil {
		known.early = false
		t.goOn(th) // it was taken in already
		return
	}
	if e, ended := t.early[ev.Child]; ended {
		delete(t.early, ev.Child)
		if !begun && !alive(ev.Child) { // else it's another one of that number
			if !e.thread {
				t.passed(ev.Child, p, ev.How, e)
			}
			t.goOn(th)
			return
		}
	}
	if ev.How == "clone" && tgid(ev.Child) == p.pid {
		p.addThread(t, ev.Child, begun, false)
		t.goOn(th)
		return
	}
	c := &child{parent: p, how: ev.How, shares: sharesMemory(th.tid, ev.Child, ev.How), born: begun}
	c.original = p.originals()
	t.children[ev.Child] = c
	if p.runs.rule == nil {
		// Only followed, and so are its children.
		t.decide(ev.Child, true)
		t.goOn(th)
		return
	}
	if !t.stand(th) {
		t.decide(ev.Child, false)
		t.goOn(th)
		return
	}
	p.tell(notice{kind: madeChild, thread: th, child: ev.Child, how: ev.How})
}

// passed notes a process that has begun and ended while nobody looked.
func (t *tree) passed(pid int, parent *process, how string, e early) {
	t.note(t.log.Start(e.at, pid, parent.pid, how))
	t.note(t.log.End(e.at, pid, e.cpu, 0, 0, statusText(e.status)))
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

// alive reports whether a thread has not ended yet.
func alive(tid int) bool {
	status, err := tracer.ReadStatus(tid, tid)
	return err == nil && status.State != 'Z' && status.State != 'X'
}

// tgid is the process of a thread, 0 if it's gone.
func tgid(tid int) int {
	status, err := tracer.ReadStatus(tid, tid)
	if err != nil {
		return 0
	}
	return status.Tgid
}

// addThread takes in a thread that begins, or has.
func (p *process) addThread(t *tree, tid int, begun, early bool) {
	th := t.newThread(p, tid)
	th.born, th.early = false, early
	p.noTrap(hasThreads)
	if begun {
		t.born(th, tid)
	}
}

// born is the first stop of a thread. One that nothing is known of belongs to a
// parent whose event is still to come.
func (t *tree) born(th *thread, tid int) {
	if th == nil {
		if c := t.children[tid]; c != nil {
			c.born = true
			t.settle(tid, c)
			return
		}
		switch id := tgid(tid); {
		case id != 0 && id != tid && t.processes[id] == nil:
			t.tracer.Detach(tid, 0) // of a process that was let go
			t.early[tid] = early{thread: true}
			return
		case id != tid && t.processes[id] != nil:
			p := t.processes[id]
			p.addThread(t, tid, true, true)
			return
		}
		t.orphans[tid] = time.Now()
		t.wake(time.Now().Add(adoptTime))
		return
	}
	th.born = true
	p := th.p
	if p.released {
		t.tracer.Detach(tid, 0)
		t.dropThread(th)
		return
	}
	if p.clk != nil {
		p.clockThread(tid)
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

// adopt takes in those that have waited long for their parent's event.
func (t *tree) adopt(now time.Time) {
	for tid, since := range t.orphans {
		if now.Sub(since) < adoptTime {
			t.wake(since.Add(adoptTime))
			continue
		}
		status, err := tracer.ReadStatus(tid, tid)
		if errors.Is(err, unix.EMFILE) {
			t.wake(now.Add(adoptTime))
			continue
		}
		delete(t.orphans, tid)
		if err != nil {
			continue
		}
		parent := t.processes[status.Ppid]
		if parent == nil {
			parent = t.base
		}
		t.children[tid] = &child{
			parent: parent, how: "fork", born: true,
			shares: sharesMemory(parent.pid, tid, ""), original: parent.originals(),
		}
		t.decide(tid, true)
		if th := t.threads[tid]; th != nil {
			th.early = true
		}
	}
}

// decide says whether a child is followed.
func (t *tree) decide(pid int, follow bool) {
	if c := t.children[pid]; c != nil && !c.decided {
		c.decided, c.follow = true, follow
		c.runs = c.parent.runs
		t.settle(pid, c)
	}
}

// settle lets a child begin, once it's there and decided on.
func (t *tree) settle(pid int, c *child) {
	if !c.born || !c.decided {
		return
	}
	delete(t.children, pid)
	now := time.Now()
	t.note(t.log.Start(now, pid, c.parent.pid, c.how))
	if !c.shares {
		c.withoutBreakpoints(pid)
	}
	if !c.follow && c.shares && c.parent.hasHad() {
		t.keepUntilExec(pid, c)
		return
	}
	if !c.follow {
		t.tracer.Detach(pid, 0)
		t.note(t.log.Mode(now, pid, "released"))
		t.note(t.log.End(now, pid, 0, 0, 0, "detached"))
		return
	}
	p := t.newProcess(pid, c.parent.pid)
	p.image, p.runs = c.runs, c.runs
	if c.shares {
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

// keepUntilExec is for a child that is to be let go, and shares the memory of its
// parent with the breakpoints in it: alone it would die of them.
func (t *tree) keepUntilExec(pid int, c *child) {
	p := t.newProcess(pid, c.parent.pid)
	p.runs = image{exe: c.runs.exe, argv: c.runs.argv}
	p.image, p.leaves = p.runs, true
	p.borrow(c.parent)
	th := t.newThread(p, pid)
	t.note(t.log.Mode(time.Now(), pid, "released"))
	t.goOn(th)
}

// executing is the thread of a process that has executed another program; the
// others are gone.
func (t *tree) executing(ev tracer.Event) *thread {
	th := t.threads[ev.Tid]
	if th == nil {
		th = t.threads[ev.Former]
	}
	if th == nil {
		return nil
	}
	p := th.p
	for _, other := range p.threadList() {
		if other.tid == ev.Former {
			continue
		}
		t.dropThread(other)
		if other.tid != p.pid {
			p.tellEnded(other.tid, 0)
		}
	}
	if former := t.threads[ev.Former]; former != nil && former.p == p && ev.Former != ev.Tid {
		// It has taken its leader's number.
		former.passed()
		if p.clk != nil {
			p.clk.remove(former.tid)
		}
		p.mu.Lock()
		delete(p.threads, former.tid)
		delete(t.threads, former.tid)
		former.tid = ev.Tid
		p.threads[ev.Tid] = former
		t.threads[ev.Tid] = former
		p.mu.Unlock()
		if p.clk != nil {
			p.clockThread(ev.Tid)
		}
	}
	return t.threads[ev.Tid]
}

// executed is a process that has executed another program.
func (t *tree) executed(th *thread) {
	p := th.p
	exe := executableOf(p.pid)
	if exe == "" {
		t.goOn(th) // it's ending
		return
	}
	p.executed = true
	if _, counts := p.clk.(*callClock); counts {
		p.stopClock() // it was of what is gone
	}
	t.newMemory(p)
	if p.leaves && t.stand(th) {
		t.release(p)
		return
	}
	if tracer.Privileged(exe) {
		t.privileged(p, exe)
		return
	}
	if t.programs.checksLeaks("/proc/"+itoa(p.pid)+"/exe", environment(p.pid)) && t.stand(th) {
		t.sayOnce("%s; it runs unprofiled", leakCheckFails(exe))
		t.note(t.log.Exec(time.Now(), p.pid, exe, commandLine(p.pid)))
		t.note(t.log.Mode(time.Now(), p.pid, "released"))
		t.release(p)
		return
	}
	before := p.runs.rule
	p.runs = image{exe, commandLine(p.pid), t.cfg.Program.For(exe)}
	if !runsScript(p.pid, p.runs.argv) {
		if err := t.answerable(exe, p.runs.rule, environment(p.pid)); err != nil {
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
	th.owed = 0
	if !t.stand(th) {
		t.goOn(th)
		return
	}
	p.began = tracer.ProcessTime(p.pid)
	p.tell(notice{kind: executes, thread: th, runs: p.runs})
}

// environment is what a process was given when its program began.
func environment(pid int) []string {
	text, err := os.ReadFile("/proc/" + itoa(pid) + "/environ")
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\x00")
}

// privileged lets a process go that executes a set-uid program, which would not
// get its rights.
func (t *tree) privileged(p *process, exe string) {
	now := time.Now()
	t.note(t.log.Exec(now, p.pid, exe, commandLine(p.pid)))
	t.note(t.log.Mode(now, p.pid, "setuid"))
	if err := t.tracer.Again(p.pid); err != nil {
		t.say("%s is set-uid or set-gid, and lost its rights because it's traced: %v", exe, err)
		t.goOn(t.threads[p.pid])
		return
	}
	t.sayOnce("%s is set-uid or set-gid, and would lose its rights under a tracer: it runs unprofiled", exe)
	p.released = true
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
			t.release(p)
		}
	}
}

// beginProgram is the beginning of a launched program, or of a process that was
// attached to.
func (t *tree) beginProgram(p *process, th *thread, word string) error {
	exe := executableOf(p.pid)
	if exe == "" {
		return fmt.Errorf("process %d has ended", p.pid)
	}
	p.began = tracer.ProcessTime(p.pid) // of one that was launched, our launcher has used it
	if word == "attached" {
		p.joined = p.began
	}
	p.image = image{exe, commandLine(p.pid), t.cfg.Program.For(exe)}
	p.runs = p.image
	t.matched = t.matched || p.rule != nil
	if word == "attached" {
		if t.programs.checksLeaks("/proc/"+itoa(p.pid)+"/exe", environment(p.pid)) {
			t.sayOnce("%s looks for leaks at its end (LeakSanitizer), which fails if it ends while we are attached", exe)
		}
		if err := t.answerable(exe, p.rule, environment(p.pid)); err != nil && !runsScript(p.pid, p.argv) {
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
		leader.begins = true
		if t.tracer.Interrupt(p.pid) == nil {
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
	t.log, err = p.run.dir.NewTree()
	return err
}

// note takes the error of a write to the file tree, which is no reason to end.
func (t *tree) note(err error) {
	if err != nil {
		t.sayOnce("the processes can't be recorded: %v", err)
	}
}
