package ring

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/terminal"
)

// collection is what Run does. All of it belongs to one goroutine; signals and the
// program's end ring a bell.
type collection struct {
	cfg     Config
	events  *events
	order   order
	table   *table
	out     *output
	signals *terminal.Signals
	ticks   *kernelTicks // nil: not asked for, or perf events serve
	bell    int          // eventfd

	root    int // process that was launched, 0: none
	changes chan change
	status  unix.WaitStatus
	cpu     time.Duration // that it has used
	stopped unix.Signal   // that it was last stopped by, 0: dealt with
	ended   bool          // it has
	settled bool          // and all that was recorded by then is used
	ends    time.Time
	letGo   bool // nothing is sampled any more
}

func newCollection(cfg Config) *collection {
	if cfg.Say == nil {
		cfg.Say = func(string) {}
	}
	out := newOutput(cfg)
	return &collection{cfg: cfg, out: out, table: newTable(cfg, out), bell: -1}
}

func (c *collection) close() {
	if c.events != nil {
		c.events.close()
	}
	if c.signals != nil {
		c.signals.Close()
	}
	if c.bell >= 0 {
		unix.Close(c.bell)
	}
}

// interval is how long records wait in the rings at most.
const interval = 250 * time.Millisecond

func (c *collection) run() (status int, err error) {
	if c.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return 0, err
	}
	ours := ownStatus()
	path := ""
	if len(c.cfg.Argv) > 0 {
		if path, err = find(c.cfg.Argv[0]); err != nil {
			return 0, err
		}
		if err = Check(false); err != nil {
			return 0, err
		}
	}
	c.signals = terminal.Catch(c.ring)
	if path != "" {
		err = c.launch(path, ours)
	} else {
		err = c.attach()
	}
	if err != nil {
		return 0, err
	}
	if c.cfg.For > 0 {
		c.ends = time.Now().Add(c.cfg.For)
		defer time.AfterFunc(c.cfg.For, c.ring).Stop()
	}
	for !c.over() {
		c.events.await(c.bell, int(interval.Milliseconds()))
		c.heard()
		until := monotonic() - settled
		if c.ended && !c.settled {
			// What the program left running must be known before we look for it.
			until, c.settled = monotonic(), true
		}
		c.round(until)
	}
	c.finish()
	return c.await(), nil
}

