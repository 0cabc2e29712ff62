package ring

import (
	"errors"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// events are the clocks of a run and their rings, one for each processor.
type events struct {
	spec    eventSpec
	cpus    []int
	rings   []*buffer        // by the index of the processor
	fds     []int            // all of them
	direct  map[int][]uint64 // by thread: ids of the clocks that were opened for it
	retired map[uint64]bool  // ids whose samples are superfluous
}

func newEvents(spec eventSpec) *events {
	cpus := onlineCPUs()
	return &events{spec: spec, cpus: cpus, rings: make([]*buffer, len(cpus)), direct: map[int][]uint64{}, retired: map[uint64]bool{}}
}

// add opens the clocks of a thread on all processors, or with allTasks those of the
// processors. Where the kernel's part is not permitted, and not asked for, it's left out.
func (e *events) add(target int) error {
	e.spec.target = target
	for i := range e.cpus {
		id, err := e.open(i)
		if isPermission(err) && e.spec.user && len(e.fds) == 0 {
			e.spec.kernel, e.spec.user = false, false
			id, err = e.open(i)
		}
		if err != nil {
			return err
		}
		if target != allTasks {
			e.direct[target] = append(e.direct[target], id)
		}
	}
	return nil
}

func (e *events) open(i int) (id uint64, err error) {
	fd, err := e.spec.open(e.cpus[i])
	if err != nil {
		return 0, err
	}
	if e.rings[i] == nil {
		if e.rings[i], err = newBuffer(fd); err != nil {
			return 0, errors.Join(err, unix.Close(fd))
		}
	} else if err := ioctl(fd, unix.PERF_EVENT_IOC_SET_OUTPUT, uintptr(e.rings[i].fd)); err != nil {
		return 0, errors.Join(err, unix.Close(fd))
	}
	e.fds = append(e.fds, fd)
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_ID, uintptr(unsafe.Pointer(&id))); e != 0 {
		return 0, e
	}
	return id, nil
}

// inherited is told that a thread has the clock of the one that made it: it needs
// none of its own, and what that counts is superfluous.
func (e *events) inherited(tid int) {
	for _, id := range e.direct[tid] {
		e.retired[id] = true
	}
	delete(e.direct, tid)
}

// drain reads all rings.
func (e *events) drain(f func(record)) {
	for _, r := range e.rings {
		if r != nil {
			r.drain(func(b []byte) {
				if rec, ok := parse(b); ok {
					f(rec)
				}
			})
		}
	}
}

// await waits until a ring fills, other can be read, or the time is over. A ring
// whose event's task has ended is not waited for any more.
func (e *events) await(other int, milliseconds int) {
	polls := []unix.PollFd{{Fd: int32(other), Events: unix.POLLIN}}
	for _, r := range e.rings {
		if r != nil && !r.silent {
			polls = append(polls, unix.PollFd{Fd: int32(r.fd), Events: unix.POLLIN})
		}
	}
	if n, err := unix.Poll(polls, milliseconds); err != nil || n == 0 {
		return
	}
	for _, p := range polls[1:] {
		if p.Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0 {
			i := slices.IndexFunc(e.rings, func(r *buffer) bool { return r != nil && r.fd == int(p.Fd) })
			e.rings[i].silent = true
		}
	}
}

// stop ends all clocks; what is in the rings stays.
//
// A ring keeps the event that it was mapped from, with all that were inherited from
// it, until it's unmapped: closing does not end that one.
func (e *events) stop() {
	for _, fd := range e.fds {
		ioctl(fd, unix.PERF_EVENT_IOC_DISABLE, 0)
		unix.Close(fd)
	}
	e.fds = nil
	for _, r := range e.rings {
		if r != nil {
			r.silent = true
		}
	}
}

func (e *events) close() {
	e.stop()
	for _, r := range e.rings {
		if r != nil {
			r.close()
		}
	}
	clear(e.rings)
}
