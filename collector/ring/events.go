package ring

import (
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// events are the clocks and counts of a run and their rings, one for each processor.
type events struct {
	specs    []eventSpec
	ids      map[uint64]int // which spec an event is of
	cpus     []int
	rings    []*buffer        // by the index of the processor
	fds      [][]int          // all of them, by their specs
	direct   map[int][]uint64 // by thread: ids of the events that were opened for it
	retired  map[uint64]bool  // ids whose samples are superfluous
	userOnly bool             // the kernel's part is not permitted
}

func newEvents(specs []eventSpec) *events {
	cpus := onlineCPUs()
	specs = slices.Clone(specs)
	specs[0].first = true
	e := &events{specs: specs, ids: map[uint64]int{}, cpus: cpus, rings: make([]*buffer, len(cpus)),
		fds: make([][]int, len(specs)), direct: map[int][]uint64{}, retired: map[uint64]bool{}}
	wakeup := ringBytes / 4
	if slices.ContainsFunc(specs, func(s eventSpec) bool { return s.absence }) {
		// Were we woken by each few samples of a thread switched out, we would keep just these
		// from their processors.
		wakeup = max(wakeup, e.ringBytes()/4)
	}
	for i := range specs {
		specs[i].wakeup = uint32(wakeup)
	}
	return e
}

// add opens the events of a thread on all processors, or with allTasks those of the
// processors. Where the kernel's part is not permitted, and not asked for, it's left out.
func (e *events) add(target int) error {
	for which := range e.specs {
		s := &e.specs[which]
		s.target = target
		for i := range e.cpus {
			id, err := e.open(which, i)
			if isPermission(err) && s.user && s.file == nil && len(e.fds[which]) == 0 {
				if s.inKernel {
					return refusal(err, need{"the resource " + s.name + ", which is counted in the kernel", needKernel.level})
				}
				e.userOnly = true
				s.kernel, s.user = false, false
				id, err = e.open(which, i)
			}
			if err != nil {
				return err
			}
			if target != allTasks {
				e.direct[target] = append(e.direct[target], id)
			}
		}
	}
	return nil
}

func (e *events) open(which, i int) (id uint64, err error) {
	fd, err := e.specs[which].open(e.cpus[i])
	if err != nil {
		return 0, err
	}
	if e.rings[i] == nil {
		if e.rings[i], err = newBuffer(fd, e.ringBytes()); err != nil {
			return 0, errors.Join(err, unix.Close(fd))
		}
	} else if err := ioctl(fd, unix.PERF_EVENT_IOC_SET_OUTPUT, uintptr(e.rings[i].fd)); err != nil {
		return 0, errors.Join(err, unix.Close(fd))
	}
	e.fds[which] = append(e.fds[which], fd)
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_ID, uintptr(unsafe.Pointer(&id))); e != 0 {
		return 0, e
	}
	e.ids[id] = which
	return id, nil
}

// ringBytes is the size of the rings: that of the largest samples.
func (e *events) ringBytes() (most int) {
	for _, s := range e.specs {
		most = max(most, s.ringBytes())
		if s.stack > 0 && !s.clock {
			const largest = 4 * stackRing
			for size := largest; size > most; size /= 2 {
				if size*len(e.cpus) <= eventRings {
					most = size
				}
			}
		}
	}
	return most
}

// enable has all events of a spec count or not, those that were inherited from them too.
func (e *events) enable(which int, on bool) {
	request := uint(unix.PERF_EVENT_IOC_DISABLE)
	if on {
		request = unix.PERF_EVENT_IOC_ENABLE
	}
	for _, fd := range e.fds[which] {
		ioctl(fd, request, 0)
	}
}

// counted is how many events of a spec there were, as the kernel counted.
func (e *events) counted(which int) (sum uint64) {
	for _, fd := range e.fds[which] {
		var b [8]byte
		if n, err := unix.Read(fd, b[:]); err == nil && n == len(b) {
			sum += binary.NativeEndian.Uint64(b[:])
		}
	}
	return sum
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
				if rec, ok := parse(b, e.specOf); ok {
					f(rec)
				}
			})
		}
	}
}

// specOf is what an event is of, nil unknown.
func (e *events) specOf(id uint64) *eventSpec {
	if which, known := e.ids[id]; known {
		return &e.specs[which]
	}
	return nil
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
	for which, fds := range e.fds {
		e.enable(which, false)
		for _, fd := range fds {
			unix.Close(fd)
		}
		e.fds[which] = nil
	}
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
