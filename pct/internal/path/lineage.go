package path

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

// libraryCollector is the one in the meta of runs of the library.
const libraryCollector = "libpct"

// A Process is a row of the process tree.
type Process struct {
	Depth     int // number of its ancestors in the tree
	Pid, Ppid int
	How       string        // "launch", "attach", "fork", "vfork", "clone", "library"; "" unknown
	State     string        // "running", "exit 0", "signal SIGKILL", "detached", "complete", "killed"; "" unknown, as its collector was killed
	Mode      string        // "sampled", "followed", "released", "setuid", "waiting"; "" unknown
	Start     time.Duration // since the start of the first process of its tree
	Wall      time.Duration // from its start to its end or, while it runs, to now; 0 unknown
	CPU       time.Duration // its own; 0 unknown
	Subtree   time.Duration // CPU time of itself and its descendants; 0 unknown
	Samples   uint64
	Lost      uint64
	Commands  []string // command lines of the programs that it executed, in order
}

// node is a process on its way to being a row.
type node struct {
	data.TreeProcess
	living bool   // and its collector with it
	dir    string // where the run directories of its programs are
	up     *node
	down   []*node
}

// Lineage returns the processes of run directories and all their descendants, each
// followed by its children. They are those of the trees that the runs belong to;
// of runs without a tree their meta says what is known. Warnings are sentences
// about what could not be read.
func (rd *Reader) Lineage(dirs []string, now time.Time) (rows []Process, warnings []string, err error) {
	roots, warnings, err := rd.lineage(dirs)
	if err != nil {
		return nil, nil, err
	}
	for _, root := range roots {
		origin := root
		for origin.up != nil {
			origin = origin.up
		}
		if err := rd.rows(root, &rows, 0, origin.Start, now); err != nil {
			return nil, nil, err
		}
	}
	return rows, warnings, nil
}

// Descendants returns the run directories of the processes that the ones given are
// of, and of all their descendants; each once. Warnings are as of Lineage.
func (rd *Reader) Descendants(dirs []string) (all, warnings []string, err error) {
	roots, warnings, err := rd.lineage(dirs)
	if err != nil {
		return nil, nil, err
	}
	var seen distinct // whole paths
	add := func(dir string) {
		if seen.add(absolute(dir)) {
			all = append(all, dir)
		}
	}
	// What was named stays, also where no tree names it.
	for _, dir := range dirs {
		add(filepath.Clean(runDir(dir)))
	}
	for _, root := range roots {
		root.each(func(n *node) {
			for _, dir := range n.dirs() {
				add(dir)
			}
		})
	}
	return all, warnings, nil
}

func absolute(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		return whole
	}
	return dir
}

// lineage finds the processes of run directories in their trees; none of those
// returned descends from another one.
func (rd *Reader) lineage(dirs []string) (roots []*node, warnings []string, err error) {
	trees := newFamilies()
	nodes := map[*family][]*node{}
	var alone []*run
	var chosen []*node
	isChosen := map[*node]bool{}
	for _, name := range dirs {
		dir := runDir(name)
		m, err := data.ReadMeta(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			warnings = append(warnings, err.Error())
		}
		f := trees.of(dir, m)
		i := -1
		if f != nil {
			i = f.index(dir, m)
		}
		if i < 0 {
			r, err := rd.read(dir)
			if err != nil {
				return nil, nil, err
			}
			alone = append(alone, &run{Run: r, name: filepath.Base(r.Dir), goesOn: r.Writing || r.Packed.Len() == 0})
			continue
		}
		if nodes[f] == nil {
			nodes[f] = f.nodes()
		}
		if n := nodes[f][i]; !isChosen[n] {
			isChosen[n] = true
			chosen = append(chosen, n)
		}
	}
	for _, n := range kinless(alone) {
		isChosen[n] = true
		chosen = append(chosen, n)
	}
	below := map[*node]bool{} // of those that were looked at: whether it descends from a chosen one
	for _, n := range chosen {
		if !n.below(isChosen, below) {
			roots = append(roots, n)
		}
	}
	return roots, append(warnings, trees.warnings...), nil
}

// below reports whether a process descends from a chosen one. What is found is kept in known, so that each
// process is asked for its parent once.
func (n *node) below(chosen, known map[*node]bool) bool {
	var asked []*node
	inner := false
	for at := n; at.up != nil; at = at.up {
		asked = append(asked, at)
		if is, ok := known[at.up]; ok || chosen[at.up] {
			inner = is || chosen[at.up]
			break
		}
	}
	for _, at := range asked {
		known[at] = inner
	}
	return inner
}

// nodes links the processes of a tree.
func (f *family) nodes() []*node {
	all := make([]*node, len(f.processes))
	for i, p := range f.processes {
		all[i] = &node{TreeProcess: p, living: f.writing && p.Status == "", dir: filepath.Dir(f.dir)}
	}
	link(all)
	return all
}

func link(all []*node) {
	for _, n := range all {
		if n.Parent >= 0 {
			n.up = all[n.Parent]
			n.up.down = append(n.up.down, n)
		}
	}
}

