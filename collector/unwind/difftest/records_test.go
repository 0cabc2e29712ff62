package difftest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/pct/data"
)

// frame is one activation of a function: its pc, and whether that is an instruction not yet
// executed, no return address.
type frame struct {
	pc    uint64
	exact bool
}

// stop is one stop of a thread, as all unwinders saw it.
type stop struct {
	tid     uint32
	sp      uint64
	ours    []frame // by the unwinder in the process
	end     uint32  // why that ended: 0 at the outermost frame
	rooted  bool    // that is where the thread or a context of its began
	guess   bool    // a frame was left without call frame information
	landing int     // the frame that is about to execute the handler of an exception; 0: none

	libgcc  []uint64
	faulted bool // libgcc read memory that is not there

	gdb     []frame
	signals []bool // which of them the kernel made for a signal
	gdbEnd  string

	outside        []uint64 // by package unwind, the addresses that a report would name
	outsidePartial bool
}

const exactBit, signalBit = 1 << 63, 1 << 62

// readRecords reads what recorder.c wrote.
func readRecords(path string) ([]stop, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var stops []stop
	for {
		var h struct {
			Tid, End, Guessed, Common     uint32
			Ours, Libgcc, Faulted, Rooted uint32
			SP                            uint64
		}
		if err := binary.Read(f, binary.LittleEndian, &h); errors.Is(err, io.EOF) {
			return stops, nil
		} else if err != nil {
			return nil, err
		}
		pcs := make([]uint64, h.Ours+h.Libgcc)
		if err := binary.Read(f, binary.LittleEndian, pcs); err != nil {
			return nil, err
		}
		s := stop{tid: h.Tid, sp: h.SP, end: h.End, guess: h.Guessed != 0, faulted: h.Faulted != 0, rooted: h.Rooted != 0, libgcc: pcs[h.Ours:]}
		for i, pc := range pcs[:h.Ours] {
			exact, signal := pc&exactBit != 0, pc&signalBit != 0
			if exact && !signal && i > 0 && pcs[i-1]&signalBit == 0 && i+1 < int(h.Ours) {
				s.landing = i
			}
			s.ours = append(s.ours, frame{pc &^ (exactBit | signalBit), exact})
		}
		stops = append(stops, s)
	}
}

// readRun adds what dbctl and gdb found at the same stops: the n-th of a thread is the
// n-th in both.
func readRun(runs string, stops []stop) error {
	dirs, err := filepath.Glob(filepath.Join(runs, "*", "paths.*"))
	if err != nil || len(dirs) != 1 {
		return fmt.Errorf("%d runs in %s", len(dirs), runs)
	}
	r, err := data.Open(filepath.Dir(dirs[0]))
	if err != nil {
		return err
	}
	next := make(map[uint32][]*stop)
	for i := range stops {
		next[stops[i].tid] = append(next[stops[i].tid], &stops[i])
	}
	for i, sample := range r.Samples() {
		waiting := next[sample.Thread]
		if len(waiting) == 0 {
			continue // the program was at its end
		}
		next[sample.Thread] = waiting[1:]
		if err := waiting[0].add(r, &sample); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
	}
	for tid, waiting := range next {
		if len(waiting) > 0 {
			return fmt.Errorf("%d records of thread %d have no stop", len(waiting), tid)
		}
	}
	return nil
}

func (s *stop) add(r *data.Run, sample *data.Sample) error {
	if len(sample.Fields) != 1 {
		return errors.New("gdb said nothing")
	}
	words := strings.Fields(sample.Fields[0].Value)
	if len(words) < 4 {
		return fmt.Errorf("gdb said %q", words)
	}
	if sp, err := strconv.ParseUint(words[0], 0, 64); err != nil || sp != s.sp {
		return fmt.Errorf("gdb saw the stack pointer %s, the handler %#x", words[0], s.sp)
	}
	back, err := strconv.ParseUint(words[1], 10, 64)
	if err != nil {
		return err
	}
	s.gdbEnd = words[len(words)-1]
	for i, word := range words[2 : len(words)-1] {
		digits, signal := strings.CutPrefix(word, "-")
		pc, err := strconv.ParseUint(digits, 0, 64)
		if err != nil {
			return err
		}
		s.gdb = append(s.gdb, frame{pc, i == 0 || signal || s.signals[i-1]})
		s.signals = append(s.signals, signal)
	}
	s.gdb[0].pc -= back
	s.outsidePartial = sample.Partial
	for id := sample.Node; id != 0; {
		n := r.Nodes[id]
		address := n.Vaddr
		if n.Object != 0 {
			address += r.Objects[n.Object].Bias
		}
		s.outside = append(s.outside, address)
		id = n.Parent
	}
	s.outside[0] -= back
	return nil
}
