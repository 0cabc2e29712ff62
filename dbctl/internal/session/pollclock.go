package session

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// pollClock reads the CPU time of each thread and interrupts those that have
// used their period, while they run. It needs no permission but that to trace, and changes
// nothing in the process; its ticks are late by up to a period. An interrupt needs some microseconds
// to reach another processor, tens on virtual machines: a thread that makes a system call, or waits, within that is
// found there.
type pollClock struct {
	pid     int
	p       period
	threads map[int]*pollThread
	next    time.Time
}

const pollName = "poll"

type pollThread struct {
	due time.Duration // CPU time at which the next tick is
}

func newPollClock(pid int, p period) *pollClock {
	return &pollClock{pid: pid, p: p, threads: make(map[int]*pollThread)}
}

func (c *pollClock) name() string                   { return pollName }
func (c *pollClock) watches(unix.Signal) bool       { return false }
func (c *pollClock) sent(int, *tracer.Siginfo) bool { return false }
func (c *pollClock) owes(int) bool                  { return false }
func (c *pollClock) stray(int) unix.Signal          { return 0 }
func (c *pollClock) tookOut(int)                    {}
func (c *pollClock) failed() string                 { return "" }
func (c *pollClock) remove(tid int)                 { delete(c.threads, tid) }
func (c *pollClock) close()                         {}

func (c *pollClock) add(tid int) error {
	if c.threads[tid] == nil {
		now, _ := threadTime(c.pid, tid)
		c.threads[tid] = &pollThread{due: now + c.p.first()}
	}
	return nil
}

func (c *pollClock) tick(int) uint64 { return 0 }

func (c *pollClock) attempted(tid int, _ bool) uint64 {
	t := c.threads[tid]
	if t == nil {
		return 0
	}
	now, ok := threadTime(c.pid, tid)
	if !ok || now < t.due {
		return 0
	}
	late := now - t.due
	t.due = now + c.p.next() - late%c.p.mean // what is over counts for the next
	return 1 + uint64(late/c.p.mean)
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
