package mi

import (
	"bytes"
	"encoding/binary"
	"math"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	maxLine   = 16 << 20
	readChunk = 64 << 10
	pipeSize  = 1 << 20
	tailSize  = 4 << 10
	forEver   = time.Duration(math.MaxInt64)

	// lineTime is how long a line that has begun is left to grow before we
	// look again. Waiting for its next byte instead has us woken by each of
	// gdb's small writes: it then pays for the waking, and where processors
	// are scarce it is preempted a hundred times a line.
	lineTime = 30 * time.Microsecond
)

// outcome is what fill or poll came back with.
type outcome int

const (
	filled   outcome = iota // bytes were read: look for a line
	ended                   // the debugger is gone and its output is read: stop
	timedOut                // the deadline passed: stop
	stirred                 // something else happened: look again
)

// wire is the debugger's descriptors and what is between them and us: bytes
// that were read and not yet asked for, bytes for which the debugger has had
// no room. All our descriptors are non-blocking; poll is the one place that
// waits.
type wire struct {
	in, out, err, pidfd int // -1: closed or absent
	wake                int // an eventfd
	wakeMu              sync.Mutex

	buf        []byte // buf[start:] is to be handed out; buf[start:scanned] holds no newline
	start      int
	scanned    int
	discarding bool   // within a line that is too long
	unsent     []byte // to be written when there is room
	stderr     []byte // the tail of what came from err
	gone       bool   // the process ended: what out holds now is all there is
}

func (w *wire) init() {
	w.in, w.out, w.err, w.pidfd, w.wake = -1, -1, -1, -1, -1
}

func (w *wire) close() {
	for _, fd := range []*int{&w.in, &w.out, &w.err, &w.pidfd} {
		closeFd(fd)
	}
	w.wakeMu.Lock()
	defer w.wakeMu.Unlock()
	closeFd(&w.wake)
}

func closeFd(fd *int) {
	if *fd >= 0 {
		unix.Close(*fd)
		*fd = -1
	}
}

// line takes the next whole line from the buffer, without its newline; nil if
// there is none. The error is ErrLineTooLong, once for each such line. The
// line is valid until the next fill.
func (w *wire) line() ([]byte, error) {
	for {
		i := bytes.IndexByte(w.buf[w.scanned:], '\n')
		if i < 0 {
			w.scanned = len(w.buf)
			if !w.discarding && w.scanned-w.start <= maxLine {
				return nil, nil
			}
			w.start = w.scanned
			if w.discarding {
				return nil, nil
			}
			w.discarding = true
			return nil, ErrLineTooLong
		}
		end := w.scanned + i
		line := w.buf[w.start:end:end]
		w.start, w.scanned = end+1, end+1
		if w.discarding {
			w.discarding = false
			continue
		}
		if len(line) > maxLine {
			return nil, ErrLineTooLong
		}
		return line, nil
	}
}

// room returns free space at the end of the buffer.
func (w *wire) room() []byte {
	if w.start == len(w.buf) {
		w.start, w.scanned = 0, 0
		w.buf = w.buf[:0]
		if cap(w.buf) > 2*pipeSize { // after a very long line
			w.buf = nil
		}
	}
	if cap(w.buf)-len(w.buf) < readChunk/2 {
		held := w.buf[w.start:]
		to := w.buf[:0]
		if cap(w.buf) < 2*len(held)+readChunk {
			to = make([]byte, 0, 2*(len(held)+readChunk))
		}
		w.buf = append(to, held...)
		w.scanned -= w.start
		w.start = 0
	}
	return w.buf[len(w.buf):cap(w.buf)]
}

// fill reads what the debugger has written. If there is nothing it waits, once,
// for anything to happen, Wake included if wakeable.
func (w *wire) fill(deadline time.Time, wakeable bool) outcome {
	for {
		n, err := unix.Read(w.out, w.room())
		switch {
		case n > 0:
			w.buf = w.buf[:len(w.buf)+n]
			return filled
		case err == unix.EINTR:
			continue
		case err != unix.EAGAIN || w.gone:
			return ended
		}
		return w.poll(deadline, wakeable)
	}
}

