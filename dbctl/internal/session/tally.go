package session

import (
	"fmt"
	"slices"
)

// tally is what only the tracing goroutine knows of a process's run, for the reader of its report.
// It counts until it tells of the run's end, and hands the tally over with that.
type tally struct {
	repaired  int            // system calls begun again
	unclocked int            // threads that have no clock
	attempted bool           // a sample is of a thread that was interrupted
	clock     string         // that the process had last
	unseen    unseen         // what the clock does not see
	notes     map[string]int // sentences, and how often
}

// note counts a sentence.
func (y *tally) note(text string) {
	if y.notes == nil {
		y.notes = make(map[string]int)
	}
	y.notes[text]++
}

// take is what was counted since the last time.
func (y *tally) take() tally {
	counted := *y
	*y = tally{clock: y.clock}
	return counted
}

// sentences are those of the tally.
func (y *tally) sentences() (list []string) {
	if y.unclocked > 0 {
		list = append(list, fmt.Sprintf("%d threads had no clock and were not sampled", y.unclocked))
	}
	if y.repaired > 0 {
		list = append(list, fmt.Sprintf("%d system calls that a stop interrupted were restarted", y.repaired))
	}
	switch {
	case y.attempted && y.clock == pollName:
		list = append(list, "clock poll overstates system calls of programs that make many or wait: use profile -paths, or -clock perf")
	case y.attempted:
		list = append(list, "threads with blocked signals, and kernel code, were sampled some microseconds late: work just before a system call may be counted in the call")
	}
	if text := y.unseen.note(); text != "" {
		list = append(list, text)
	}
	var notes []string
	for text, n := range y.notes {
		if text == byTrap {
			text = fmt.Sprintf("%d %s", n, text)
		}
		notes = append(notes, text)
	}
	slices.Sort(notes)
	return append(list, notes...)
}
