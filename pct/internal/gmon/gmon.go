// Package gmon reads gmon.out files, as programs built with -pg write them, and makes
// of them what gprof makes: a flat profile and a call graph.
//
// # The format
//
// GMON version 1, of a 64-bit little-endian machine (<sys/gmon_out.h>). A header:
//
//	"gmon"  version (4 bytes, 1)  12 bytes of 0
//
// and behind it records, each of a byte that is its tag and of fields without gaps:
//
//	0 histogram   low_pc (8), high_pc (8), bins (4), rate in Hz (4),
//	              dimension (15, "seconds"), its abbreviation (1), bins × 2 bytes
//	1 arc         from_pc (8), self_pc (8), count (4)
//	2 blocks      number (4), and for each address (8) and count (8)
//
// A bin is the number of times the program counter was found in its part of
// [low_pc, high_pc). The C library subtracts the load address of a position-independent
// executable (since 2.27), so that addresses are those of its file.
package gmon

import (
	"encoding/binary"
	"fmt"
	"github.com/profilecollection/pct/internal/regular"
	"slices"
)

// Data are the records of one gmon.out, or of several runs of one program together.
type Data struct {
	Histograms []Histogram
	Arcs       []Arc
	Blocks     []Block
}

// A Histogram is where the program counter was found.
type Histogram struct {
	Low, High uint64 // the addresses that it is of
	Rate      uint32 // times a second that the program counter was looked at
	Bins      []uint64
}

// An Arc is a call and how often it was made.
type Arc struct {
	From, Self uint64 // an address in the caller, and one in the callee
	Count      uint64
}

// A Block is how often a basic block was executed.
type Block struct{ Address, Count uint64 }

const (
	magic      = "gmon"
	version    = 1
	headerSize = 20
)

const (
	tagHistogram = iota
	tagArc
	tagBlocks
)

// Sizes of records without their tags, as far as they are always the same.
const (
	histogramSize = 8 + 8 + 4 + 4 + 15 + 1
	arcSize       = 8 + 8 + 4
	blockSize     = 8 + 8
)

// Truncated says that a file ends within a record. The whole ones before it were read.
type Truncated struct {
	Name  string
	Where string // the record
}

func (e *Truncated) Error() string {
	return fmt.Sprintf("%s is cut off within %s: the program or the disk ended while it was written", e.Name, e.Where)
}

// Read reads a file. Of one that is cut off it returns the whole records and an error of type
// *Truncated, and nothing with all other errors.
func Read(name string) (*Data, error) {
	content, err := regular.ReadFile(name)
	if err != nil {
		return nil, err
	}
	d, err := parse(content, name)
	return d, err
}

func parse(content []byte, name string) (*Data, error) {
	foreign := func(format string, args ...any) error {
		return fmt.Errorf("%s is not a readable gmon.out: %s", name, fmt.Sprintf(format, args...))
	}
	switch {
	case len(content) == 0:
		return nil, foreign("it is empty")
	case string(content[:min(len(magic), len(content))]) != magic[:min(len(magic), len(content))]:
		return nil, foreign("it does not begin with %q (files without that, of BSD, are not read)", magic)
	case len(content) < headerSize:
		return nil, &Truncated{name, "its header"}
	}
	switch v := binary.LittleEndian.Uint32(content[4:]); {
	case v == version<<24:
		return nil, foreign("it is of a big-endian machine")
	case v != version:
		return nil, foreign("it is of version %d, not %d", v, version)
	}
	d := &Data{}
	r := reader{content[headerSize:], headerSize}
	for len(r.rest) > 0 {
		at := r.offset
		what, err := d.record(&r)
		if err != nil {
			return nil, foreign("at byte %d, %v", at, err)
		}
		if what != "" {
			return d, &Truncated{name, fmt.Sprintf("%s at byte %d", what, at)}
		}
	}
	return d, nil
}

// reader takes fields off the front of a file.
type reader struct {
	rest   []byte
	offset int
}

