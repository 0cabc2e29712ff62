package tracer

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
)

// StopTimes are what a stop takes a thread beside the time for which it stands.
type StopTimes struct {
	Same, Other time.Duration // CPU time of the thread, where it runs on the tracing thread's processor and on another
	Spread      time.Duration // by which Same differs from stop to stop
	Waits       time.Duration // for which it neither runs nor is seen to stand
	Step        time.Duration // how much more all that is of one instruction than of a breakpoint
}

// StopTime measures them: a child of ours executes nothing but breakpoints, and instructions that do nothing.
func StopTime() (times StopTimes, err error) {
	err = inChild(func(t *Tracer, pid int) error {
		regs, err := t.Registers(pid)
		if err != nil {
			return err
		}
		const nops, traps = 0x9090909090909090, 0x0101010101010101 * trapByte
		for i := range uint64(3 * stops / 8) {
			word := uint64(nops)
			if i >= stops/8 {
				word = traps
			}
			if err := poke(pid, regs.Rip+8*i, word); err != nil {
				return err
			}
		}
		var mask unix.CPUSet
		if err := unix.SchedGetaffinity(0, &mask); err != nil {
			return err
		}
		defer unix.SchedSetaffinity(0, &mask)
		first, last := ends(&mask)
		if err := unix.SchedSetaffinity(0, only(first)); err != nil {
			return err
		}
		stepped, _, stepWaits, err := t.stopTime(pid, first, Step)
		if err != nil {
			return err
		}
		same, spread, sameWaits, err := t.stopTime(pid, first, Onward)
		if err != nil {
			return err
		}
		other, _, otherWaits, err := t.stopTime(pid, last, Onward)
		if err != nil {
			return err
		}
		times = StopTimes{
			Same: same, Other: max(same, other), Spread: spread, Waits: (sameWaits + otherWaits) / 2,
			Step: max(0, stepped+stepWaits-same-sameWaits),
		}
		return nil
	})
	return times, err
}

// stops are as many as are measured of each kind.
const stops = 24

// stopTime is that of a child on one processor.
func (t *Tracer) stopTime(pid, processor int, how How) (cpu, spread, waits time.Duration, err error) {
	if err := unix.SchedSetaffinity(pid, only(processor)); err != nil {
		return 0, 0, 0, err
	}
	var used, waited []time.Duration
	for range stops {
		before, _, err := proc.ThreadTime(pid, pid)
		if err != nil {
			return 0, 0, 0, err
		}
		start := time.Now()
		t.Resume(pid, how, 0)
		if err := trapped(pid); err != nil {
			return 0, 0, 0, err
		}
		took := time.Since(start)
		after, _, err := proc.ThreadTime(pid, pid)
		if err != nil {
			return 0, 0, 0, err
		}
		used, waited = append(used, after-before), append(waited, max(0, took-(after-before)))
	}
	slices.Sort(used)
	slices.Sort(waited)
	return used[stops/4], used[stops/2] - used[stops/4], waited[stops/4], nil // what the machine does besides is not to count
}

// only is a set of one processor.
func only(processor int) *unix.CPUSet {
	var set unix.CPUSet
	set.Set(processor)
	return &set
}

// ends are the first and the last processor of a set.
func ends(set *unix.CPUSet) (first, last int) {
	first = -1
	for i := range 8 * len(set) * 8 {
		if set.IsSet(i) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return max(0, first), last
}
