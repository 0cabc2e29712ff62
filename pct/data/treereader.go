package data

import (
	"errors"
	"fmt"
	"github.com/profilecollection/pct/internal/regular"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TreeProcess is a process of a run, as its file tree tells.
type TreeProcess struct {
	Pid, Ppid  int    // Ppid is the parent that made it, or at the attach had it
	How        string // "launch", "attach", "fork", "vfork", "clone"
	Start, End time.Time
	Parent     int           // index of the parent among the processes, -1 if it is none of them
	Programs   []TreeProgram // in the order in which they were executed; one or more
	CPU        time.Duration // its own; known when it has ended
	Samples    uint64        // known when it has ended
	Lost       uint64        // known when it has ended
	Status     string        // "exit 0", "signal SIGKILL", "detached"; "" while it lives
}

// TreeProgram is a program that a process executed.
type TreeProgram struct {
	Start     time.Time
	Inherited bool // of the parent: the process was made with it
	Exe       string
	Argv      []string
	Mode      string // what was done with it last: "sampled", "followed", "released", "setuid", "waiting"; "" unknown
	Dir       string // its run directory, beside the one of the tree; "" if it has none

	More []string // more of them, of a program that several resources were measured of
}

// Dirs are the names of all run directories of the program.
func (p *TreeProgram) Dirs() []string {
	if p.Dir == "" {
		return nil
	}
	return append([]string{p.Dir}, p.More...)
}

// TreeDir returns the run directory that holds the file tree of the run in dir,
// whose meta is m; "" if there is none.
func (m Meta) TreeDir(dir string) string {
	whole, err := filepath.Abs(dir)
	if err != nil || !element(m.Tree) {
		return ""
	}
	return filepath.Join(filepath.Dir(whole), m.Tree)
}

// ReadTree reads the file tree in a run directory, at any instant of its life.
// Processes are in the order of their start. Where lines are damaged or the last
// one is torn, what the others say is returned together with a *DamagedTree
// error. It is an fs.ErrNotExist error if there is no tree.
func ReadTree(dir string) ([]TreeProcess, error) {
	path := filepath.Join(dir, treeFile)
	src, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	first, rest, whole := strings.Cut(string(src), "\n")
	if !whole && strings.HasPrefix(treeMagic, first) {
		return nil, &DamagedTree{Path: path, Torn: true}
	}
	if first != treeMagic {
		return nil, fmt.Errorf("%s is not a tree file of a known version", path)
	}
	processes, damage := decodeTree(rest)
	if damage.Torn || len(damage.Lines) > 0 {
		damage.Path = path
		return processes, &damage
	}
	return processes, nil
}

// TreeWriting reports whether a collector has the file tree in a run directory
// open for writing.
func TreeWriting(dir string) bool { return claimed(filepath.Join(dir, treeFile)) }

// decodeTree reads what follows the first line of a tree.
func decodeTree(text string) ([]TreeProcess, DamagedTree) {
	tree := treeReader{living: map[int]int{}}
	var damage DamagedTree
	number := 1
	for line := range strings.Lines(text) {
		number++
		line, whole := strings.CutSuffix(line, "\n")
		if !whole {
			damage.Torn = true
			break
		}
		if err := tree.line(line); err != nil {
			damage.Lines = append(damage.Lines, number)
			if damage.Why == "" {
				damage.Why = err.Error()
			}
		}
	}
	tree.adopt()
	return tree.processes, damage
}

type treeReader struct {
	processes []TreeProcess
	living    map[int]int // by pid: index of the latest process of that number
}

// treeLine is one line without its word: the fields that all have, and the rest.
type treeLine struct {
	time time.Time
	pid  int
	rest []string
}

// treeWords are what the lines do, and how many fields follow the pid: a later
// version may add some at the end, but for those of exec, which are arguments.
var treeWords = map[string]struct {
	fields int
	do     func(*treeReader, *TreeProcess, treeLine) error
}{
	treeStart: {2, (*treeReader).start},
	treeExec:  {1, (*treeReader).exec},
	treeMode:  {1, (*treeReader).mode},
	treeDir:   {1, (*treeReader).dir},
	treeEnd:   {4, (*treeReader).end},
}

var errTreeLine = errors.New("a field is missing or is not a number")

// line takes in a line. Words that are not known are of a later version.
func (t *treeReader) line(line string) error {
	fields := strings.Split(line, "\t")
	for i, f := range fields {
		var err error
		if fields[i], err = unescape(f); err != nil {
			return err
		}
	}
	word, known := treeWords[fields[0]]
	switch {
	case !known && fields[0] != "" && len(fields) > 1:
		return nil
	case !known || len(fields) < 3+word.fields:
		return errTreeLine
	}
	ns, err1 := strconv.ParseInt(fields[1], 10, 64)
	pid, err2 := strconv.Atoi(fields[2])
	if err1 != nil || err2 != nil || pid <= 0 {
		return errTreeLine
	}
	var p *TreeProcess
	if i, ok := t.living[pid]; ok {
		p = &t.processes[i]
	} else if fields[0] != treeStart {
		return fmt.Errorf("process %d did not start", pid)
	}
	return word.do(t, p, treeLine{time.Unix(0, ns), pid, fields[3:]})
}

func (t *treeReader) start(_ *TreeProcess, l treeLine) error {
	ppid, err := strconv.Atoi(l.rest[0])
	if err != nil || ppid < 0 {
		return errTreeLine
	}
	p := TreeProcess{Pid: l.pid, Ppid: ppid, How: l.rest[1], Start: l.time, Parent: -1}
	program := TreeProgram{Start: l.time, Inherited: true}
	if parent, ok := t.living[ppid]; ok {
		p.Parent = parent
		of := t.processes[parent].Programs
		program.Exe, program.Argv = of[len(of)-1].Exe, of[len(of)-1].Argv
	}
	p.Programs = []TreeProgram{program}
	t.living[l.pid] = len(t.processes)
	t.processes = append(t.processes, p)
	return nil
}

// adopt finds the parents of processes that were attached to before those were.
func (t *treeReader) adopt() {
	first := map[int]int{}
	for i, p := range slices.Backward(t.processes) {
		first[p.Pid] = i
	}
	for i := range t.processes {
		p := &t.processes[i]
		parent, ok := first[p.Ppid]
		if ok && p.Parent < 0 && p.How == howAttach && t.processes[parent].How == howAttach && !t.descends(parent, i) {
			p.Parent = parent
		}
	}
}

// descends reports whether process i is a, or a descendant of it.
func (t *treeReader) descends(i, a int) bool {
	for ; i >= 0; i = t.processes[i].Parent {
		if i == a {
			return true
		}
	}
	return false
}

// exec adds a program, in place of the one that a process which was not made by
// another one has for the time being.
func (t *treeReader) exec(p *TreeProcess, l treeLine) error {
	last := p.last()
	program := TreeProgram{Start: l.time, Exe: l.rest[0], Argv: l.rest[1:], Mode: last.Mode}
	if last.Inherited && (p.How == howLaunch || p.How == howAttach) {
		program.Dir, program.More = last.Dir, last.More
		*last = program
		return nil
	}
	p.Programs = append(p.Programs, program)
	return nil
}

func (t *treeReader) mode(p *TreeProcess, l treeLine) error {
	p.last().Mode = l.rest[0]
	return nil
}

func (t *treeReader) dir(p *TreeProcess, l treeLine) error {
	if !element(l.rest[0]) {
		return fmt.Errorf("%q cannot be the name of a run directory", l.rest[0])
	}
	switch last := p.last(); {
	case last.Dir == "":
		last.Dir = l.rest[0]
	case !slices.Contains(last.Dirs(), l.rest[0]):
		last.More = append(last.More, l.rest[0])
	}
	return nil
}

func (t *treeReader) end(p *TreeProcess, l treeLine) error {
	cpu, err1 := strconv.ParseInt(l.rest[0], 10, 64)
	samples, err2 := strconv.ParseUint(l.rest[1], 10, 64)
	lost, err3 := strconv.ParseUint(l.rest[2], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return errTreeLine
	}
	p.End, p.CPU, p.Samples, p.Lost, p.Status = l.time, time.Duration(cpu), samples, lost, l.rest[3]
	return nil
}

func (p *TreeProcess) last() *TreeProgram { return &p.Programs[len(p.Programs)-1] }
