package data

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// someCounts is a header with all that WriteCounts takes.
func someCounts() *Counts {
	return &Counts{
		Object: "/lib/libm.so.6", BuildID: "ab12", Translator: "pct-addr2line -debug-dir /d", Clock: "prof", Resource: "cpu",
		ObjectKind: 1, Bias: 0x7f0000000000, Period: 10 * time.Millisecond, Start: time.Unix(1700000000, 5), Pid: 4711, Lost: 3,
	}
}

// each collects what Each says, and holds that it is in order.
func each(t testing.TB, c *Counts) map[uint64]uint64 {
	t.Helper()
	all := map[uint64]uint64{}
	last := uint64(0)
	check(t, c.Each(func(vaddr, count uint64) {
		if len(all) > 0 && vaddr <= last || count == 0 {
			t.Errorf("%d at 0x%x after 0x%x", count, vaddr, last)
		}
		last = vaddr
		all[vaddr] = count
	}))
	return all
}

func TestWriteCounts(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Counts)
		counts map[uint64]uint64
		want   map[uint64]uint64 // nil: the same
		header func(*Counts)
	}{
		{"nothing", nil, nil, map[uint64]uint64{}, func(c *Counts) { c.Kind, c.Width = Histogram, 1 }},
		{"one", nil, map[uint64]uint64{0x1000: 255}, nil, func(c *Counts) {
			c.Kind, c.Width, c.Low, c.Size, c.Capacity, c.Samples, c.Full = Histogram, 1, 0x1000, 1, 1, 255, 1
		}},
		{"wide", nil, map[uint64]uint64{0x1000: 256, 0x1fff: 0, 0x200000: 1}, map[uint64]uint64{0x1000: 256, 0x200000: 1}, func(c *Counts) {
			c.Kind, c.Width, c.Low, c.Size, c.Capacity, c.Samples = Histogram, 2, 0x1000, 0x1ff001, 0x1ff001, 257
		}},
		{"greatest", nil, map[uint64]uint64{0: 1<<64 - 1}, nil, func(c *Counts) {
			c.Kind, c.Width, c.Size, c.Capacity, c.Samples = Histogram, 8, 1, 1, 1<<64-1
		}},
		{"bins", func(c *Counts) { c.BinSize = 16 }, map[uint64]uint64{0x1001: 1, 0x100f: 2, 0x1010: 4}, map[uint64]uint64{0x1000: 3, 0x1010: 4}, func(c *Counts) {
			c.Kind, c.Width, c.BinSize, c.Low, c.Size, c.Capacity, c.Samples = Histogram, 1, 16, 0x1000, 0x11, 2, 7
		}},
		{"saturated", func(c *Counts) { c.Width, c.Low, c.Size = 1, 0x1000, 64 }, map[uint64]uint64{0x1003: 300, 0x1004: 5}, map[uint64]uint64{0x1003: 255, 0x1004: 5}, func(c *Counts) {
			c.Kind, c.Width, c.Low, c.Size, c.Capacity, c.Samples, c.Lost, c.Full = Histogram, 1, 0x1000, 64, 64, 260, 48, 1
		}},
		{"table", nil, map[uint64]uint64{0x7f0000000000: 7, 5: 8}, nil, func(c *Counts) {
			c.Kind, c.Width, c.Capacity, c.Written, c.Samples = Table, 16, 3, 2, 15
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := someCounts()
			if c.change != nil {
				c.change(in)
			}
			path := filepath.Join(t.TempDir(), "f")
			check(t, WriteCounts(path, in, c.counts))
			got, err := OpenCounts(path)
			check(t, err)
			want := someCounts()
			want.Path, want.BinSize, want.payload = path, 1, countHeaderSize
			c.header(want)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			counts := c.want
			if counts == nil {
				counts = c.counts
			}
			if all := each(t, got); !maps.Equal(all, counts) {
				t.Errorf("counts %v, want %v", all, counts)
			}
			if err := WriteCounts(path, in, c.counts); !errors.Is(err, os.ErrExist) {
				t.Errorf("written again: %v", err)
			}
		})
	}
}

func TestStamp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	check(t, WriteCounts(path, someCounts(), map[uint64]uint64{1: 1}))
	for _, stamp := range []string{"pct-gdbline", ""} {
		check(t, Stamp(path, stamp))
		c, err := OpenCounts(path)
		check(t, err)
		if c.Translator != stamp {
			t.Errorf("stamped %q, want %q", c.Translator, stamp)
		}
	}
	for _, bad := range []string{"two\nlines", string(make([]byte, 65))} {
		if err := Stamp(path, bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	var foreign *NotCounts
	if err := Stamp("counts.go", "x"); !errors.As(err, &foreign) {
		t.Errorf("a source file: %v", err)
	}
}
