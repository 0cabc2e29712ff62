package session

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
)

// perfClock is a task clock of the kernel for each thread, held by us: nothing
// is in the process but a signal that it ignores when its time has come. It's
// exact at any rate, also above the kernel's own tick.
//
// A signal that a thread blocks would stay with it, for sigwait and its kin to find.
// Such a thread gets none, nor does one of a program that could wait for signals, until it has
// chosen some: it's found by its count, which goes on, and is interrupted while it runs.
type perfClock struct {
	pid      int
	p        period
	threads  map[int]*perfThread
	looked   time.Time
	programs *programs
	nokern   bool // the kernel lets us count, but not sample, in kernel code
	unseen   *unseen
}

type perfThread struct {
	fd    int
	sig   unix.Signal // that it gets; 0: it's interrupted
	stray unix.Signal // one that it got before it came to block it; 0: none
	seen  uint64      // count when it was looked after last, ns
	next  uint64      // count at which the coming tick is due

	// Where the kernel signals in user mode alone:
	set     uint64 // the period in force, ns
	unseen  int64  // ns that are of no tick so far: in the kernel
	late    uint64 // ns between ticks and the stops that they have led to
	refused int    // attempts that did not find the thread there
}

// ownerTID is F_OWNER_TID of fcntl(2).
const ownerTID = 0

const perfName = "perf"

// perfLook is how often at least it's looked after what threads block and handle.
const perfLook = 50 * time.Millisecond

// lookEvery is how often: a signal that a thread got and then blocks is to be taken out soon, and one
// that the program comes to handle is to be left to it, as the kernel merges equal signals. But to look
// takes as long as all else that is done for a sample, so it's not done at each.
func (c *perfClock) lookEvery() time.Duration {
	return min(max(c.p.mean, 10*time.Millisecond), perfLook)
}

func newPerfClock(pid int, p period, known *programs) *perfClock {
	return &perfClock{pid: pid, p: p, programs: known, threads: make(map[int]*perfThread), looked: time.Now()}
}

func (c *perfClock) name() string                 { return perfName }
func (c *perfClock) failed() string               { return "" }
func (c *perfClock) watches(sig unix.Signal) bool { return slices.Contains(clockSignals[:], sig) }

// sent knows the signal by the descriptor that it's about.
func (c *perfClock) sent(tid int, info *tracer.Siginfo) bool {
	t := c.threads[tid]
	return t != nil && info.Code() > 0 && info.Code() < kernelSent && info.Fd() == t.fd
}

func (c *perfClock) stray(tid int) unix.Signal {
	if t := c.threads[tid]; t != nil {
		return t.stray
	}
	return 0
}

func (c *perfClock) tookOut(tid int) {
	if t := c.threads[tid]; t != nil {
		t.stray = 0
	}
}

func (c *perfClock) add(tid int) error {
	if c.threads[tid] != nil {
		return nil
	}
	first := c.p.first()
	fd, err := c.open(tid, first)
	if err != nil {
		return err
	}
	t := &perfThread{fd: fd, next: uint64(first), set: uint64(first)}
	if err := c.aim(t, tid); err != nil {
		unix.Close(fd)
		return err
	}
	if err := ioctl(fd, unix.PERF_EVENT_IOC_ENABLE, 0); err != nil {
		unix.Close(fd)
		return fmt.Errorf("cannot start it: %w", err)
	}
	c.threads[tid] = t
	return nil
}

func (c *perfClock) open(tid int, first time.Duration) (int, error) {
	attr := unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_SOFTWARE,
		Config: unix.PERF_COUNT_SW_TASK_CLOCK,
		Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample: uint64(first),
		Wakeup: 1,
		Bits:   unix.PerfBitDisabled,
	}
	if c.nokern {
		attr.Bits |= unix.PerfBitExcludeKernel
	}
	fd, err := unix.PerfEventOpen(&attr, tid, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if (err == unix.EACCES || err == unix.EPERM) && !c.nokern {
		// Unprivileged users may have the user's part alone.
		c.nokern = true
		return c.open(tid, first)
	}
	switch err {
	case nil:
		if fd >= spareDescriptors() {
			unix.Close(fd)
			return -1, errManyOpen
		}
		return fd, nil
	case unix.EACCES, unix.EPERM:
		return -1, fmt.Errorf("perf_event_open: not permitted (see /proc/sys/kernel/perf_event_paranoid)")
	}
	return -1, fmt.Errorf("perf_event_open: %w", err)
}

