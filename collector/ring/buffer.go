package ring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ringBytes is the size of a ring without its control page: with it, just what
// the kernel lets a user lock by default (perf_event_mlock_kb is 516). At 1 kHz it
// holds eight seconds.
const ringBytes = 512 << 10

// Rings for samples with stacks: the least and the largest, and what all together may be if they are larger than
// the least. Who may lock less gets less.
const (
	stackRing    = 4 << 20
	largestStack = 16 << 20
	stackRings   = 64 << 20
)

// leastRing is what we are content with where less may be locked.
const leastRing = 32 << 10

// buffer is the ring of one processor, mapped from the first event on it; the
// others write there too.
type buffer struct {
	fd      int
	mapped  []byte
	control *unix.PerfEventMmapPage
	data    []byte
	scratch []byte // a record that goes around the end
	silent  bool   // nothing is heard from fd any more
	owing   debt
}

func newBuffer(fd, most int) (*buffer, error) {
	page := os.Getpagesize()
	var mapped []byte
	err := error(unix.EPERM)
	for size := most; size >= leastRing && errors.Is(err, unix.EPERM); size /= 2 {
		mapped, err = unix.Mmap(fd, 0, page+size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot map the buffer of a perf event (see /proc/sys/kernel/perf_event_mlock_kb): %w", err)
	}
	control := (*unix.PerfEventMmapPage)(unsafe.Pointer(&mapped[0]))
	return &buffer{fd: fd, mapped: mapped, control: control, data: mapped[page:]}, nil
}

// drain hands over the records that are there, each in memory that is good until
// the function returns.
func (b *buffer) drain(f func(record []byte)) {
	const header = 8
	head := atomic.LoadUint64(&b.control.Data_head)
	tail := b.control.Data_tail
	size := uint64(len(b.data))
	for tail+header <= head {
		at := tail % size
		// Records are multiples of eight bytes, so that a header is whole.
		length := uint64(binary.NativeEndian.Uint16(b.data[at+6:]))
		if length < header || tail+length > head {
			// Nothing that a kernel writes.
			atomic.StoreUint64(&b.control.Data_tail, head)
			return
		}
		if at+length <= size {
			f(b.data[at : at+length])
		} else {
			b.scratch = append(append(b.scratch[:0], b.data[at:]...), b.data[:at+length-size]...)
			f(b.scratch)
		}
		tail += length
		// At once: the fuller a ring, the longer are the gaps of what it loses.
		atomic.StoreUint64(&b.control.Data_tail, tail)
	}
}

func (b *buffer) close() { unix.Munmap(b.mapped) }
