package session

import (
	"debug/elf"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/proc"
)

// programs is what clocks have to know of the executables and libraries that processes
// run. It belongs to the tracing goroutine.
type programs struct {
	files     map[fileID]fileFacts
	processes map[int]processFacts
}

type fileID struct {
	dev, inode uint64
	change     unix.Timespec
}

type fileFacts struct {
	waits  bool // for signals, without a handler
	golang bool
	leaks  bool // looks for leaks at its end
}

type processFacts struct {
	fileFacts
	of        fileID // its executable
	first, at time.Time
}

// It's found out again whether a process has loaded more, the rarer the longer it runs the program.
const (
	soonest = 5 * time.Millisecond
	rarest  = time.Second
)

// waiting are the functions by which a program takes, or sees, a signal that it blocks.
var waiting = []string{"sigwait", "sigwaitinfo", "sigtimedwait", "signalfd", "sigpending"}

// waits reports whether a process may come to look for signals that it blocks, as far as the
// names in its files tell.
func (ps *programs) waits(pid int) bool { return ps.process(pid).waits }

// tolerates reports whether the process executes a Go program: its runtime
// catches every signal, uses SIGURG itself, and does nothing about one too
// many or too few, so it can share it.
func (ps *programs) tolerates(pid int) bool { return ps.process(pid).golang }

func (ps *programs) process(pid int) processFacts {
	of, err := identify(proc.Entry(pid, "exe"))
	if err != nil {
		return processFacts{}
	}
	known, ok := ps.processes[pid]
	now := time.Now()
	if !ok || known.of != of {
		known = processFacts{of: of, first: now}
	} else if now.Sub(known.at) < min(max(soonest, known.at.Sub(known.first)), rarest) {
		return known
	}
	if ps.processes == nil {
		ps.processes = make(map[int]processFacts)
	}
	known.at, known.fileFacts = now, ps.file(proc.Entry(pid, "exe"))
	for _, path := range mappedFiles(pid) {
		known.waits = known.waits || ps.file(proc.Entry(pid, "root"+path)).waits
	}
	ps.processes[pid] = known
	return known
}

// forget is for a process that has ended.
func (ps *programs) forget(pid int) { delete(ps.processes, pid) }

func (ps *programs) file(path string) fileFacts {
	id, err := identify(path)
	if err != nil {
		return fileFacts{}
	}
	facts, ok := ps.files[id]
	if !ok {
		if ps.files == nil {
			ps.files = make(map[fileID]fileFacts)
		}
		facts = readFacts(path)
		ps.files[id] = facts
	}
	return facts
}

func identify(path string) (fileID, error) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	return fileID{st.Dev, st.Ino, st.Ctim}, err
}

// readFacts reads one file. Its functions are those that it calls of others, or of a
// static program those that it has.
func readFacts(path string) (facts fileFacts) {
	f, err := object.Open(path)
	if err != nil {
		return facts
	}
	defer f.Close()
	facts.leaks = linksLeakCheck(f)
	facts.golang = f.IsGo()
	names, err := f.ImportedSymbols()
	if err == nil && len(names) > 0 {
		facts.waits = slices.ContainsFunc(names, func(s elf.ImportedSymbol) bool { return slices.Contains(waiting, s.Name) })
		return facts
	}
	if all, err := f.Symbols(); err == nil && !facts.golang {
		facts.waits = slices.ContainsFunc(all, func(s elf.Symbol) bool { return slices.Contains(waiting, s.Name) })
	}
	return facts
}

// mappedFiles are the paths of the files of which a process has mapped code.
func mappedFiles(pid int) []string {
	maps, err := proc.Maps(pid)
	if err != nil {
		return nil
	}
	var paths []string
	for _, m := range maps {
		if m.Executable && strings.HasPrefix(m.Path, "/") && !slices.Contains(paths, m.Path) {
			paths = append(paths, m.Path)
		}
	}
	return paths
}
