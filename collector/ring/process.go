package ring

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/gtick"
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
	runs      []*run        // by resource, those that have samples; see run
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
	if p.prog != nil {
		for _, r := range p.prog.runs {
			if r != nil {
				r.nodes = nil // they were found by addresses
				r.epoch++
			}
		}
	}
}

// readMaps reads what a process that runs has mapped.
func readMaps(pid int) []*mapping {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil
	}
	var maps []*mapping
	for line := range strings.Lines(string(text)) {
		// start-end perms offset dev inode path
		var words [5]string
		rest := strings.TrimSuffix(line, "\n")
		for i := range words {
			words[i], rest, _ = strings.Cut(rest, " ")
		}
		low, high, _ := strings.Cut(words[0], "-")
		start, err1 := strconv.ParseUint(low, 16, 64)
		end, err2 := strconv.ParseUint(high, 16, 64)
		offset, err3 := strconv.ParseUint(words[2], 16, 64)
		if err1 != nil || err2 != nil || err3 != nil || !strings.Contains(words[1], "x") {
			continue
		}
		maps = append(maps, &mapping{start: start, end: end, offset: offset, path: realPath(strings.TrimLeft(rest, " "))})
	}
	return maps
}

// realPath is a path without what the kernel says of deleted files.
func realPath(path string) string { return strings.TrimSuffix(path, " (deleted)") }

// readArgv returns the arguments of a process if it executes that file, else nil.
func readArgv(pid int, exe string) []string {
	if now, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err != nil || realPath(now) != exe {
		return nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(text, []byte{0})), "\x00")
}

// stat is what /proc/PID/stat tells.
type stat struct {
	state byte
	ppid  int
	sid   int
	cpu   time.Duration // of all its threads, those that ended too, to 10 ms
}

func readStat(pid int) (s stat, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, err
	}
	words := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const ppid, sid, utime, stime = 1, 3, 11, 12 // after the name
	if len(words) <= stime {
		return s, fmt.Errorf("/proc/%d/stat can't be understood", pid)
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(words[i])
		return n
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 everywhere but on Alpha and Itanium
	return stat{
		state: words[0][0], ppid: number(ppid), sid: number(sid),
		cpu: time.Duration(number(utime)+number(stime)) * tick,
	}, nil
}

// threadsOf lists the threads of a process.
func threadsOf(pid int) []int { return numbers(fmt.Sprintf("/proc/%d/task", pid)) }

// numbers lists the entries of a directory that are numbers.
func numbers(dir string) []int {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	var list []int
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// descendants lists the processes that descend from some of those given, and
// those too.
func descendants(pids []int) []int {
	children := map[int][]int{}
	for _, pid := range numbers("/proc") {
		if s, err := readStat(pid); err == nil {
			children[s.ppid] = append(children[s.ppid], pid)
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

// exeOf is the path of the program that a process executes.
func exeOf(pid int) string {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return ""
	}
	return realPath(exe)
}

// nameOf is what a program's run directory is named by.
func (p *program) nameOf() string {
	if p.exe == "" {
		return p.name
	}
	return filepath.Base(p.exe)
}

// run is where the samples of a resource are, nil if there are none so far.
func (p *program) run(resource int) *run {
	if resource >= len(p.runs) {
		return nil
	}
	return p.runs[resource]
}
