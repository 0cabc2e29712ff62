package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
)

// clock says when a thread is to be sampled. It belongs to one process; its
// methods are for the goroutine of the session.
type clock interface {
	name() string
	// signal stops the thread whose time it is; "" if the debugger has to.
	signal() string
	add(tid int) error
	remove(tid int)
	// tick is asked when a thread stopped for the clock's signal or because
	// due named it: how many periods of CPU time it stands for, 0 if the clock
	// has nothing to do with that stop. The answer is not sure if the program
	// has come to use the clock's signal itself: its sender is to be asked for.
	tick(tid int) (periods uint64, sure bool)
	// failed says why the clock can't go on; "" if it can.
	failed() string
	// due returns the threads that are to be stopped now, and
	// when it is to be asked again; the zero time: never.
	due(now time.Time) ([]int, time.Time)
	// stop stops one of them; false: the debugger is to.
	stop(tid int) bool
	// rebase forgets the CPU time that nobody could sample.
	rebase()
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
func startClock(kind string, pid int, p period, tids []int) (c clock, why string, err error) {
	if p.mean < shortest {
		return nil, "", fmt.Errorf("a period of %v is too short for a debugger: %v is the least", p.mean, shortest)
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
		c, err = newPerfClock(pid, p)
	case "itimer":
		c = newItimerClock(pid, p)
	case "poll":
		c = newPollClock(pid, p)
	case "best", "":
		if c, err = newPerfClock(pid, p); err == nil {
			if err = start(c); err == nil {
				return c, "", nil
			}
		}
		why = fmt.Sprintf("clock poll, because the better perf is not to be had here: %v", err)
		c, err = newPollClock(pid, p), nil
	default:
		return nil, "", fmt.Errorf("there is no clock %q: best, perf, itimer and poll are known", kind)
	}
	if err == nil {
		err = start(c)
	}
	if err != nil {
		return nil, "", fmt.Errorf("clock %s: %w", kind, err)
	}
	return c, why, nil
}

// threadTime is the CPU time of a thread so far, by the kernel's scheduler.
func threadTime(pid, tid int) (time.Duration, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, tid))
	if err != nil {
		return 0, false
	}
	first, _, _ := strings.Cut(string(text), " ")
	ns, err := strconv.ParseInt(first, 10, 64)
	return time.Duration(ns), err == nil
}

// processTime is the CPU time of a process so far.
func processTime(pid int) time.Duration {
	// The process's CPU clock, as clock_getcpuclockid(3) makes it.
	const schedClock = 2
	var ts unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|schedClock), &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// masks are the signals that a thread blocks and that are pending for it, and
// those that its process catches and ignores; bit n-1 is signal n.
type masks struct{ blocked, pending, shared, caught, ignored uint64 }

func readMasks(pid, tid int) (m masks, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/status", pid, tid))
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		to := map[string]*uint64{
			"SigBlk": &m.blocked, "SigPnd": &m.pending, "ShdPnd": &m.shared, "SigCgt": &m.caught, "SigIgn": &m.ignored,
		}[key]
		if to != nil {
			*to, _ = strconv.ParseUint(value, 16, 64)
		}
	}
	return m, nil
}

// bit is a signal's place in such a mask; 0, no signal, has none.
func bit(sig unix.Signal) uint64 {
	if sig == 0 {
		return 0
	}
	return 1 << (sig - 1)
}

// harmless is the first signal that the debugger can watch, that is ignored by
// default, and that the process does not use itself.
func harmless(pid int) (unix.Signal, string, error) {
	m, err := readMasks(pid, pid)
	if err != nil {
		return 0, "", err
	}
	for _, name := range debugger.ClockSignals {
		sig := unix.SignalNum(name)
		if sig != unix.SIGVTALRM && m.caught&bit(sig) == 0 {
			return sig, name, nil
		}
	}
	return 0, "", fmt.Errorf("the program uses all the signals that would do: %s", strings.Join(debugger.ClockSignals, ", "))
}