// aim has a thread's event send the signal that would do now, or none.
func (c *perfClock) aim(t *perfThread, tid int) error {
	status, err := proc.ReadStatus(c.pid, tid)
	if err != nil {
		return unix.ESRCH
	}
	if c.threads[tid] == nil && ^status.Blocked&^unblockable == 0 {
		// A thread begins with all signals blocked, until it has the mask of the one that made it.
		status.Blocked = c.chosen()
	}
	sig := c.harmless(&status)
	if sig == t.sig {
		return nil
	}
	if sig == 0 {
		if _, err := unix.FcntlInt(uintptr(t.fd), unix.F_SETFL, unix.O_NONBLOCK); err != nil {
			return fmt.Errorf("cannot do without its signal: %w", err)
		}
	} else if err := aim(t.fd, tid, sig); err != nil {
		return err
	}
	if status, err = proc.ReadStatus(c.pid, tid); err == nil && status.Pending&status.Blocked&tracer.Bit(t.sig) != 0 {
		t.stray = t.sig
	}
	t.sig = sig
	return nil
}

// unblockable are the signals that a mask of all may lack: those of the kernel, and of the C library.
const unblockable = 1<<(unix.SIGKILL-1) | 1<<(unix.SIGSTOP-1) | 1<<31 | 1<<32

// chosen is a mask that leaves a thread to begin the signal which all others get: none if they differ.
func (c *perfClock) chosen() uint64 {
	for _, sig := range clockSignals {
		others := 0
		for _, t := range c.threads {
			if t.sig == sig {
				others++
			}
		}
		if others == len(c.threads) && others > 0 {
			return ^tracer.Bit(sig)
		}
	}
	return ^uint64(0)
}

// harmless is the first signal that a thread neither blocks nor has a handler for, 0 if there
// is none. A handler of Go's runtime does nothing about one too many or too few. A thread of a
// program that could wait for signals may come to block any, unless it has blocked some and not this.
func (c *perfClock) harmless(status *proc.Status) unix.Signal {
	if status.Blocked == 0 && c.programs.waits(c.pid) {
		return 0
	}
	for _, sig := range clockSignals {
		if status.Blocked&tracer.Bit(sig) == 0 && (status.Caught&tracer.Bit(sig) == 0 || c.programs.tolerates(c.pid)) {
			return sig
		}
	}
	return 0
}

