package path

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// A run is a run directory among those that are reported on together: what one
// program did in one process.
type run struct {
	*data.Run
	name    string        // PROG.PID
	offset  time.Duration // from the start of the first process of its tree to its own origin
	goesOn  bool          // a collector has its files open
	part    bool          // files with samples of the directory were left out
	kernel  []data.KernelSymbol
	process *process
}

// A process has a run for each program that it executed and that has samples.
type process struct {
	name string // PROG.PID: of the run directory of the program that it executed last
	runs []*run // in the order of their start
}

// A family is the file tree of a run.
type family struct {
	dir       string // the run directory that it is in
	processes []data.TreeProcess
	of        map[string]int // the process of a run directory
	writing   bool
}

// families reads the trees of runs, each once.
type families struct {
	known    map[string]*family
	warnings []string
}

// of returns the tree that the run in dir belongs to, nil if it has none.
func (t *families) of(dir string, m data.Meta) *family {
	at := m.TreeDir(dir)
	if at == "" {
		return nil
	}
	if f, ok := t.known[at]; ok {
		return f
	}
	f := t.read(at)
	t.known[at] = f
	return f
}

func newFamilies() *families { return &families{known: map[string]*family{}} }

func (t *families) read(dir string) *family {
	f := &family{dir: dir, of: map[string]int{}, writing: data.TreeWriting(dir)}
	var err error
	f.processes, err = data.ReadTree(dir)
	var damage *data.DamagedTree
	switch {
	case errors.As(err, &damage) && damage.Torn && len(damage.Lines) == 0 && f.writing:
		// Its writer is in the middle of a line.
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		t.warnings = append(t.warnings, err.Error())
	}
	if len(f.processes) == 0 {
		return nil
	}
	f.own()
	for i, p := range f.processes {
		for _, program := range p.Programs {
			for _, dir := range program.Dirs() {
				f.of[dir] = i
			}
		}
	}
	return f
}

// own gives the first process the run directory of the tree, which is there before
// anything happens and may go unmentioned.
func (f *family) own() {
	name := filepath.Base(f.dir)
	for _, p := range f.processes {
		for _, program := range p.Programs {
			if slices.Contains(program.Dirs(), name) {
				return
			}
		}
	}
	first := &f.processes[0].Programs[0]
	if first.Dir != "" {
		first.More = append(first.More, first.Dir)
	}
	first.Dir = name
}

// start is when the first process of the tree began.
func (f *family) start() time.Time { return f.processes[0].Start }

// index returns the process that a run directory is of: by its name, else the last
// process of its number that was there when the run began; -1 if none.
func (f *family) index(dir string, m data.Meta) int {
	if i, ok := f.of[filepath.Base(dir)]; ok {
		return i
	}
	found := -1
	for i, p := range f.processes {
		if p.Pid == m.Pid && (found < 0 || !p.Start.After(m.Start)) {
			found = i
		}
	}
	return found
}

// kin is what runs of one process have in common. Without a tree, runs of equal
// kin are one process only if they follow each other.
type kin struct {
	parent    string // directory
	tree      *family
	index     int
	host      string
	pid, ppid int
}

// kinOf returns the kin of a run, false if nothing is known of its process.
func kinOf(r *data.Run, f *family) (kin, bool) {
	whole, err := filepath.Abs(r.Dir)
	k := kin{parent: filepath.Dir(whole), host: r.Meta.Host, pid: r.Meta.Pid, ppid: r.Meta.Ppid}
	if f != nil {
		if i := f.index(r.Dir, r.Meta); i >= 0 {
			return kin{tree: f, index: i}, true
		}
	}
	return k, err == nil && k.pid != 0 && !r.Meta.Start.IsZero()
}

// between is how much later than the end of a program the next one of its process
// may start.
const between = time.Second

// group finds the process of each run.
func group(runs []*run, trees []*family) []*process {
	var all []*process
	byKin := map[kin][]*run{}
	for i, r := range runs {
		r.process = &process{name: r.name, runs: []*run{r}}
		if k, ok := kinOf(r.Run, trees[i]); ok {
			byKin[k] = append(byKin[k], r)
		}
	}
	for k, same := range byKin {
		slices.SortStableFunc(same, func(a, b *run) int { return a.Meta.Start.Compare(b.Meta.Start) })
		for i, r := range same[1:] {
			before := same[i]
			if k.tree == nil && !follows(before.Meta, r.Meta) {
				continue
			}
			p := before.process
			p.runs = append(p.runs, r)
			p.name = r.process.name
			r.process = p
		}
	}
	for _, r := range runs {
		if r.process.runs[0] == r {
			all = append(all, r.process)
		}
	}
	return all
}

// follows reports whether b, of the same process number, is the program that the
// process executed after a.
func follows(a, b data.Meta) bool {
	return a.End.IsZero() || b.Start.Sub(a.End) <= between
}

// cpu is the CPU time that the process's samples are of, 0 if unknown.
func (p *process) cpu() time.Duration {
	var used time.Duration
	for _, r := range p.runs {
		if r.Packed.Len() > 0 {
			used += cpuTime(r.Run)
		}
	}
	return used
}

// Process returns the name of the process of a number, as CallSample has it: PROG.PID.
func (rs *Runs) Process(number int) string { return rs.processes[number].name }