// poll waits until the debugger writes, reads, complains or ends, or until
// Wake if wakeable, and attends to all but the first. Within a line it waits
// for lineTime at most.
func (w *wire) poll(deadline time.Time, wakeable bool) outcome {
	left := forEver
	if !deadline.IsZero() {
		if left = time.Until(deadline); left <= 0 {
			return timedOut
		}
	}
	fds := [5]unix.PollFd{
		{Fd: int32(w.out), Events: unix.POLLIN},
		{Fd: int32(w.pidfd), Events: unix.POLLIN},
		{Fd: int32(w.err), Events: unix.POLLIN},
		{Fd: -1, Events: unix.POLLIN},
		{Fd: -1, Events: unix.POLLOUT},
	}
	if wakeable {
		fds[3].Fd = int32(w.wake)
	}
	if len(w.unsent) > 0 {
		fds[4].Fd = int32(w.in)
	}
	if w.start < len(w.buf) {
		fds[0].Fd = -1
		left = min(left, lineTime)
	}
	timeout := unix.NsecToTimespec(int64(left))
	if n, err := unix.Ppoll(fds[:], &timeout, nil); n <= 0 || err != nil {
		return stirred // a signal or the deadline: the caller finds out
	}
	if fds[1].Revents != 0 {
		w.gone = true
		closeFd(&w.pidfd)
	}
	if fds[2].Revents != 0 {
		w.readStderr()
	}
	if fds[3].Revents != 0 {
		w.unwake()
	}
	if fds[4].Revents != 0 {
		w.flush()
	}
	return stirred
}

// write writes b after what is unsent, as far as there is room. It reports
// false if nobody reads any more.
func (w *wire) write(b []byte) bool {
	if len(w.unsent) > 0 {
		w.unsent = append(w.unsent, b...)
		return w.flush()
	}
	n, ok := w.writeSome(b)
	w.unsent = append(w.unsent[:0], b[n:]...)
	return ok
}

// flush writes what is unsent, as far as there is room.
func (w *wire) flush() bool {
	n, ok := w.writeSome(w.unsent)
	w.unsent = append(w.unsent[:0], w.unsent[n:]...)
	return ok
}

// writeSome writes b until it is written or there is no room. If nobody reads
// it closes in, and says that b is written.
func (w *wire) writeSome(b []byte) (n int, ok bool) {
	for n < len(b) {
		m, err := unix.Write(w.in, b[n:])
		switch {
		case m > 0:
			n += m
		case err == unix.EAGAIN:
			return n, true
		case err != unix.EINTR:
			closeFd(&w.in)
			return len(b), false
		}
	}
	return n, true
}

// readStderr moves what err holds to the tail.
func (w *wire) readStderr() {
	var chunk [tailSize]byte
	for w.err >= 0 {
		n, err := unix.Read(w.err, chunk[:])
		switch {
		case n > 0:
			w.stderr = append(w.stderr, chunk[:n]...)
			if extra := len(w.stderr) - tailSize; extra > 0 {
				w.stderr = append(w.stderr[:0], w.stderr[extra:]...)
			}
		case err == unix.EAGAIN:
			return
		case err != unix.EINTR:
			closeFd(&w.err)
		}
	}
}

// wakeUp makes the eventfd readable. It may be called from any goroutine, at
// any time.
func (w *wire) wakeUp() {
	w.wakeMu.Lock()
	defer w.wakeMu.Unlock()
	if w.wake >= 0 {
		var one [8]byte
		binary.NativeEndian.PutUint64(one[:], 1)
		unix.Write(w.wake, one[:])
	}
}

// unwake makes the eventfd unreadable.
func (w *wire) unwake() {
	var count [8]byte
	unix.Read(w.wake, count[:])
}
