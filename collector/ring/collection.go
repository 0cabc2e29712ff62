package ring

import (
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/launch"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/resource"
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
	thinned thinning
}

func newCollection(cfg Config) *collection {
	if cfg.Say == nil {
		cfg.Say = func(string) {}
	}
	out := newOutput(cfg)
	return &collection{cfg: cfg, out: out, table: newTable(cfg, out), bell: -1, thinned: thinning{since: monotonic()}}
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

// interval is how long records wait in the rings at most, and while copies of stacks are small,
// so that larger ones are made soon.
const (
	interval      = 250 * time.Millisecond
	smallInterval = 20 * time.Millisecond
)

func (c *collection) run() (status int, err error) {
	if c.bell, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return 0, err
	}
	ours, _ := proc.ReadStatus(os.Getpid(), os.Getpid()) // what our caller has left to us, as far as our runtime shows it
	path := ""
	if len(c.cfg.Argv) > 0 {
		if path, err = launch.Find(c.cfg.Argv[0]); err != nil {
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
		c.events.await(c.bell, int(c.events.patience().Milliseconds()))
		c.heard()
		until := monotonic() - settled
		if c.ended && !c.settled {
			// What the program left running must be known before we look for it.
			until, c.settled = monotonic(), true
		}
		c.round(until)
	}
	c.tellOutliving()
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
		s, err := proc.ReadStat(c.root)
		return err != nil || s.State != 'T'
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
		if s, err := proc.ReadStat(c.root); err == nil {
			now.cpu = s.CPU
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
		return c.endWanted() || !c.table.anyAlive() || !c.cfg.Wait && !c.table.anyIn(os.Getpid())
	default:
		c.endWanted() // is the program's affair
	}
	return c.letGo || c.root == 0 && !c.table.anyAlive()
}

// tellOutliving tells of processes that have outlived the program, as daemons do: they are not followed on.
func (c *collection) tellOutliving() {
	n := 0
	if c.ended {
		for pid := range c.table.of {
			if s, err := proc.ReadStat(pid); err == nil && !s.Ended() {
				n++
			}
		}
	}
	switch {
	case n == 1:
		c.out.say("one process still runs and is no longer sampled (-wait samples until it has ended)")
	case n > 1:
		c.out.say("%d processes still run and are no longer sampled (-wait samples until they have ended)", n)
	}
}

// drainEvery is how often the rings are emptied while paths are worked out.
const drainEvery = 5 * time.Millisecond

// drain empties the rings.
func (c *collection) drain() {
	c.events.drain(func(r record) {
		if _, ok := r.of.(fork); ok {
			delete(c.table.foreign, r.pid)
		}
		if s, ok := r.of.(sample); ok {
			if c.table.foreign[r.pid] {
				return
			}
			if s.stack != nil {
				c.table.deep.keep(s.stack)
				if c.table.of[r.pid] != nil {
					c.table.deep.look(r, s.stack)
				}
			}
			if s.spec.absence {
				c.thinned.taken++
			}
		}
		c.order.pending = append(c.order.pending, r)
	})
	c.thinned.adapt(c.events)
	if d := &c.table.deep; d.until > 0 && monotonic() > d.until {
		d.until = 0
		c.events.calm()
	}
}

// deepen has more copied of stacks where a path has needed it.
func (c *collection) deepen() {
	d := &c.table.deep
	d.got = 0
	for id := range d.short {
		c.events.deepen(c.events.ids[id])
	}
	if len(d.short) > 0 {
		d.until = monotonic() + hasty
		clear(d.short)
	}
}

// round uses the records until a time.
func (c *collection) round(until time.Duration) {
	c.drain()
	records := c.order.take(until)
	c.out.ends(records)
	drained := time.Now()
	for _, r := range records {
		if c.cfg.Paths && time.Since(drained) > drainEvery {
			c.drain() // the first path through a large program takes longer than a ring holds
			drained = time.Now()
		}
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
	c.deepen()
	c.table.flush()
}

// finish takes what is left, and ends all runs.
func (c *collection) finish() {
	counts := c.counts()
	c.events.stop()
	c.round(1<<63 - 1)
	c.tellCounts(counts)
	c.tellGaps()
	c.tellCalls()
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

// counts ends all counting, and returns what the kernel has counted of each resource that it
// samples by their number, for the threads that are sampled alone: not of calls of functions, which it
// counts with those of other processes.
func (c *collection) counts() map[int]uint64 {
	if c.table.whole || len(c.events.retired) > 0 || c.cfg.Samples > 0 {
		return nil
	}
	counts := map[int]uint64{}
	for which, s := range c.events.specs {
		if !s.clock && !s.raw && !s.absence && !s.tells && s.file == nil {
			c.events.enable(which, false)
			counts[s.resource] += c.events.counted(which)
		}
	}
	return counts
}

// tellCounts says where the samples are not what the kernel has counted, within 2 %.
func (c *collection) tellCounts(counts map[int]uint64) {
	for which, r := range c.cfg.measured {
		n, known := counts[which]
		if got := c.table.weights[which]; known && (50*got < 49*n || 50*got > 51*n) {
			text := fmt.Sprintf("%s: the kernel counted %d, and the samples stand for %d", r.Name, n, got)
			if c.table.lost == 0 {
				text += fmt.Sprintf("; use a shorter interval than %d", r.Interval)
			}
			c.out.noteOf(which, text)
		}
	}
}

// whyNone says what may be the reason that there are no samples.
func (c *collection) whyNone() string {
	if c.table.setuid {
		return "no samples: only root may sample a set-uid program, or one that this user may not read"
	}
	onlyCPU := true
	advice := ""
	for _, r := range slices.Backward(c.cfg.measured) {
		onlyCPU = onlyCPU && (r.Name == "cpu" || r.Name == "user")
		shortest := r.Name + ":1"
		if r.IsTime() {
			shortest = fmt.Sprintf("%s:%dus", r.Name, resource.Shortest/time.Microsecond)
		}
		if r.IsTime() && r.period() > resource.Shortest || !r.IsTime() && r.Interval > 1 {
			advice = "; a shorter interval such as " + shortest + " shows more"
		}
	}
	if onlyCPU {
		return "no samples: hardly any CPU time was used"
	}
	return "no samples: less than one interval of each resource was used" + advice
}

func (c *collection) writeTicks() {
	if !c.out.openRun(c.out.base) {
		return
	}
	if err := c.ticks.write(c.out.base.run.dir, c.out.base.pid, c.table.kernelSymbols()); err != nil {
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