// take returns the next n bytes, nil if there are fewer.
func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		return nil
	}
	b := r.rest[:n:n]
	r.rest, r.offset = r.rest[n:], r.offset+n
	return b
}

// record reads a record. Of one that is cut off it returns what it is.
func (d *Data) record(r *reader) (cut string, err error) {
	le := binary.LittleEndian
	switch tag := r.take(1)[0]; tag {
	case tagHistogram:
		const what = "a histogram"
		b := r.take(histogramSize)
		if b == nil {
			return what, nil
		}
		h := Histogram{Low: le.Uint64(b), High: le.Uint64(b[8:]), Rate: le.Uint32(b[20:])}
		bins := le.Uint32(b[16:])
		switch {
		case string(b[16:23]) == "seconds":
			return "", fmt.Errorf("the histogram is of a 32-bit machine")
		case h.Rate == 0 || h.Rate > 1e9 || h.High <= h.Low || bins == 0 || uint64(bins) > h.High-h.Low:
			return "", fmt.Errorf("a histogram of %d bins from %#x to %#x at %d Hz is damaged", bins, h.Low, h.High, h.Rate)
		}
		counts := r.take(int(bins) * 2)
		if counts == nil {
			return what, nil
		}
		h.Bins = make([]uint64, bins)
		for i := range h.Bins {
			h.Bins[i] = uint64(le.Uint16(counts[2*i:]))
		}
		return "", d.addHistogram(h)
	case tagArc:
		b := r.take(arcSize)
		if b == nil {
			return "an arc", nil
		}
		d.Arcs = append(d.Arcs, Arc{le.Uint64(b), le.Uint64(b[8:]), uint64(le.Uint32(b[16:]))})
	case tagBlocks:
		const what = "counts of basic blocks"
		b := r.take(4)
		if b == nil {
			return what, nil
		}
		n := le.Uint32(b)
		all := r.take(int(n) * blockSize)
		if all == nil {
			return what, nil
		}
		for ; len(all) > 0; all = all[blockSize:] {
			d.Blocks = append(d.Blocks, Block{le.Uint64(all), le.Uint64(all[8:])})
		}
	default:
		return "", fmt.Errorf("there is a record of the unknown kind %d", tag)
	}
	return "", nil
}

// addHistogram adds the bins to those of the same addresses.
func (d *Data) addHistogram(h Histogram) error {
	for i := range d.Histograms {
		have := &d.Histograms[i]
		if have.Rate != h.Rate {
			return fmt.Errorf("one histogram was made at %d Hz and another one at %d Hz, which cannot be added up", have.Rate, h.Rate)
		}
		if have.Low == h.Low && have.High == h.High && len(have.Bins) == len(h.Bins) {
			for j, n := range h.Bins {
				have.Bins[j] += n
			}
			return nil
		}
		if have.Low < h.High && h.Low < have.High {
			return fmt.Errorf("the histograms %#x to %#x and %#x to %#x are of different programs, or of different builds of one",
				have.Low, have.High, h.Low, h.High)
		}
	}
	d.Histograms = append(d.Histograms, h)
	return nil
}

// Add adds the records of another run of the same program.
func (d *Data) Add(more *Data) error {
	for _, h := range more.Histograms {
		h.Bins = slices.Clone(h.Bins)
		if err := d.addHistogram(h); err != nil {
			return err
		}
	}
	d.Arcs = append(d.Arcs, more.Arcs...)
	d.Blocks = append(d.Blocks, more.Blocks...)
	return nil
}

// Samples is how often the program counter was looked at.
func (d *Data) Samples() uint64 {
	var n uint64
	for _, h := range d.Histograms {
		for _, count := range h.Bins {
			n += count
		}
	}
	return n
}

// Rate is how often it was in a second, 0 without a histogram.
func (d *Data) Rate() uint32 {
	if len(d.Histograms) == 0 {
		return 0
	}
	return d.Histograms[0].Rate
}
