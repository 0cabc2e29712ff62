package session

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// perfClock is a task clock of the kernel for each thread, held by us: nothing
// is in the process but a signal that it ignores when its time has come. It's
// exact at any rate, also above the kernel's own tick.
//
// A thread that blocks the signal is found by its count, which goes on, and is
// interrupted instead.
type perfClock struct {
	pid     int
	p       period
	sig     unix.Signal
	threads map[int]*perfThread
	looked  time.Time
	mute    bool // the program uses all the signals that would do
	nokern  bool // the kernel lets us count, but not sample, in kernel code
}

type perfThread struct {
	fd   int
	last uint64 // count at the last tick, ns
	seen uint64 // count when it was looked after last
	next uint64 // count at which the coming one is due
	deaf bool   // it does not get the signal, and is to be interrupted
}

// ownerTID is F_OWNER_TID of fcntl(2).
const ownerTID = 0

// perfLook is how often deaf threads are looked for.
const perfLook = 50 * time.Millisecond

// newPerfClock makes one whose signal is the first that would do. That it's the
// program's own is seen at the first tick.
func newPerfClock(pid int, p period) *perfClock {
	return &perfClock{pid: pid, p: p, sig: clockSignals[0], threads: make(map[int]*perfThread), looked: time.Now()}
}

func (c *perfClock) name() string   { return "perf" }
func (c *perfClock) failed() string { return "" }
func (c *perfClock) signal() unix.Signal {
	if c.mute {
		return 0
	}
	return c.sig
}

func (c *perfClock) watches(sig unix.Signal) bool {
	return sig == unix.SIGURG || sig == unix.SIGWINCH
}

// sent knows the signal by the descriptor that it's about. It may be one for
// which the clock has taken another since.
func (c *perfClock) sent(tid int, info *tracer.Siginfo) bool {
	t := c.threads[tid]
	return t != nil && info.Code() > 0 && info.Code() < kernelSent && info.Fd() == t.fd
}

func (c *perfClock) deaf(tid int) bool {
	t := c.threads[tid]
	return t != nil && t.deaf
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
	t := &perfThread{fd: fd, next: uint64(first)}
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

func (c *perfClock) aim(t *perfThread, tid int) error { return aim(t.fd, tid, c.sig) }

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
	if !c.mute && c.caught() {
		c.giveWay() // at once: the kernel merges equal signals
	}
	now, ok := t.count()
	// The mark was set from the count at the last stop, which comes a little
	// after the tick.
	if !ok || now+uint64(c.p.mean)/4 < t.next {
		return 0
	}
	first := t.last == 0
	periods, due, wait := after(now, t.next, uint64(c.p.mean), uint64(c.p.next()))
	t.last, t.next = now, due
	if c.p.random || first {
		// The first period was random too. Setting it starts it anew.
		unix.Syscall(unix.SYS_IOCTL, uintptr(t.fd), unix.PERF_EVENT_IOC_PERIOD, uintptr(unsafe.Pointer(&wait)))
	}
	return periods
}

// after tells of a tick at the count now, which was due before, for how many periods it
// stands, when the next is due, an interval later, and how long to wait for that. What is
// over counts for the next: a busy machine is late each time, and the clock would be slow.
func after(now, due, mean, interval uint64) (periods, next, wait uint64) {
	var late uint64
	if now > due {
		late = now - due
	}
	rest := late % mean
	wait = uint64(shortest)
	if interval > rest {
		wait = max(wait, interval-rest)
	}
	return 1 + late/mean, now + interval - rest, wait
}

func (t *perfThread) count() (uint64, bool) {
	var b [8]byte
	n, err := unix.Read(t.fd, b[:])
	return binary.NativeEndian.Uint64(b[:]), err == nil && n == 8
}

func (c *perfClock) due(now time.Time) ([]int, time.Time) {
	if wait := c.looked.Add(perfLook); now.Before(wait) {
		return c.deafDue(), c.wake(now)
	}
	c.looked = now
	if c.ran() {
		c.giveWay()
	}
	for tid, t := range c.threads {
		if count, ok := t.count(); t.deaf || ok && count > t.next+2*uint64(c.p.mean) {
			status, err := tracer.ReadStatus(c.pid, tid)
			t.deaf = err == nil && (status.Blocked&tracer.Bit(c.sig) != 0 || c.mute)
			c.quiet(t)
		}
	}
	return c.deafDue(), c.wake(now)
}

// ran reports whether any thread has run since it was asked last.
func (c *perfClock) ran() bool {
	ran := false
	for _, t := range c.threads {
		if count, ok := t.count(); ok && count != t.seen {
			t.seen, ran = count, true
		}
	}
	return ran
}

// quiet ends the signals to a thread that blocks them: they would stay with it.
func (c *perfClock) quiet(t *perfThread) {
	flags := unix.O_ASYNC | unix.O_NONBLOCK
	if t.deaf {
		flags = unix.O_NONBLOCK
	}
	unix.FcntlInt(uintptr(t.fd), unix.F_SETFL, flags)
}

// giveWay takes another signal if the program has come to use ours. Where none
// is left, all threads are interrupted.
func (c *perfClock) giveWay() {
	if c.mute || !c.caught() || tolerant(c.pid) {
		return
	}
	sig, err := harmless(c.pid)
	c.mute = err != nil
	if !c.mute {
		c.sig = sig
	}
	for tid, t := range c.threads {
		t.deaf = c.mute
		if c.mute {
			c.quiet(t)
		} else {
			c.aim(t, tid)
		}
	}
}

// caught reports whether the program has a handler for our signal. It's asked
// at every tick.
func (c *perfClock) caught() bool {
	fd, err := unix.Open("/proc/"+itoa(c.pid)+"/status", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var text [4096]byte
	n, err := unix.Read(fd, text[:])
	if err != nil || n <= 0 {
		return false
	}
	_, after, found := bytes.Cut(text[:n], []byte("\nSigCgt:\t"))
	if !found || len(after) < 16 {
		return false
	}
	mask, err := strconv.ParseUint(string(after[:16]), 16, 64)
	return err == nil && mask&tracer.Bit(c.sig) != 0
}

// tolerant reports whether the process executes a Go program: its runtime
// catches every signal, uses SIGURG itself, and does nothing about one too
// many or too few, so it can share it.
func tolerant(pid int) bool {
	f, err := elf.Open(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return false
	}
	defer f.Close()
	return f.Section(".go.buildinfo") != nil
}

// deafDue are the threads that block the signal and have used their period.
func (c *perfClock) deafDue() []int {
	var tids []int
	for tid, t := range c.threads {
		if !t.deaf {
			continue
		}
		if count, ok := t.count(); ok && count >= t.next {
			tids = append(tids, tid)
		}
	}
	return tids
}

func (c *perfClock) wake(now time.Time) time.Time {
	for _, t := range c.threads {
		if t.deaf {
			return now.Add(c.p.mean)
		}
	}
	return c.looked.Add(perfLook)
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
