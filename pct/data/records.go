package data

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"
)

// record is a sample in a log.
type record struct {
	time   uint64 // ns since Counts.Start
	offset uint32 // from Counts.Low
	thread uint32
}

// Records calls f for each record of a log, in the order of their times, which count
// from c.Start; of a circular log these are the newest ones. The file is read anew.
func (c *Counts) Records(f func(t time.Duration, thread uint32, vaddr uint64)) error {
	if c.Kind != Log && c.Kind != Circular {
		return errors.New(c.Path + " is not a log: its counts have no times")
	}
	all, err := c.records()
	for _, r := range all {
		f(time.Duration(r.time), r.thread, c.Low+uint64(r.offset))
	}
	return err
}

// records reads what has been written of a log.
func (c *Counts) records() ([]record, error) {
	file, size, err := openRegular(c.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// A log that is being written has grown since.
	now, err := readCountHeader(file, c.Path, size)
	if err != nil {
		return nil, err
	}
	all := make([]record, 0, min(now.entries(), uint64(max(0, size-now.payload))/recordWidth))
	err = now.blocks(file, func(_ uint64, b []byte) {
		for ; len(b) > 0; b = b[recordWidth:] {
			r := record{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])}
			// One that is not written yet is all zeros, or all ones in its time.
			if r.time <= math.MaxInt64 && r != (record{}) {
				all = append(all, r)
			}
		}
	})
	order := func(a, b record) int { return cmp.Compare(a.time, b.time) }
	if !slices.IsSortedFunc(all, order) {
		slices.SortStableFunc(all, order)
	}
	return all, err
}
