package session

import (
	"time"

	"golang.org/x/sys/unix"
)

// pollClock reads the CPU time of each thread and stops those that have used
// their period, by a signal that the program ignores, or by the debugger where
// that can't be. It needs no permission but the debugger's, and changes nothing
// in the process; its ticks are late by up to a period, and a thread that blocks
// meanwhile is sampled where it blocks.
type pollClock struct {
	pid     int
	p       period
	sig     unix.Signal // 0: the program uses all that would do
	sigName string
	threads map[int]*pollThread
	next    time.Time
}

type pollThread struct {
	due time.Duration // CPU time at which the next tick is
}

func newPollClock(pid int, p period) *pollClock {
	c := &pollClock{pid: pid, p: p, threads: make(map[int]*pollThread)}
	if sig, name, err := harmless(pid); err == nil {
		c.sig, c.sigName = sig, name
	}
	return c
}

func (c *pollClock) name() string   { return "poll" }
func (c *pollClock) signal() string { return c.sigName }

// stop sends the thread our signal, unless it blocks it or the program has come
// to use it: from then on the debugger stops all threads.
func (c *pollClock) stop(tid int) bool {
	if c.sig == 0 {
		return false
	}
	m, err := readMasks(c.pid, tid)
	if err != nil {
		return false
	}
	if m.caught&bit(c.sig) != 0 {
		c.sig, c.sigName = 0, ""
		return false
	}
	return m.blocked&bit(c.sig) == 0 && unix.Tgkill(c.pid, tid, c.sig) == nil
}

func (c *pollClock) add(tid int) error {
	if c.threads[tid] == nil {
		now, _ := threadTime(c.pid, tid)
		c.threads[tid] = &pollThread{due: now + c.p.first()}
	}
	return nil
}

func (c *pollClock) remove(tid int) { delete(c.threads, tid) }

func (c *pollClock) failed() string { return "" }

func (c *pollClock) tick(tid int) (uint64, bool) {
	t := c.threads[tid]
	if t == nil {
		return 0, true
	}
	m, err := readMasks(c.pid, tid)
	sure := err == nil && c.sig != 0 && m.caught&bit(c.sig) == 0
	now, ok := threadTime(c.pid, tid)
	if !ok || now < t.due {
		return 0, sure
	}
	late := now - t.due
	t.due = now + c.p.next() - late%c.p.mean // what is over counts for the next
	return 1 + uint64(late/c.p.mean), sure
}

func (c *pollClock) due(now time.Time) ([]int, time.Time) {
	if now.Before(c.next) {
		return nil, c.next
	}
	c.next = now.Add(c.p.next())
	var tids []int
	for tid, t := range c.threads {
		if used, ok := threadTime(c.pid, tid); ok && used >= t.due {
			tids = append(tids, tid)
		}
	}
	return tids, c.next
}

func (c *pollClock) rebase() {
	for tid, t := range c.threads {
		if used, ok := threadTime(c.pid, tid); ok {
			t.due = used + c.p.next()
		}
	}
}

func (c *pollClock) close() {}