// kinless makes processes of runs that no tree tells about: from their metas.
func kinless(runs []*run) []*node {
	var all []*node
	for _, p := range group(runs, make([]*family, len(runs))) {
		first, last := p.runs[0], p.runs[len(p.runs)-1]
		n := &node{dir: filepath.Dir(absolute(first.Dir)), living: last.Meta.State == stateRunning && last.goesOn}
		n.Parent = -1
		n.Pid, n.Ppid, n.Start, n.End = first.Meta.Pid, first.Meta.Ppid, first.Meta.Start, last.Meta.End
		n.Status = last.Meta.Status
		if first.Meta.Collector == libraryCollector {
			n.How = "library"
		}
		if n.Status == "" && last.Meta.State != stateRunning {
			n.Status = last.Meta.State
		}
		for _, r := range p.runs {
			argv := r.Meta.Argv
			if len(argv) == 0 {
				argv = []string{r.commandLine()}
			}
			n.Programs = append(n.Programs, data.TreeProgram{Start: r.Meta.Start, Exe: r.Meta.Exe, Argv: argv, Dir: filepath.Base(r.Dir)})
			n.Programs[len(n.Programs)-1].Mode = "sampled"
			n.add(r.Run)
		}
		all = append(all, n)
	}
	slices.SortStableFunc(all, func(a, b *node) int { return a.Start.Compare(b.Start) })
	last := map[int]int{} // of the processes so far, the latest of each number
	for i, n := range all {
		if parent, ok := last[n.Ppid]; ok && n.Ppid != 0 {
			n.Parent = parent
		}
		last[n.Pid] = i
	}
	link(all)
	return all
}

// each does something to the process, then to its descendants.
func (n *node) each(do func(*node)) {
	do(n)
	for _, child := range n.down {
		child.each(do)
	}
}

// dirs are the run directories of the process that there are.
func (n *node) dirs() []string {
	var all []string
	for _, p := range n.Programs {
		all = append(all, n.programDirs(&p)...)
	}
	return all
}

// programDirs are those of one of its programs.
func (n *node) programDirs(p *data.TreeProgram) []string {
	var all []string
	for _, name := range p.Dirs() {
		dir := filepath.Join(n.dir, name)
		if _, err := os.Stat(dir); err == nil {
			all = append(all, dir)
		}
	}
	return all
}

// rows appends the rows of the process and of its descendants.
func (rd *Reader) rows(n *node, all *[]Process, depth int, origin, now time.Time) error {
	if err := rd.catchUp(n); err != nil {
		return err
	}
	at := len(*all)
	last := n.Programs[len(n.Programs)-1]
	p := Process{
		Depth: depth, Pid: n.Pid, Ppid: n.Ppid, How: n.How, State: n.Status, Mode: last.Mode,
		Start: n.Start.Sub(origin), CPU: n.CPU, Subtree: n.CPU, Samples: n.Samples, Lost: n.Lost, Commands: n.commands(),
	}
	switch {
	case !n.End.IsZero():
		p.Wall = n.End.Sub(n.Start)
	case n.living && !n.Start.IsZero():
		p.Wall = now.Sub(n.Start)
		p.State = cmp.Or(p.State, stateRunning)
	}
	*all = append(*all, p)
	for _, child := range n.down {
		row := len(*all)
		if err := rd.rows(child, all, depth+1, origin, now); err != nil {
			return err
		}
		(*all)[at].Subtree += (*all)[row].Subtree
	}
	return nil
}

// catchUp reads in the process's runs what its tree tells only at its end.
func (rd *Reader) catchUp(n *node) error {
	if n.Status != "" || !n.End.IsZero() { // how a process ended that was attached to is not always known
		return nil
	}
	n.CPU, n.Samples, n.Lost = 0, 0, 0
	for _, p := range n.Programs {
		before, most := n.CPU, time.Duration(0)
		for _, dir := range n.programDirs(&p) {
			runs, err := rd.readAll(dir)
			if err != nil {
				return fmt.Errorf("process %d: %w", n.Pid, err)
			}
			for _, r := range runs {
				n.add(r)
				most = max(most, cpuUsed(r)) // the runs of several resources are of the same time
			}
		}
		n.CPU = before + most
	}
	return nil
}

// add counts what is in a run of the process.
func (n *node) add(r *data.Run) {
	n.CPU += cpuUsed(r)
	n.Samples += r.Packed.Count
	for _, lost := range r.Lost {
		n.Lost += lost
	}
}

// commands are the command lines of the process's programs. The one that it was made
// with counts only if there is no other, or if it did something.
func (n *node) commands() []string {
	var all []string
	for _, p := range n.Programs {
		if p.Inherited && p.Dir == "" && len(n.Programs) > 1 {
			continue
		}
		line := strings.Join(p.Argv, " ")
		all = append(all, cmp.Or(line, p.Exe))
	}
	return all
}

// Alive reports whether the process runs, as far as is known.
func (p Process) Alive() bool { return p.State == stateRunning }

// cpuUsed is the CPU time of a run's program. Of one that was killed before it could say, it is
// what its samples stand for.
func cpuUsed(r *data.Run) time.Duration {
	used := cpuTime(r)
	if used == 0 && r.Header.Resource == resource.CPU {
		used = time.Duration(r.Packed.Count) * r.Header.Period
	}
	return used
}
