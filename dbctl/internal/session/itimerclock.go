package session

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// itimerMark is added to the interval of our timer, in microseconds, so that
// it's told from one which the program set itself.
const itimerMark = 7

// itimerClock is the paper's way: setitimer(ITIMER_VIRTUAL), called by the
// process itself before its first instruction, gives it SIGVTALRM. The
// signal's disposition is SIG_IGN: a tracer sees it all the same, and a
// process whose tracer is gone lives on. Both survive exec; a child inherits
// the disposition, not the timer.
//
// The timer counts in the kernel's own ticks, of 4 ms at 250 Hz, and is one
// for the whole process: the kernel gives its signal to the thread that runs.
type itimerClock struct {
	pid int
	p   period
}

func newItimerClock(pid int, p period) *itimerClock { return &itimerClock{pid: pid, p: p} }

// armItimer makes the calls of the itimer clock in a program that has not
// begun.
func armItimer(t *tracee, p time.Duration) error {
	if err := t.ignore(unix.SIGVTALRM); err != nil {
		return fmt.Errorf("clock itimer: cannot ignore its signal: %w", err)
	}
	if err := t.setTimer(p.Microseconds() + itimerMark); err != nil {
		return fmt.Errorf("clock itimer: cannot set the timer: %w", err)
	}
	return nil
}

func (c *itimerClock) name() string   { return "itimer" }
func (c *itimerClock) signal() string { return "SIGVTALRM" }

var errRandomItimer = errors.New("a timer of the process itself has no random periods: use clock perf or poll")

func (c *itimerClock) add(tid int) error {
	if c.p.random {
		return errRandomItimer
	}
	return nil
}

func (c *itimerClock) remove(int) {}

// tick believes every signal, as long as the program has not made it its own.
func (c *itimerClock) tick(tid int) (uint64, bool) {
	if c.taken() {
		return 0, true
	}
	return 1, true
}

func (c *itimerClock) failed() string {
	if c.taken() {
		return "the program uses SIGVTALRM itself"
	}
	return ""
}

// taken reports whether the program catches the signal: it uses the timer
// itself then, ours is gone, and the signals are the program's.
func (c *itimerClock) taken() bool {
	m, err := readMasks(c.pid, c.pid)
	return err == nil && (m.caught&bit(unix.SIGVTALRM) != 0 || m.ignored&bit(unix.SIGVTALRM) == 0)
}

func (c *itimerClock) due(time.Time) ([]int, time.Time) { return nil, time.Time{} }
func (c *itimerClock) stop(int) bool                    { return false }
func (c *itimerClock) rebase()                          {}
func (c *itimerClock) close()                           {}