// aim sends an event's signal to the thread itself.
func aim(fd, tid int, sig unix.Signal) error {
	owner := struct{ kind, pid int32 }{ownerTID, int32(tid)}
	if _, _, e := unix.Syscall(unix.SYS_FCNTL, uintptr(fd), unix.F_SETOWN_EX, uintptr(unsafe.Pointer(&owner))); e != 0 {
		return fmt.Errorf("cannot aim its signal: %w", e)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETSIG, int(sig)); err != nil {
		return fmt.Errorf("cannot choose its signal: %w", err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK); err != nil {
		return fmt.Errorf("cannot ask for its signal: %w", err)
	}
	return nil
}

func (c *perfClock) remove(tid int) {
	if t := c.threads[tid]; t != nil {
		unix.Close(t.fd)
		delete(c.threads, tid)
	}
}

// tick counts by the thread's own CPU time, so that ticks which came while one
// was pending weigh as much as they would have.
func (c *perfClock) tick(tid int) uint64 {
	t := c.threads[tid]
	if t == nil {
		return 0
	}
	now, ok := t.count()
	// The mark was set from the count at the last stop, which comes a little
	// after the tick.
	if !ok || now+uint64(c.p.mean)/4 < t.next {
		return 0
	}
	periods, due, wait := after(now, t.next, uint64(c.p.mean), uint64(c.p.next()))
	if c.nokern && t.sig != 0 {
		wait = uint64(c.p.next())
		periods = t.creditLate(now, uint64(c.p.mean))
		c.unseen.user += periods
		t.unseen += int64(wait) - int64(c.p.mean)
		due, t.set = now+wait, wait
	}
	t.next = due
	// Setting the period starts it anew.
	unix.Syscall(unix.SYS_IOCTL, uintptr(t.fd), unix.PERF_EVENT_IOC_PERIOD, uintptr(unsafe.Pointer(&wait)))
	return periods
}

// creditLate divides the time between the moment when a tick was due and the stop at count now.
// Whole periods were in the kernel, where ticks have no signal: they are not of the place of the
// stop. The rest is what the stop itself takes, which is: it makes up periods of its own. The
// result is for how many periods the stop stands.
func (t *perfThread) creditLate(now, mean uint64) uint64 {
	if now <= t.next {
		t.unseen -= int64(t.next - now)
		return 1
	}
	over := now - t.next
	t.unseen += int64(over - over%t.set)
	t.late += over % t.set
	periods := t.late / mean
	t.late %= mean
	return 1 + periods
}

// mostRefused is how often a thread whose time in the kernel is to be sampled is met elsewhere
// until it's supposed that it was no system call that used it.
const mostRefused = 16

func (c *perfClock) attempted(tid int, inCall bool) uint64 {
	t := c.threads[tid]
	if t == nil || !c.nokern || t.sig == 0 {
		return c.tick(tid)
	}
	unseen := t.inKernel()
	if unseen < int64(c.p.mean) {
		return 0
	}
	c.unseen.found(inCall)
	if !inCall && t.refused < mostRefused {
		t.refused++
		return 0
	}
	t.refused = 0
	periods := unseen / int64(c.p.mean)
	t.unseen -= periods * int64(c.p.mean)
	c.unseen.kernel += uint64(periods)
	return uint64(periods)
}

// overdue is when so much time in the kernel is of no tick that the thread's next system call is to
// stand for it: attempts come too late, as where the machine is busy and of short programs.
const overdue = 3 // periods

func (c *perfClock) owes(tid int) bool {
	t := c.threads[tid]
	return t != nil && c.nokern && t.sig != 0 && t.inKernel() >= overdue*int64(c.p.mean)
}

// inKernel is the time of which no tick has told: the thread was in the kernel.
func (t *perfThread) inKernel() int64 {
	count, ok := t.count()
	if !ok || count < t.next {
		return t.unseen
	}
	return t.unseen + int64(count-t.next)
}

// after tells of a tick at the count now, which was due before, for how many periods it
// stands, when the next is due, an interval later, and how long to wait for that. What is
// over counts for the next: a busy machine is late each time, and the clock would be slow.
// A tick that is early does not bring the next one forward: the clock would be fast.
func after(now, due, mean, interval uint64) (periods, next, wait uint64) {
	var missed uint64
	if now > due {
		missed = (now - due) / mean
	}
	next = due + missed*mean + interval
	wait = uint64(shortest)
	if next > now {
		wait = max(wait, next-now)
	}
	return 1 + missed, next, wait
}

func (t *perfThread) count() (uint64, bool) {
	var b [8]byte
	n, err := unix.Read(t.fd, b[:])
	return binary.NativeEndian.Uint64(b[:]), err == nil && n == 8
}

func (c *perfClock) due(now time.Time) ([]int, time.Time) {
	if !now.Before(c.looked.Add(c.lookEvery())) {
		c.looked = now
		c.aimAll()
	}
	again := c.looked.Add(c.lookEvery())
	var tids []int
	for tid, t := range c.threads {
		if t.sig != 0 {
			if c.nokern && t.inKernel() >= int64(c.p.mean) {
				tids = append(tids, tid)
				again = earlier(again, now.Add(c.p.mean))
			}
			continue
		}
		again = earlier(again, now.Add(c.p.mean))
		if count, ok := t.count(); t.stray != 0 || ok && count >= t.next {
			tids = append(tids, tid)
		}
	}
	return tids, again
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// aimAll looks after the signals of the threads that have run since it did so last.
func (c *perfClock) aimAll() {
	for tid, t := range c.threads {
		if count, ok := t.count(); ok && count != t.seen {
			t.seen = count
			c.aim(t, tid) // one that has ended meanwhile is taken out soon
		}
	}
}

func (c *perfClock) close() {
	for tid := range c.threads {
		c.remove(tid)
	}
}

func ioctl(fd int, request uint, arg uintptr) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), arg); e != 0 {
		return e
	}
	return nil
}
