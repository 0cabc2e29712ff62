package session

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracee"
)

// clock starts the script's clock on all threads of the process.
func (p *process) clock(kind string, mean time.Duration, random bool) (err error) {
	if p.free.Load() {
		return nil
	}
	p.tracing(func() { err = p.startClock(kind, period{mean: mean, random: random}) })
	return err
}

func (p *process) startClock(kind string, new period) error {
	if what, ok := readCounted(kind); ok {
		return p.countCalls(what, uint64(new.mean/time.Microsecond))
	}
	if p.clk != nil && kind == p.asked && new == p.period {
		// It goes on, for another program.
		p.run.clocked(p.clk.name(), new)
		return nil
	}
	if kind != "off" && p.run.w != nil && p.run.interval > 0 {
		return fmt.Errorf("clock %s: this run already has samples of %s", kind, p.run.resource)
	}
	p.stopClock()
	if kind == "off" {
		p.asked = ""
		return nil
	}
	if kind == "itimer" && p != p.tree.root {
		p.run.note("clock itimer works in the launched program only: the best other clock is used here")
		kind = "best"
	}
	var tids []int
	for _, th := range p.threads.all() {
		if p.tree.does(th) != tracee.Expected {
			tids = append(tids, th.tid)
		}
	}
	c, why, err := startClock(kind, p.pid, new, tids, &p.tree.programs)
	if err != nil {
		return err
	}
	if perf, is := c.(*perfClock); is {
		perf.unseen = &p.tally.unseen
	}
	p.clk, p.period, p.asked = c, new, kind
	p.tally.clock = c.name()
	if why != "" {
		p.tree.sayOnce("%s", why)
		p.run.note(why)
	}
	p.run.clocked(c.name(), new)
	p.tree.wake(time.Now().Add(perfLook))
	return nil
}

func (p *process) stopClock() {
	if p.clk != nil {
		p.clk.close()
		p.clk = nil
	}
}

// clockThread gives a thread that has begun a clock.
func (p *process) clockThread(tid int) {
	if err := p.clk.add(tid); err != nil && !errors.Is(err, unix.ESRCH) {
		p.tree.sayOnce("a thread is not sampled: %v", err)
		p.tally.unclocked++
	}
}

// clockwork interrupts the threads whose time has come, and returns when to
// look again.
func (p *process) clockwork(now time.Time) time.Time {
	if why := p.clk.failed(); why != "" {
		text := "clock " + p.clk.name() + " no longer works, poll replaces it: " + why
		p.tree.say("%s", text)
		if err := p.startClock("poll", p.period); err != nil {
			p.tree.say("%v", err)
			return time.Time{}
		}
	}
	tids, again := p.clk.due(now)
	for _, tid := range tids {
		th := p.threads.get(tid)
		if th != nil && p.tree.does(th) == tracee.Running {
			p.attempt(th)
		}
	}
	if again.IsZero() && p.clk.name() == "itimer" {
		again = now.Add(perfLook) // whether it failed
	}
	return again
}

// clockGoesOn is for a process that executes another program: its clock does, so
// that a tick's chance is the same everywhere in its life.
func (p *process) clockGoesOn() {
	if p.clk != nil {
		p.run.clocked(p.clk.name(), p.period)
	}
}
