package ring

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
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
	away     map[int]bool     // specs that another one counts for
	userOnly bool             // the kernel's part is not permitted
}

func newEvents(specs []eventSpec) *events {
	cpus := onlineCPUs()
	// What tells of processes is not switched off with any clock.
	first := eventSpec{tells: true, first: true, target: specs[0].target, onExec: specs[0].onExec}
	for _, s := range specs {
		first.switches = first.switches || s.switches
	}
	specs = append([]eventSpec{first}, specs...)
	for i := range specs[1:] {
		specs[1+i].switches = false
	}
	e := &events{specs: specs, ids: map[uint64]int{}, cpus: cpus, rings: make([]*buffer, len(cpus)),
		fds: make([][]int, len(specs)), direct: map[int][]uint64{}, retired: map[uint64]bool{}, away: map[int]bool{}}
	if !slices.ContainsFunc(specs, func(s eventSpec) bool { return s.absence }) {
		specs[0].wakeup = uint32(e.ringBytes() / 16)
	}
	return e
}

// add opens the events of a thread on all processors, or with allTasks those of the
// processors. Where the kernel's part is not permitted, and not asked for, it's left out.
//
// Calls of functions are counted on processors, with those of other processes, which are left out
// when they are read: of an event that is to be inherited the kernel looks for the name of the file anew
// at each fork, in the memory of the process that forks, and fails the fork.
func (e *events) add(target int) error {
	for which := range e.specs {
		s := &e.specs[which]
		if s.unused {
			continue
		}
		s.target = target
		if s.file != nil {
			if len(e.fds[which]) > 0 {
				continue
			}
			s.target, s.onExec = allTasks, false
		}
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
			if s.tells && e.rings[i] != nil {
				e.choose(len(e.rings[i].data))
			}
			if s.target != allTasks {
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

// ringBytes is the size of the rings: a power of two.
func (e *events) ringBytes() int {
	wanted := uint64(0)
	for _, s := range e.specs {
		wanted = max(wanted, s.ringBytes())
	}
	if wanted <= ringBytes {
		return ringBytes
	}
	size := uint64(stackRing)
	for size < min(wanted, largestStack) && 2*size*uint64(len(e.cpus)) <= stackRings {
		size *= 2
	}
	return int(size)
}

// choose has larger copies made from the first one on where a ring has room for them.
func (e *events) choose(room int) {
	for which := range e.specs {
		s := &e.specs[which]
		if s.absence && s.stack > 0 && room >= largestStack {
			s.stack = deepEvent
		}
		if s.clock && s.deeper > 0 && !e.specs[which+s.deeper].hasty && len(e.fds[which]) == 0 && s.ringBytes() <= uint64(room) {
			e.specs[which+s.deeper].unused = true
			s.stack, s.deeper = deepBytes, s.deeper+1
		}
	}
}

// patience is how long records may wait in the rings.
func (e *events) patience() time.Duration {
	for which, s := range e.specs {
		if s.deeper > 0 && !e.away[which] && !e.specs[which+s.deeper].hasty {
			return smallInterval
		}
	}
	return interval
}

// deepen has a spec make way for the one that is for larger stacks.
func (e *events) deepen(which int) {
	if more := e.specs[which].deeper; more > 0 && !e.away[which] {
		e.exchange(which, which+more)
	}
}

// calm undoes it, as far as haste is concerned.
func (e *events) calm() {
	for which := range e.specs {
		if more := e.specs[which].deeper; more > 0 && e.away[which] && e.specs[which+more].hasty && !e.away[which+more] {
			e.exchange(which+more, which)
		}
	}
}

// exchange has another spec count in place of one. Of two events of a kind that count at once, the kernel would
// give the samples the same id.
func (e *events) exchange(which, by int) {
	e.enable(which, false)
	e.enable(by, true)
	e.away[which], e.away[by] = true, false
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
					r.owing.pass(&rec)
					f(rec)
				}
			})
		}
	}
}

// specOf is what an event is of, nil unknown, or if it takes no samples.
func (e *events) specOf(id uint64) *eventSpec {
	if which, known := e.ids[id]; known && !e.specs[which].tells {
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
