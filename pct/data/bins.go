package data

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Each calls f for each address that has samples, in ascending order, with their
// number: of a histogram for the start of each bin that is not empty. Logs are added
// up. The file is read anew; of one that is being written it is what is there by now.
func (c *Counts) Each(f func(vaddr, count uint64)) error {
	switch c.Kind {
	case Histogram:
		return c.eachBin(f)
	case Table:
		return c.eachSlot(f)
	}
	sums := map[uint64]uint64{}
	records, err := c.records()
	for _, r := range records {
		sums[c.Low+uint64(r.offset)]++
	}
	for _, vaddr := range slices.Sorted(maps.Keys(sums)) {
		f(vaddr, sums[vaddr])
	}
	return err
}

func (c *Counts) eachBin(f func(vaddr, count uint64)) error {
	file, _, err := openRegular(c.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	return c.bins(file, func(bin, count uint64) { f(c.Low+bin*uint64(c.BinSize), count) })
}

// countFull sets Full.
func (c *Counts) countFull(file *os.File) error {
	if c.Kind != Histogram || c.Width == targetAddress {
		return nil // nothing counts to 1<<64
	}
	full := greatest(c.Width)
	return c.bins(file, func(_, count uint64) {
		if count == full {
			c.Full++
		}
	})
}

// greatest is the value of a full counter.
func greatest(width int) uint64 { return math.MaxUint64 >> (64 - 8*width) }

// bins calls f for each counter that is not 0.
func (c *Counts) bins(file *os.File, f func(bin, count uint64)) error {
	width := c.Width
	return c.blocks(file, func(first uint64, b []byte) {
		for at := 0; at < len(b); {
			// Most are empty, and looked at eight bytes at a time.
			if at+8 <= len(b) && binary.LittleEndian.Uint64(b[at:]) == 0 {
				at += 8
				continue
			}
			for end := min(at+8, len(b)); at < end; at += width {
				var count uint64
				switch width {
				case 1:
					count = uint64(b[at])
				case 2:
					count = uint64(binary.LittleEndian.Uint16(b[at:]))
				case 4:
					count = uint64(binary.LittleEndian.Uint32(b[at:]))
				default:
					count = binary.LittleEndian.Uint64(b[at:])
				}
				if count != 0 {
					f(first+uint64(at/width), count)
				}
			}
		}
	})
}

// eachSlot adds up the entries of a table.
func (c *Counts) eachSlot(f func(vaddr, count uint64)) error {
	file, _, err := openRegular(c.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	type slot struct{ vaddr, count uint64 }
	var all []slot
	err = c.blocks(file, func(_ uint64, b []byte) {
		for ; len(b) > 0; b = b[recordWidth:] {
			s := slot{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
			if s.vaddr != 0 && s.count != 0 {
				all = append(all, s)
			}
		}
	})
	slices.SortFunc(all, func(a, b slot) int { return cmp.Compare(a.vaddr, b.vaddr) })
	for i := 0; i < len(all); {
		s := all[i]
		for i++; i < len(all) && all[i].vaddr == s.vaddr; i++ {
			s.count += all[i].count
		}
		f(s.vaddr, s.count)
	}
	return err
}

// blockSize is how much of a payload is in memory at once: a whole number of
// entries of any width.
const blockSize = 256 << 10

// blocks calls f for stretches of whole entries of the payload, in their order; first
// is the number of the first one. Holes of a sparse file are passed over. f must not
// keep b.
func (c *Counts) blocks(file *os.File, f func(first uint64, b []byte)) error {
	st, err := file.Stat()
	if err != nil {
		return err
	}
	end := min(st.Size(), c.payload+int64(c.entries())*int64(c.Width))
	end -= (end - c.payload) % int64(c.Width)
	buf := make([]byte, blockSize)
	for at := c.payload; at < end; {
		from, to, err := dataAt(file, at, end)
		if err != nil {
			return &fs.PathError{Op: "seek", Path: c.Path, Err: err}
		}
		from -= (from - c.payload) % int64(c.Width)
		to += (c.payload - to) % int64(c.Width) // down
		if to <= from {
			to = min(end, from+int64(c.Width))
		}
		for at = max(from, at); at < to; {
			b := buf[:min(int64(len(buf)), to-at)]
			n, err := file.ReadAt(b, at)
			if err != nil && err != io.EOF {
				return &fs.PathError{Op: "read", Path: c.Path, Err: err}
			}
			n -= n % c.Width
			f(uint64(at-c.payload)/uint64(c.Width), b[:n])
			at += int64(n)
			if n < len(b) {
				return fmt.Errorf("%s: became shorter while it was read", c.Path)
			}
		}
		at = to
	}
	return nil
}

// dataAt returns the next stretch of a file that is no hole, at or after a place and
// before the end; all of the rest where the file system can't tell.
func dataAt(file *os.File, at, end int64) (from, to int64, err error) {
	fd := int(file.Fd())
	from, err = unix.Seek(fd, at, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO):
		return end, end, nil
	case errors.Is(err, unix.EINVAL):
		return at, end, nil
	case err != nil:
		return 0, 0, err
	}
	to, err = unix.Seek(fd, from, unix.SEEK_HOLE)
	if err != nil {
		to = end
	}
	return min(from, end), min(to, end), nil
}
