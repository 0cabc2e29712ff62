package data

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const treeMagic = "PCTtree1"

// The words that a line of the file tree begins with.
const (
	treeStart = "start"
	treeExec  = "exec"
	treeMode  = "mode"
	treeDir   = "dir"
	treeEnd   = "end"
)

// How a process came that was not made by another one of the tree.
const (
	howLaunch = "launch"
	howAttach = "attach"
)

// TreeWriter appends to the file tree: what became of the processes of a run.
// Each call is a single write(2). After an error the file ends with the line
// before, and the writer can be used on. Its methods are for one goroutine.
//
// A process is known by its number from its Start on; a later Start of the same
// number is another process.
type TreeWriter struct {
	file *os.File
	size int64 // of the whole lines
}

// NewTree starts the file tree, which must not exist. It stands in the run
// directory of the first process.
func (d *Dir) NewTree() (*TreeWriter, error) {
	f, err := d.open(treeFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	claim(f)
	w := &TreeWriter{file: f}
	if err := w.write(treeMagic); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// Start says that a process is there from now on. how is "launch", "attach",
// "fork", "vfork" or "clone". But for the first two its program is its parent's
// until Exec.
func (w *TreeWriter) Start(t time.Time, pid, ppid int, how string) error {
	return w.line(treeStart, t, pid, strconv.Itoa(ppid), how)
}

// Exec says which program a process executes from now on; also once after Start
// where how is "launch" or "attach".
func (w *TreeWriter) Exec(t time.Time, pid int, exe string, argv []string) error {
	return w.line(treeExec, t, pid, append([]string{exe}, argv...)...)
}

// Mode says what is done with a process from now on: "sampled", "followed",
// "released", "setuid" or "waiting".
func (w *TreeWriter) Mode(t time.Time, pid int, word string) error {
	return w.line(treeMode, t, pid, word)
}

// Dir says that the program that a process executes now has a run directory: the
// one called name, beside the one that the tree is in.
func (w *TreeWriter) Dir(t time.Time, pid int, name string) error {
	return w.line(treeDir, t, pid, name)
}

// End says that a process ended, or was let go. cpu is its own CPU time, that of
// its children not included; status is "exit N", "signal SIGNAME" or "detached".
func (w *TreeWriter) End(t time.Time, pid int, cpu time.Duration, samples, lost uint64, status string) error {
	return w.line(treeEnd, t, pid, strconv.FormatInt(int64(cpu), 10),
		strconv.FormatUint(samples, 10), strconv.FormatUint(lost, 10), status)
}

// Close closes the file.
func (w *TreeWriter) Close() error { return w.file.Close() }

func (w *TreeWriter) line(word string, t time.Time, pid int, more ...string) error {
	fields := append([]string{word, strconv.FormatInt(t.UnixNano(), 10), strconv.Itoa(pid)}, more...)
	for i, f := range fields {
		fields[i] = escape(f)
	}
	return w.write(strings.Join(fields, "\t"))
}

func (w *TreeWriter) write(line string) error {
	n, err := w.file.WriteString(line + "\n")
	if err != nil {
		if n > 0 {
			err = errors.Join(err, w.file.Truncate(w.size))
		}
		return err
	}
	w.size += int64(n)
	return nil
}

// DamagedTree says that lines of a file tree could not be understood, or that
// its last line is not whole: its writer was killed or is just writing. All
// other lines were read.
type DamagedTree struct {
	Path  string
	Lines []int  // numbers of the lines passed over, from 1
	Why   string // what is wrong with the first of them
	Torn  bool   // the last line has no end; it is not one of Lines
}

func (d *DamagedTree) Error() string {
	var what []string
	switch {
	case len(d.Lines) == 1:
		what = append(what, fmt.Sprintf("line %d was skipped: %s", d.Lines[0], d.Why))
	case len(d.Lines) > 1:
		what = append(what, fmt.Sprintf("%d lines were skipped, the first is %d: %s", len(d.Lines), d.Lines[0], d.Why))
	}
	if d.Torn {
		what = append(what, "the last line is incomplete")
	}
	return d.Path + ": " + strings.Join(what, "; ")
}
