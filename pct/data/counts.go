package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/profilecollection/pct/internal/regular"
	"golang.org/x/sys/unix"
)

// CountKind is how a count file keeps its samples.
type CountKind uint32

const (
	Histogram CountKind = 1 // a counter for each bin of addresses
	Log       CountKind = 2 // a record for each sample, in their order
	Circular  CountKind = 3 // the same, of which the newest are kept
	Table     CountKind = 4 // a counter for each address that was found
)

// ObjectKernel is the Object.Kind of the kernel and its modules; their addresses
// are run-time ones.
const ObjectKernel = 3

// Counts is the header of a count file: the samples of one process in one mapped
// object. docs/FORMAT.md specifies the file. It can be read at any instant of the
// process's life.
type Counts struct {
	Path       string // of the count file
	Object     string // path of the object, or a name in brackets: [vdso], [anon], [kernel]
	BuildID    string // lower-case hex, "" if it has none
	Translator string // command of the translator that the file wants, "" the default one
	Refused    string // the same of a file that belongs to somebody else, whose commands are not executed
	Clock      string // as in Header
	Resource   string // as in Header; the unit is µs
	Kind       CountKind
	ObjectKind byte // as Object.Kind

	Width   int // bytes of a counter; of a record or a table's entry 16
	BinSize int // bytes of addresses in a bin

	Low  uint64 // first ELF virtual address covered
	Size uint64 // bytes of addresses covered
	Bias uint64 // run-time address minus ELF virtual address

	Capacity uint64 // bins, records or entries that there is room for
	Written  uint64 // records written, ever
	Samples  uint64 // stored
	Lost     uint64 // not stored: the counter was full, or there was no room
	Full     uint64 // counters that are at their greatest value

	Period time.Duration // mean time between two samples, and the weight of each
	Start  time.Time     // origin of the times of records
	Pid    int

	payload int64 // where it begins
}

// NotCounts says that a file is no count file, and that nothing was read of it.
type NotCounts struct {
	Path    string
	Why     string
	Foreign bool // it is something else, rather than a damaged count file
}

func (n *NotCounts) Error() string { return fmt.Sprintf("%s: %s", n.Path, n.Why) }

// OpenCounts reads the header of a count file. What is no count file, or has a
// damaged header, is a *NotCounts error. A file that is too short for its capacity
// is returned together with a *Truncated error: its whole bins or records can be
// read. It never waits, whatever the path names.
func OpenCounts(path string) (*Counts, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := readCountHeader(f, path, size)
	if err != nil {
		return nil, err
	}
	if c.Translator != "" && !ours(f) {
		c.Translator, c.Refused = "", c.Translator
	}
	if width := c.wider(size); width > 0 {
		return nil, &NotCounts{path, fmt.Sprintf("damaged count file: counters of %d bytes, where there is room for such of %d", c.Width, width), false}
	}
	if err := c.countFull(f); err != nil {
		return nil, err
	}
	return c, c.truncated(size)
}

// openRegular opens a file for reading unless reading could wait or do something
// else: a FIFO, a device.
func openRegular(path string) (*os.File, int64, error) {
	f, st, err := regular.Open(path)
	if not := (*regular.Error)(nil); errors.As(err, &not) {
		err = &NotCounts{path, "is not a regular file", true}
	}
	if err != nil {
		return nil, 0, err
	}
	return f, st.Size(), nil
}

// ours reports whether a file belongs to the user or the administrator.
func ours(f *os.File) bool {
	var st unix.Stat_t
	return unix.Fstat(int(f.Fd()), &st) == nil && (st.Uid == 0 || int(st.Uid) == os.Geteuid())
}

// readCountHeader reads and checks the header. An empty file, or one without a
// magic, may be a count file that is just being made.
func readCountHeader(f *os.File, path string, size int64) (*Counts, error) {
	if size == 0 {
		return nil, &NotCounts{path, "is empty", true}
	}
	header := make([]byte, min(size, countHeaderSize))
	n, err := f.ReadAt(header, 0)
	if err != nil && err != io.EOF {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	c, err := decodeCounts(header[:n])
	switch {
	case errors.Is(err, errNotCounts):
		return nil, &NotCounts{path, err.Error(), true}
	case err != nil:
		return nil, &NotCounts{path, "damaged count file: " + err.Error(), false}
	}
	c.Path = path
	return c, nil
}

// truncated says that a file of this size is too short, nil if it isn't. Logs need
// to be as long as what was written into them.
func (c *Counts) truncated(size int64) error {
	want := uint64(c.payload) + c.entries()*uint64(c.Width)
	if uint64(size) >= want {
		return nil
	}
	whole := c.payload
	if size > c.payload {
		whole = size - (size-c.payload)%int64(c.Width)
	}
	what := "its counters are"
	if c.Kind == Log || c.Kind == Circular {
		what = "its records are"
	}
	return &Truncated{Path: c.Path, Offset: min(whole, size), Size: size, Why: what + " cut off"}
}

// wider is the width of counters that a histogram's file of this size was made for, if
// it is greater than the one that the header says; else 0. A file for narrower ones
// looks like one that is cut off.
func (c *Counts) wider(size int64) int {
	for width := 2 * c.Width; c.Kind == Histogram && c.Capacity > 0 && width <= 8; width *= 2 {
		if uint64(size-c.payload) == c.Capacity*uint64(width) {
			return width
		}
	}
	return 0
}

// entries is the number of bins, records or table entries that can hold something.
func (c *Counts) entries() uint64 {
	if c.Kind == Log || c.Kind == Circular {
		return min(c.Written, c.Capacity)
	}
	return c.Capacity
}
