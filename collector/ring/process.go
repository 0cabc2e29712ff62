package ring

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/profilecollection/pct/internal/gtick"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/unwind"
)

// mapping is a piece of a process's memory that holds code.
type mapping struct {
	start, end, offset uint64
	path, buildID      string
}

// process is one that is followed.
type process struct {
	pid, ppid int
	threads   map[int]bool
	maps      []*mapping // ascending; shared with relatives, so replaced and not changed
	prog      *program   // nil while it's still our launcher
	held      []record   // samples that came before the program's path
	attached  bool
	began     time.Duration // CPU time that it had used when it was attached to
	programs  int           // executed so far
	missing   bool          // it was not there when it was looked for
	samples   uint64
	cpu       time.Duration    // that the samples stand for
	unwinder  *unwind.Unwinder // of call paths; nil: none so far
	followed  bool             // it knows maps
	timers    []gtick.Timer    // by resource, of those that the kernel has none for
}

// program is what a process executes, from an exec or a fork on.
type program struct {
	pid, ppid int
	name      string // the kernel's short one
	exe       string // "" not known yet
	buildID   string // of it
	argv      []string
	start     time.Duration // on the clock of the records
	run       *run          // nil: nothing of it is kept so far
}

// find returns the mapping of an address, or nil.
func (p *process) find(addr uint64) *mapping {
	i, _ := slices.BinarySearchFunc(p.maps, addr, func(m *mapping, a uint64) int {
		if m.end <= a {
			return -1
		}
		return 1
	})
	if i < len(p.maps) && p.maps[i].start <= addr {
		return p.maps[i]
	}
	return nil
}

// mapped adds a mapping in place of what was there.
func (p *process) mapped(m *mapping) {
	maps := make([]*mapping, 0, len(p.maps)+1)
	for _, old := range p.maps {
		if old.end <= m.start || old.start >= m.end {
			maps = append(maps, old)
			continue
		}
		if old.start < m.start {
			left := *old
			left.end = m.start
			maps = append(maps, &left)
		}
		if old.end > m.end {
			right := *old
			right.offset += m.end - old.start
			right.start = m.end
			maps = append(maps, &right)
		}
	}
	at, _ := slices.BinarySearchFunc(maps, m.start, func(m *mapping, start uint64) int {
		if m.start < start {
			return -1
		}
		return 1
	})
	p.maps = slices.Insert(maps, at, m)
	p.followed = false
	if p.prog != nil && p.prog.run != nil {
		for _, to := range p.prog.run.of {
			if to != nil {
				to.nodes = nil // they were found by addresses
				to.epoch++
			}
		}
	}
}

// readMaps reads what a process that runs has mapped.
func readMaps(pid int) []*mapping {
	all, err := proc.Maps(pid)
	if err != nil {
		return nil
	}
	var maps []*mapping
	for _, m := range all {
		if m.Executable {
			maps = append(maps, &mapping{start: m.Start, end: m.End, offset: m.Offset, path: proc.PathOf(m.Path)})
		}
	}
	return maps
}

// readArgv returns the arguments of a process if it executes that file, else nil.
func readArgv(pid int, exe string) []string {
	if now, err := proc.Exe(pid); err != nil || now != exe {
		return nil
	}
	return proc.Args(pid)
}

// descendants lists the processes that descend from some of those given, and
// those too.
func descendants(pids []int) []int {
	children := map[int][]int{}
	for _, pid := range proc.All() {
		if s, err := proc.ReadStat(pid); err == nil {
			children[s.Ppid] = append(children[s.Ppid], pid)
		}
	}
	all := slices.Clone(pids)
	for i := 0; i < len(all); i++ {
		for _, child := range children[all[i]] {
			if !slices.Contains(all, child) {
				all = append(all, child)
			}
		}
	}
	return all
}

// nameOf is what a program's run directory is named by.
func (p *program) nameOf() string {
	if p.exe == "" {
		return p.name
	}
	return filepath.Base(p.exe)
}

// samples is where those of a resource are, nil if there are none so far.
func (p *program) samples(resource int) *samples {
	if p.run == nil {
		return nil
	}
	return p.run.of[resource]
}