// ring wakes us.
func (c *collection) ring() { unix.Write(c.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// heard takes what the bell rang for.
func (c *collection) heard() {
	var b [8]byte
	unix.Read(c.bell, b[:])
	for waiting := c.root != 0; waiting; {
		select {
		case now := <-c.changes:
			c.changed(now)
		default:
			waiting = false
		}
	}
	// The signal that stopped the program and ours come in any order.
	continued := func() bool {
		s, err := readStat(c.root)
		return err != nil || s.state != 'T'
	}
	if c.stopped != 0 && continued() {
		c.stopped = 0
	}
	if c.stopped != 0 && c.signals.StopWanted() {
		terminal.StopUs(c.stopped, continued)
		c.stopped = 0
	}
}

// change is one of the program's state.
type change struct {
	status unix.WaitStatus
	cpu    time.Duration // that it has used so far
}

// changed takes a change of the program's state.
func (c *collection) changed(now change) {
	if !now.status.Stopped() {
		c.status, c.cpu, c.ended = now.status, now.cpu, true
		c.signals.PassOn(0)
		return
	}
	c.stopped = now.status.StopSignal()
}

// watch tells the changes of the program's state, until it has ended.
func (c *collection) watch() {
	for {
		// Its CPU time can be read as long as we have not taken its status.
		err := unix.Waitid(unix.P_PID, c.root, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		now := change{}
		if s, err := readStat(c.root); err == nil {
			now.cpu = s.cpu
		}
		unix.Wait4(c.root, &now.status, unix.WUNTRACED, nil)
		c.changes <- now
		c.ring()
		if !now.status.Stopped() {
			return
		}
	}
}

// over reports whether nothing is to be sampled any more.
func (c *collection) over() bool {
	switch {
	case c.cfg.Samples > 0 && c.table.samples >= c.cfg.Samples, !c.ends.IsZero() && !time.Now().Before(c.ends):
		c.letGo = true
	case c.root == 0:
		c.letGo = c.endWanted()
	case c.ended && !c.settled:
		return false
	case c.ended:
		// What has not left the session belongs to the program, as for a shell.
		return c.endWanted() || !c.table.anyIn(os.Getpid())
	default:
		c.endWanted() // is the program's affair
	}
	return c.letGo || c.root == 0 && !c.table.anyAlive()
}

// round uses the records until a time.
func (c *collection) round(until time.Duration) {
	c.events.drain(func(r record) { c.order.pending = append(c.order.pending, r) })
	records := c.order.take(until)
	c.out.ends(records)
	for _, r := range records {
		c.out.now = r.time
		if r.of == nil && r.kind == unix.PERF_RECORD_THROTTLE {
			c.table.throttled++
			continue
		}
		if f, ok := r.of.(fork); ok && c.table.of[f.ppid] != nil {
			c.events.inherited(r.tid)
		}
		if r.kind == unix.PERF_RECORD_EXIT {
			delete(c.events.direct, r.tid)
		}
		if _, ok := r.of.(sample); ok && c.events.retired[r.id] {
			continue
		}
		c.table.take(r)
	}
	c.table.flush()
}

// finish takes what is left, and ends all runs.
func (c *collection) finish() {
	c.events.stop()
	c.round(1<<63 - 1)
	if c.ticks != nil {
		c.writeTicks()
	}
	end := ending{exited: c.ended, cpu: c.cpu}
	if c.ended {
		end.status = statusText(c.status)
	}
	c.table.finish(end)
	if c.table.samples == 0 {
		c.out.say("%s", c.whyNone())
	}
}

// whyNone says what may be the reason that there are no samples.
func (c *collection) whyNone() string {
	if c.table.setuid {
		return "no samples were taken: it's a set-uid program, which only root may sample"
	}
	return "no samples were taken: hardly any CPU time was used"
}

func (c *collection) writeTicks() {
	if !c.out.open(c.out.base) {
		return
	}
	if err := c.ticks.write(c.out.base.run.dir.Path(), c.out.base.pid, c.table.kernelSymbols()); err != nil {
		c.out.say("the kernel's ticks could not be written: %v", err)
	}
}

// await returns the program's status when it has ended, sampled or not.
func (c *collection) await() int {
	if c.root == 0 {
		return 0
	}
	for !c.ended {
		c.events.await(c.bell, -1)
		c.heard()
	}
	if c.status.Signaled() {
		return 128 + int(c.status.Signal())
	}
	return c.status.ExitStatus()
}

// launch opens the clocks and has the program executed.
func (c *collection) launch(path string, ours masks) error {
	l, err := launch(path, c.cfg, ours)
	if err != nil {
		return err
	}
	defer l.close()
	err = c.open([]int{l.pid})
	if err != nil {
		l.kill()
		return err
	}
	c.table.launched(l.pid, path, c.cfg.Argv)
	if err := l.release(); err != nil {
		unix.Wait4(l.pid, nil, 0, nil)
		return launchError(path, err)
	}
	c.root, c.changes = l.pid, make(chan change, 16)
	c.signals.PassOn(l.pid)
	go c.watch()
	return nil
}

// open makes the clocks for processes, as the kernel permits.
func (c *collection) open(pids []int) error {
	spec := eventSpec{period: c.cfg.Period, kernel: true, user: !c.cfg.Kernel}
	launches := len(c.cfg.Argv) > 0
	counting := c.cfg.Counting
	if counting == Best && (launches || c.cfg.Tree) || counting == ByCPU {
		c.events = newEvents(spec)
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
	if launches || c.cfg.Tree {
		c.out.note("processes that used less CPU time than a period, and what others used beyond whole periods, were not seen: clocks for whole processors, which see all, need root")
	}
	spec.onExec = launches
	c.events = newEvents(spec)
	err := c.openThreads(pids)
	if c.cfg.Kernel && isPermission(err) {
		if c.ticks, _ = beginTicks(procProfile); c.ticks == nil {
			return refusal(err, needKernel)
		}
		c.out.note("kernel time is from " + procProfile + ", of all processes of the machine: perf events of the kernel were not permitted")
		c.events.close()
		spec.kernel = false
		c.events = newEvents(spec)
		err = c.openThreads(pids)
	}
	if err != nil {
		return refusal(err, needUser)
	}
	if !c.events.spec.kernel && !c.cfg.Kernel {
		c.out.note("time that the kernel spent for the program was not sampled: that needs root, or at most 1 in " + paranoidFile)
	}
	return nil
}

// openThreads makes clocks for all threads of processes. Threads that are made
// meanwhile by one that has clocks inherit them; others are found by looking again.
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
		// What was made by a thread with clocks tells in the rings.
		c.events.drain(func(r record) {
			if _, ok := r.of.(fork); ok {
				seen[r.tid] = true
			}
			c.order.pending = append(c.order.pending, r)
		})
		for _, pid := range pids {
			for _, tid := range threadsOf(pid) {
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
		if s, err := readStat(pid); err != nil || s.state == 'Z' {
			return fmt.Errorf("process %d: %w", pid, errGone)
		}
	}
	if err := c.open(c.cfg.Pids); err != nil {
		return err
	}
	pids := slices.Clone(c.cfg.Pids)
	if c.cfg.Tree {
		pids = descendants(pids)
	}
	for _, pid := range pids {
		c.table.attached(pid)
	}
	return nil
}

// statusText is a status as run directories have it.
func statusText(ws unix.WaitStatus) string {
	if ws.Signaled() {
		return "signal " + unix.SignalName(ws.Signal())
	}
	return fmt.Sprintf("exit %d", ws.ExitStatus())
}

// endWanted reports whether somebody wanted us to end since it was asked last.
func (c *collection) endWanted() bool {
	interrupted, terminated := c.signals.InterruptWanted(), c.signals.TermWanted()
	return interrupted || terminated
}
