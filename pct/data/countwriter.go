package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// widestHistogram is the range of addresses from which on a table is written.
const widestHistogram = 1 << 32

// WriteCounts makes a count file, which must not exist, of the numbers of samples at
// addresses: a histogram, or a table where the addresses are further apart than
// 1<<32 bytes. Of c, Path, Kind, Capacity, Written, Samples and Full are not used. A
// Size of 0 is what the addresses need, a Width of 0 what the counts need, a BinSize
// of 0 is 1. What a counter of the width given can't hold adds to Lost.
func WriteCounts(path string, c *Counts, each map[uint64]uint64) error {
	create := func() (*os.File, error) {
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o666)
	}
	return writeCounts(path, create, func() error { return os.Remove(path) }, c, each)
}

func writeCounts(path string, create func() (*os.File, error), remove func() error, c *Counts, each map[uint64]uint64) error {
	w := *c
	vaddrs := slices.Sorted(maps.Keys(each))
	w.Written, w.Samples, w.BinSize = 0, 0, max(1, w.BinSize)
	var bytesOf func(yield func(at int64, b []byte) error) error
	if len(vaddrs) > 0 && vaddrs[len(vaddrs)-1]-vaddrs[0] > widestHistogram {
		if vaddrs[0] == 0 {
			return fmt.Errorf("%s: a table cannot hold address 0", path)
		}
		w.Kind, w.Width, w.Low, w.Size = Table, recordWidth, 0, 0
		bytesOf = w.slots(vaddrs, each)
	} else {
		if err := w.fit(vaddrs, each); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		bytesOf = w.counters(vaddrs, each)
	}
	header, err := w.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := create()
	if err != nil {
		return err
	}
	err = f.Truncate(countHeaderSize + int64(w.Capacity)*int64(w.Width))
	if err == nil {
		err = bytesOf(func(at int64, b []byte) error {
			_, err := f.WriteAt(b, countHeaderSize+at)
			return err
		})
	}
	if err == nil {
		_, err = f.WriteAt(header, 0)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, remove())
	}
	return nil
}

// fit sets what a histogram of the counts needs.
func (c *Counts) fit(vaddrs []uint64, each map[uint64]uint64) error {
	c.Kind = Histogram
	if c.Size == 0 && len(vaddrs) > 0 {
		c.Low = vaddrs[0] - vaddrs[0]%uint64(c.BinSize)
		c.Size = vaddrs[len(vaddrs)-1] - c.Low + 1
	}
	for _, vaddr := range vaddrs {
		if vaddr-c.Low >= c.Size {
			return fmt.Errorf("address 0x%x is not among the %d from 0x%x", vaddr, c.Size, c.Low)
		}
	}
	c.Capacity = 0
	if c.Size > 0 {
		c.Capacity = (c.Size-1)/uint64(c.BinSize) + 1
	}
	if c.Width == 0 {
		c.Width = 1
		for _, count := range c.sums(vaddrs, each) {
			for count > greatest(c.Width) {
				c.Width *= 2
			}
		}
	}
	if !slices.Contains([]int{1, 2, 4, 8}, c.Width) {
		return fmt.Errorf("counters of %d bytes", c.Width)
	}
	if c.Capacity > (math.MaxInt64-countHeaderSize)/8 {
		return fmt.Errorf("%d bins", c.Capacity)
	}
	return nil
}

// sums are the counts of the bins that are not empty.
func (c *Counts) sums(vaddrs []uint64, each map[uint64]uint64) map[uint64]uint64 {
	sums := make(map[uint64]uint64, len(vaddrs))
	for _, vaddr := range vaddrs {
		if n := each[vaddr]; n > 0 {
			bin := (vaddr - c.Low) / uint64(c.BinSize)
			if sums[bin] += n; sums[bin] < n {
				sums[bin] = math.MaxUint64
			}
		}
	}
	return sums
}

// counters makes the payload of a histogram, page by page, and adds up Samples and
// Lost.
func (c *Counts) counters(vaddrs []uint64, each map[uint64]uint64) func(func(int64, []byte) error) error {
	const pageSize = 4096
	pages := map[int64][]byte{}
	most := greatest(c.Width)
	for bin, n := range c.sums(vaddrs, each) {
		if n > most {
			c.Lost += n - most
			n = most
		}
		c.Samples += n
		at := int64(bin) * int64(c.Width)
		page := at / pageSize
		if pages[page] == nil {
			pages[page] = make([]byte, min(pageSize, int64(c.Capacity)*int64(c.Width)-page*pageSize))
		}
		var value [8]byte
		binary.LittleEndian.PutUint64(value[:], n)
		copy(pages[page][at%pageSize:], value[:c.Width])
	}
	return func(write func(int64, []byte) error) error {
		for _, page := range slices.Sorted(maps.Keys(pages)) {
			if err := write(page*pageSize, pages[page]); err != nil {
				return err
			}
		}
		return nil
	}
}

// slots makes the payload of a table, of which two thirds are in use.
func (c *Counts) slots(vaddrs []uint64, each map[uint64]uint64) func(func(int64, []byte) error) error {
	c.Capacity = uint64(len(vaddrs) + len(vaddrs)/2)
	table := make([]byte, c.Capacity*recordWidth)
	for i, vaddr := range vaddrs {
		n := each[vaddr]
		if n == 0 {
			continue
		}
		c.Samples += n
		c.Written++
		slot := table[(i+i/2)*recordWidth:]
		binary.LittleEndian.PutUint64(slot, vaddr)
		binary.LittleEndian.PutUint64(slot[8:], n)
	}
	return func(write func(int64, []byte) error) error { return write(0, table) }
}

// Stamp sets the translator that a count file wants, a command whose words are
// separated by blanks; "" is the default one. The file may be in use.
func Stamp(path, translator string) error {
	var torn *Truncated
	if _, err := OpenCounts(path); err != nil && !errors.As(err, &torn) {
		return err
	}
	stamped := make([]byte, translatorSize)
	if copy(stamped, translator) < len(translator) || slices.ContainsFunc([]byte(translator), func(c byte) bool { return c < ' ' }) {
		return fmt.Errorf("%.80q cannot be a stamp: it must be a line of at most %d bytes", translator, translatorSize)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(stamped, atTranslator)
	return errors.Join(err, f.Close())
}
