package ring

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/launch"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/resource"
)

// launch opens the clocks and has the program executed. ours is what our caller left us:
// its masks of signals.
func (c *collection) launch(path string, ours proc.Status) error {
	l, err := launch.Start(launch.Program{
		Path: path, Argv: c.cfg.Argv, Env: c.cfg.Environ, Files: [3]*os.File{c.cfg.Stdin, c.cfg.Stdout, c.cfg.Stderr},
		Ignored: c.cfg.Ignored | ours.Ignored, Blocked: ours.Blocked, Shell: true,
	})
	if err != nil {
		return err
	}
	defer l.Close()
	err = c.open([]int{l.Pid})
	if err != nil {
		l.Kill()
		return err
	}
	c.table.launched(l.Pid, path, c.cfg.Argv)
	c.tellProbes()
	l.Go()
	if err := l.Failure(); err != nil {
		unix.Wait4(l.Pid, nil, 0, nil)
		return launch.Refused(path, err)
	}
	c.root, c.changes = l.Pid, make(chan change, 16)
	c.signals.PassOn(l.Pid)
	go c.watch()
	return nil
}

// open makes the clocks for processes, as the kernel permits.
func (c *collection) open(pids []int) error {
	specs, err := c.cfg.specs()
	if err != nil {
		return err
	}
	launches := len(c.cfg.Argv) > 0
	times := !slices.ContainsFunc(c.cfg.measured, func(r measured) bool { return r.Name != resource.CPU && r.Name != resource.User })
	counting := c.cfg.Counting
	if counting == Best && times && (launches || c.cfg.Tree) || counting == ByCPU {
		c.events = newEvents(specs)
		err := c.events.add(allTasks)
		if err == nil {
			c.table.whole = true
			return nil
		}
		c.events.close()
		if counting == ByCPU || !isPermission(err) {
			return refusal(err, needCPUs)
		}
	}
	switch {
	case counting == Best && !slices.ContainsFunc(specs, func(s eventSpec) bool { return s.file == nil }):
	case counting == Best && !times:
		c.out.note("the last incomplete interval of each thread on each processor is not in the data")
	case launches || c.cfg.Tree:
		c.out.note("not sampled: processes that used less than one period of CPU time, and the last incomplete period of others; -cpus samples all (needs root)")
	}
	for i := range specs {
		specs[i].onExec = launches
	}
	c.events = newEvents(specs)
	err = c.openThreads(pids)
	if c.cfg.Kernel && isPermission(err) {
		if c.ticks, _ = beginTicks(procProfile); c.ticks == nil {
			return refusal(err, needKernel)
		}
		c.out.note("kernel time is from " + procProfile + ", of all processes of the machine: perf events of the kernel were not permitted")
		c.events.close()
		for i := range specs {
			specs[i].kernel, specs[i].chain = false, false
		}
		c.events = newEvents(specs)
		err = c.openThreads(pids)
	}
	if err != nil {
		if pid := foreign(pids); !launches && isPermission(err) && pid != 0 {
			return &NotPermitted{Err: err, Why: fmt.Sprintf("process %d belongs to another user: to sample it needs root, or the capabilities CAP_PERFMON and CAP_SYS_PTRACE", pid)}
		}
		return refusal(err, needUser)
	}
	if c.events.userOnly && !c.cfg.Kernel {
		c.out.note("kernel time was not sampled: this needs root, or at most 1 in " + paranoidFile)
	}
	return nil
}

// foreign returns the first of these processes that belongs to another user, or 0. The kernel
// gives the /proc directory of a process with other rights to root.
func foreign(pids []int) int {
	for _, pid := range pids {
		var st unix.Stat_t
		if err := unix.Stat(fmt.Sprintf("/proc/%d", pid), &st); err == nil && int(st.Uid) != os.Geteuid() {
			return pid
		}
	}
	return 0
}

// openThreads makes clocks for all threads of processes. A new thread inherits the clocks of the
// thread that made it; threads whose maker has no clocks yet are found by looking again.
func (c *collection) openThreads(pids []int) error {
	if len(c.cfg.Argv) > 0 {
		return c.events.add(pids[0]) // the launcher's first thread
	}
	seen := map[int]bool{}
	for more := true; more; {
		more = false
		if c.cfg.Tree {
			pids = descendants(pids)
		}
		// Threads that inherited clocks appear in the rings.
		c.events.drain(func(r record) {
			switch of := r.of.(type) {
			case fork:
				seen[r.tid] = true
			case sample:
				if of.stack != nil {
					c.table.deep.keep(of.stack)
				}
			}
			c.order.pending = append(c.order.pending, r)
		})
		for _, pid := range pids {
			threads, _ := proc.Threads(pid)
			for _, tid := range threads {
				if seen[tid] {
					continue
				}
				seen[tid], more = true, true
				if err := c.events.add(tid); err != nil && !errors.Is(err, unix.ESRCH) {
					return err
				}
			}
		}
	}
	return nil
}

// attach opens the clocks of processes that run.
func (c *collection) attach() error {
	for _, pid := range c.cfg.Pids {
		if s, err := proc.ReadStat(pid); err != nil || s.State == 'Z' {
			return fmt.Errorf("there is no process %d", pid)
		}
	}
	if err := c.open(c.cfg.Pids); err != nil {
		return err
	}
	c.tellProbes()
	pids := slices.Clone(c.cfg.Pids)
	if c.cfg.Tree {
		pids = descendants(pids)
	}
	for _, pid := range pids {
		c.table.attached(pid)
	}
	return nil
}
