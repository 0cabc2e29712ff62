package session

import (
	"errors"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// itimerClock is the paper's way: setitimer(ITIMER_VIRTUAL), called in the
// process before it executes the program, gives it SIGVTALRM. The
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

const itimerName = "itimer"

func newItimerClock(pid int, p period) *itimerClock { return &itimerClock{pid: pid, p: p} }

func (c *itimerClock) name() string                     { return itimerName }
func (c *itimerClock) watches(sig unix.Signal) bool     { return sig == unix.SIGVTALRM }
func (c *itimerClock) attempted(int, bool) uint64       { return 0 }
func (c *itimerClock) owes(int) bool                    { return false }
func (c *itimerClock) stray(int) unix.Signal            { return 0 }
func (c *itimerClock) tookOut(int)                      {}
func (c *itimerClock) remove(int)                       {}
func (c *itimerClock) tick(int) uint64                  { return 1 }
func (c *itimerClock) due(time.Time) ([]int, time.Time) { return nil, time.Time{} }
func (c *itimerClock) close()                           {}

// sent believes the kernel's signals, as long as the program has not made them
// its own.
func (c *itimerClock) sent(_ int, info *tracer.Siginfo) bool {
	return info.Code() == kernelSent && !c.taken()
}

var errRandomItimer = errors.New("random periods are not supported: use clock perf or poll")

func (c *itimerClock) add(tid int) error {
	if c.p.random {
		return errRandomItimer
	}
	return nil
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
	status, err := proc.ReadStatus(c.pid, c.pid)
	vtalrm := tracer.Bit(unix.SIGVTALRM)
	return err == nil && (status.Caught&vtalrm != 0 || status.Ignored&vtalrm == 0)
}

// itimerAsked is the period of that clock, if the script will ask for it in the
// program to be launched: its timer is set before the program begins.
func (t *tree) itimerAsked(rule *machine.Exec) time.Duration {
	if rule == nil {
		return 0
	}
	m := t.habit(rule).machine
	for _, a := range m.Names(machine.Clock) {
		if len(a.Args) < 2 || m.Expand(a.Args[0]) != "itimer" {
			continue
		}
		if us, err := strconv.Atoi(m.Expand(a.Args[1])); err == nil && us > 0 {
			return time.Duration(us) * time.Microsecond
		}
	}
	return 0
}
