package session

import (
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/internal/proc"
)

// attachAll takes the processes that were named, and with Tree what they have
// made. None of them is stopped for it.
func (t *tree) attachAll() error {
	pids := slices.Clone(t.cfg.Pids)
	if slices.Contains(pids, os.Getpid()) {
		return fmt.Errorf("process %d is dbctl itself", os.Getpid())
	}
	slices.Sort(pids)
	for _, pid := range slices.Compact(pids) {
		if err := t.seize(pid); err != nil {
			return err
		}
	}
	for _, pid := range t.cfg.Pids {
		p := t.processes[pid]
		if p == nil || p.run != nil || p.exe != "" {
			continue
		}
		if err := t.beginProgram(p, nil, "attached"); err != nil {
			delete(t.processes, pid)
			if t.log == nil {
				return err
			}
			t.say("%v", err)
		}
	}
	failed := make(map[int]bool)
	for again := t.cfg.Tree; again; {
		// What a process makes after it was taken is taken with it; what it made
		// before may be found late.
		again = false
		for _, pid := range t.descendants(failed) {
			err := t.attach(pid)
			again = again || err == nil
			failed[pid] = err != nil
			if _, e := proc.ReadStatus(pid, pid); err != nil && e == nil {
				t.sayOnce("%v", err) // it has not just ended
			}
		}
	}
	return nil
}

func (t *tree) attach(pid int) error {
	if err := t.seize(pid); err != nil {
		return err
	}
	return t.beginProgram(t.processes[pid], nil, "attached")
}

// seize takes a process, which does not notice.
func (t *tree) seize(pid int) error {
	status, err := proc.ReadStatus(pid, pid)
	if err != nil {
		return fmt.Errorf("there is no process %d", pid)
	}
	if status.Tgid != pid {
		return fmt.Errorf("%d is a thread of process %d: use -p %d", pid, status.Tgid, status.Tgid)
	}
	if status.State == 'Z' || status.State == 'X' {
		if tids, err := proc.Threads(pid); err == nil && len(tids) > 1 {
			return fmt.Errorf("cannot attach to process %d: its first thread has ended", pid)
		}
		return fmt.Errorf("process %d has ended", pid)
	}
	tids, err := t.tracer.Seize(pid)
	if err != nil {
		return err
	}
	p := t.newProcess(pid, status.Ppid)
	t.seized(p, tids)
	t.seizeSharers(p)
	return nil
}

// seized takes in the threads of a process that were taken while they run.
func (t *tree) seized(p *process, tids []int) {
	for _, tid := range tids {
		t.newThread(p, tid)
		t.step(tracee.Event{Kind: tracee.Seized, Tid: tid, Pid: p.pid})
	}
}

// seizeSharers takes the children, of vfork, that are in a process's memory just
// now: they would die of breakpoints in it. They are let go when they execute.
func (t *tree) seizeSharers(p *process) {
	if exe, _ := proc.Exe(p.pid); !t.habit(t.cfg.Program.For(exe)).breaks {
		return
	}
	for _, pid := range t.descendants(nil) {
		status, err := proc.ReadStatus(pid, pid)
		if err != nil || status.Ppid != p.pid || !sharesMemory(p.pid, pid, "") {
			continue
		}
		tids, err := t.tracer.Seize(pid)
		if err != nil {
			continue
		}
		c := t.newProcess(pid, p.pid)
		c.leaves, c.unnoted = true, true
		c.borrow(p)
		t.seized(c, tids)
	}
}

// descendants are the processes that those which are known have made, and that
// are neither known nor failed, nor taken already with their parents.
func (t *tree) descendants(failed map[int]bool) []int {
	parent := make(map[int]int)
	taken := make(map[int]bool)
	for _, pid := range proc.All() {
		if status, err := proc.ReadStatus(pid, pid); err == nil && status.State != 'Z' {
			parent[pid] = status.Ppid
			taken[pid] = status.Tracer == unix.Gettid()
		}
	}
	var found []int
	for pid := range parent {
		if t.processes[pid] != nil || taken[pid] || failed[pid] {
			continue
		}
		for up := parent[pid]; up > 1; up = parent[up] {
			if t.processes[up] != nil {
				found = append(found, pid)
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// mode notes what is done with a process from now on.
func (t *tree) mode(p *process) {
	word := "followed"
	if p.runs.rule != nil {
		word = "sampled"
	}
	t.note(t.log.Mode(time.Now(), p.pid, word))
}
