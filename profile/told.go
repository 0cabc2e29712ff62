package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// told is what the library told of a run: its run directories, and notes. A note is known by its name, that of the
// enum in collector/note.h without NOTE_, or one of those here; the library has put it into words.
type told struct {
	dirs  []string
	notes []libraryNote
	short bool // what it told, or wrote, may not be all
}

type libraryNote struct {
	name, sentence string
	processes      int // that told it
}

// Names of notes that no process tells of itself.
const (
	noteUnmeasured = "UNMEASURED" // a program that can't have the library was executed
	noteNested     = "NESTED"     // another profile was run on the way
)

// A meaning is what a note means for the report.
type meaning int

const (
	unsampled meaning = 1 << iota // it explains why CPU time is in no sample
	lost                          // there are samples that could not be kept
	userMode                      // time in the kernel is in no sample
	noFaults                      // page faults are not sampled
	noFPE                         // nor floating point exceptions
	uncounted                     // calls are not counted
)

// meanings are those of notes that mean more than they say.
var meanings = map[string]meaning{
	"NO_DIRECTORY": unsampled | lost, "DISK_FULL": unsampled | lost, "FILE_LIMIT": unsampled | lost, "NO_FILE": unsampled | lost, "TABLE_FULL": unsampled | lost,
	"PATHS_FULL": unsampled | lost, "PATHS_MEMORY": unsampled | lost,
	"TICK_RATE": unsampled, "NO_CLOCK": unsampled, "NO_SIGNAL": unsampled, "PENDING_LIMIT": unsampled, "SIGNAL_LOST": unsampled, "GO": unsampled, "CONFINED": unsampled,
	"EVENTS_KERNEL": unsampled, "EVENTS_STACKS": unsampled, noteNested: unsampled,
	"EVENTS_REFUSED": unsampled | noFaults, "EVENTS_SIGNAL": unsampled | noFaults,
	"FPE_SIGNALS": noFPE, "FPE_MASKS": noFPE, "FPE_NONE": noFPE,
	"USER_TIME":         userMode,
	"UNCOUNTED_MACHINE": uncounted, "UNCOUNTED_LINKED": uncounted, "UNCOUNTED_RESOURCES": uncounted, "UNCOUNTED_UNWINDER": uncounted,
	"UNCOUNTED_SHADOW": uncounted, "UNCOUNTED_OCAML": uncounted, "UNCOUNTED_THREADS": uncounted,
}

// noteNoDirectory is the one that we know more of.
const noteNoDirectory = "NO_DIRECTORY"

// readTold reads the library's file.
func readTold(file string) (t told, err error) {
	f, err := os.Open(file)
	if err != nil {
		return t, err
	}
	defer f.Close()
	dirs, heard, at := map[string]bool{}, map[[2]string]bool{}, map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.SplitN(lines.Text(), "\t", 4)
		switch {
		case len(words) >= 2 && words[0] == "dir":
			dir := strings.Join(words[1:], "\t")
			if !dirs[dir] {
				dirs[dir], t.dirs = true, append(t.dirs, dir)
			}
		case len(words) == 4 && words[0] == "note":
			pid, name, sentence := words[1], words[2], words[3]
			// A process that executes several programs tells of itself in each; of what it starts, once for each.
			if heard[[2]string{pid, sentence}] && name != noteUnmeasured {
				continue
			}
			heard[[2]string{pid, sentence}] = true
			i, known := at[sentence]
			if !known {
				i = len(t.notes)
				at[sentence] = i
				t.notes = append(t.notes, libraryNote{name: name, sentence: sentence})
			}
			t.notes[i].processes++
		}
	}
	return t, nil
}

// of returns the first note that means something, nil if none does.
func (t told) of(m meaning) *libraryNote {
	i := slices.IndexFunc(t.notes, func(n libraryNote) bool { return meanings[n.name]&m != 0 })
	if i < 0 {
		return nil
	}
	return &t.notes[i]
}

// troubled reports whether CPU time may be in no sample, as was told.
func (t told) troubled() bool { return t.short || t.of(unsampled) != nil }

// smallest is the size of files that the library wants to be permitted: it does not run into the limit for the program.
const smallest = 1 << 32

// hear reads what the library told and tells the user.
func (p *session) hear() told {
	t, _ := readTold(p.told())
	for _, n := range t.notes {
		text := n.sentence
		if n.name == noteNoDirectory {
			if err := p.unwritable(someBytes); err != nil {
				text = fmt.Sprintf("nothing is recorded: cannot create a run directory in %s: %s", p.data, reason(err))
			}
		}
		if n.processes > 1 {
			text += fmt.Sprintf(" (%d processes)", n.processes)
		}
		fmt.Fprintf(p.stderr, "profile: %s\n", text)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err == nil && limit.Cur < smallest {
		t.short = true
		if len(t.dirs) == 0 {
			p.say([]note{{id: smallFiles}})
			t.notes = append(t.notes, libraryNote{name: noteNoDirectory})
		}
	} else if f, err := os.OpenFile(p.told(), os.O_WRONLY|os.O_APPEND, 0); err != nil || !appends(f) {
		p.say([]note{{listTorn, []any{p.told()}}})
		t.short = true
	}
	return t
}

// appends writes an empty line, as a process might have.
func appends(f *os.File) bool {
	_, err := f.WriteString("\n")
	return f.Close() == nil && err == nil
}

// someBytes are as many as the data take at the least.
const someBytes = 8192

// kept leaves out directories without samples, which are made where there was no room for more.
func kept(dirs []string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool {
		entries, err := os.ReadDir(dir)
		return err != nil || !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
			return !strings.HasPrefix(e.Name(), ".") && e.Name() != "meta"
		})
	})
}
