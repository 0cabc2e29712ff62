package session

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// clock says when a thread is to be sampled. It belongs to one process; its
// methods are for the tracing goroutine.
type clock interface {
	name() string
	// watches reports whether the clock may have sent this signal, and sent
	// whether it has: others are the program's own.
	watches(unix.Signal) bool
	sent(tid int, info *tracer.Siginfo) bool
	add(tid int) error
	remove(tid int)
	// tick is asked when a thread stopped for the clock's signal: how many periods of CPU time it stands for, 0 if its time
	// has not come.
	tick(tid int) (periods uint64)
	// attempted is the same of a stop because due named the thread, in a system call or not.
	attempted(tid int, inCall bool) (periods uint64)
	// owes reports whether the thread's next system call is to be taken for an attempt.
	owes(tid int) bool
	// failed says why the clock can't go on; "" if it can.
	failed() string
	// due returns the threads that are to be interrupted now, and when it is
	// to be asked again; the zero time: never.
	due(now time.Time) ([]int, time.Time)
	// stray is a signal of the clock that stays with a thread which blocks it, and is to
	// be taken out, also where the thread waits; 0: none. tookOut ends that.
	stray(tid int) unix.Signal
	tookOut(tid int)
	close()
}

// period is the mean interval of a clock, in CPU time.
type period struct {
	mean   time.Duration
	random bool
}

// next is the interval that follows a sample: random ones are uniform between
// half and three halves of the mean, so that no loop can run in step.
func (p period) next() time.Duration {
	if !p.random {
		return p.mean
	}
	return p.mean/2 + rand.N(p.mean)
}

// first is the interval before the first sample of a thread. It's uniform over
// a whole period, so that a thread of any age has a fair share: one that lives
// for a tenth of a period is sampled one time in ten.
func (p period) first() time.Duration { return max(shortest, rand.N(p.mean)) }

// shortest is the least period of any clock. The kernel repeats a perf tick
// until the thread has stopped for it; of one that comes again within some
// 20 µs, the interrupts leave the thread no time to stop in, and it hangs.
const shortest = 100 * time.Microsecond

// startClock starts the clock of that kind on all threads of a process; best
// is the first that works. The reason why a better one did not is told.
func startClock(kind string, pid int, p period, tids []int, known *programs) (c clock, why string, err error) {
	if p.mean < shortest {
		return nil, "", fmt.Errorf("sampling period too short: %v; the minimum is %v", p.mean, shortest)
	}
	start := func(c clock) error {
		for _, tid := range tids {
			if err := c.add(tid); err != nil {
				c.close()
				return err
			}
		}
		return nil
	}
	switch kind {
	case "perf":
		c = newPerfClock(pid, p, known)
	case "itimer":
		c = newItimerClock(pid, p)
	case "poll":
		c = newPollClock(pid, p)
	case "best", "":
		c = newPerfClock(pid, p, known)
		if err = start(c); err == nil {
			return c, "", nil
		}
		if errors.Is(err, unix.EMFILE) {
			err = errManyOpen
		}
		why = fmt.Sprintf("clock poll, because clock perf is not available: %v", err)
		c, err = newPollClock(pid, p), nil
	default:
		return nil, "", fmt.Errorf("unknown clock %q: use best, perf, itimer or poll", kind)
	}
	if err == nil {
		err = start(c)
	}
	if err != nil {
		return nil, "", fmt.Errorf("clock %s: %w", kind, err)
	}
	return c, why, nil
}

// threadTime is the CPU time of a thread so far.
func threadTime(pid, tid int) (time.Duration, bool) {
	used, ok := threadUse(pid, tid)
	return used.cpu, ok
}

// use is what a thread has had of processors.
type use struct {
	cpu   time.Duration
	turns int // how often it came to one
}

// threadUse is that so far, by the kernel's scheduler.
func threadUse(pid, tid int) (used use, ok bool) {
	cpu, turns, err := proc.ThreadTime(pid, tid)
	return use{cpu, turns}, err == nil
}

// kernelSent is SI_KERNEL, the code of a signal that the kernel sends for no
// descriptor.
const kernelSent = 0x80

// clockSignals do nothing to a program that does not use them, so that one
// which arrives after we have died is harmless.
var clockSignals = [...]unix.Signal{unix.SIGURG, unix.SIGWINCH}
