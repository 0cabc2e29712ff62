package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/rogpeppe/go-internal/testscript"
)

// treeOrigin is the time 0 of the trees of makeTree.
var treeOrigin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// makeTree is the command "mktree SPEC": it writes the process tree and the run
// directories that SPEC describes, as a collector would. The lines of SPEC are those
// of a tree file, with times in ms, and a few more:
//
//	root PROG PID                       the run directory that the tree is in
//	dir TIME PID PROG                   makes the run directory PROG.PID, too
//	sample TIME PID COUNT CPU : FRAME…  so many samples 10 ms apart, the first when the
//	                                    process has used so many ms; a frame is an address
//	killed                              so was the collector, else it stays until the test ends
func makeTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mktree SPEC")
	}
	c := &collector{ts: ts, programs: map[int]*program{}}
	ts.Defer(c.close)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if words := strings.Fields(line); len(words) > 0 {
			c.line(words)
		}
	}
}

// collector writes what one would.
type collector struct {
	ts       *testscript.TestScript
	tree     *data.TreeWriter
	root     string
	programs map[int]*program // the one that each process executes
	writers  []*data.Writer
}

// program is one that a process executes.
type program struct {
	meta  data.Meta
	dir   *data.Dir
	cpu   time.Duration // of the process at the last sample
	began time.Duration // CPU time of the process when it was executed
	out   *data.Writer
}

func (c *collector) line(words []string) {
	if words[0] == "killed" {
		c.close()
		return
	}
	if words[0] == "root" {
		d, err := data.Create(c.ts.MkAbs("."), words[1], c.number(words[2]))
		c.ts.Check(err)
		c.root = filepath.Base(d.Path())
		c.tree, err = d.NewTree()
		c.ts.Check(err)
		p := &program{dir: d}
		c.programs[c.number(words[2])] = p
		return
	}
	at, pid := treeOrigin.Add(c.ms(words[1])), c.number(words[2])
	p := c.programs[pid]
	switch words[0] {
	case "start":
		if p == nil {
			p = &program{}
			c.programs[pid] = p
		}
		p.meta = data.Meta{Pid: pid, Ppid: c.number(words[3]), Start: at, Tree: c.root, State: "running"}
		if parent := c.programs[p.meta.Ppid]; parent != nil {
			p.meta.Exe, p.meta.Argv = parent.meta.Exe, parent.meta.Argv
		}
		c.ts.Check(c.tree.Start(at, pid, p.meta.Ppid, words[4]))
	case "exec":
		if p.out != nil {
			c.finish(p, at)
			p.dir, p.out = nil, nil
		}
		p.meta.Exe, p.meta.Argv, p.meta.Start = words[3], words[4:], at
		p.meta.State, p.meta.End, p.began = "running", time.Time{}, p.cpu
		if p.dir != nil {
			c.ts.Check(p.dir.WriteMeta(p.meta))
		}
		c.ts.Check(c.tree.Exec(at, pid, words[3], words[4:]))
	case "mode":
		c.ts.Check(c.tree.Mode(at, pid, words[3]))
	case "dir":
		c.open(p, words[3])
		c.ts.Check(c.tree.Dir(at, pid, filepath.Base(p.dir.Path())))
	case "sample":
		c.sample(p, at, words[3:])
	case "end":
		cpu := c.ms(words[3])
		p.cpu, p.meta.Status = cpu, strings.Join(words[6:], " ")
		c.finish(p, at)
		c.ts.Check(c.tree.End(at, pid, cpu, uint64(c.number(words[4])), uint64(c.number(words[5])), p.meta.Status))
		delete(c.programs, pid)
	default:
		c.ts.Fatalf("what is %s?", words[0])
	}
}

func (c *collector) open(p *program, prog string) {
	var err error
	if p.dir == nil {
		p.dir, err = data.Create(c.ts.MkAbs("."), prog, p.meta.Pid)
		c.ts.Check(err)
	}
	c.ts.Check(p.dir.WriteMeta(p.meta))
	p.out, err = p.dir.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond, Start: p.meta.Start})
	c.ts.Check(err)
	c.writers = append(c.writers, p.out)
}

// finish says that a program ended, by another one being executed or with the process.
func (c *collector) finish(p *program, at time.Time) {
	if p.dir == nil {
		return
	}
	p.meta.State, p.meta.End, p.meta.CPU = "complete", at, p.cpu-p.began
	c.ts.Check(p.dir.WriteMeta(p.meta))
}

func (c *collector) sample(p *program, at time.Time, words []string) {
	object := p.out.Object(p.meta.Exe, "", 0, 0x1000, 0x9000, 0)
	s := data.Sample{Thread: uint32(p.meta.Pid), Weight: 10000, CPU: c.ms(words[1]), Time: at.Sub(p.meta.Start)}
	for i := len(words) - 1; i > 2; i-- {
		vaddr, err := strconv.ParseUint(words[i], 0, 64)
		c.ts.Check(err)
		s.Node = p.out.Node(s.Node, object, vaddr)
	}
	for range c.number(words[0]) {
		c.ts.Check(p.out.Sample(s))
		p.cpu = s.CPU
		s.Time += 10 * time.Millisecond
		s.CPU += 10 * time.Millisecond
	}
}

func (c *collector) number(s string) int {
	n, err := strconv.Atoi(s)
	c.ts.Check(err)
	return n
}

func (c *collector) ms(s string) time.Duration {
	return time.Duration(c.number(s)) * time.Millisecond
}

// close is the end of the collector, by any means.
func (c *collector) close() {
	for _, w := range c.writers {
		c.ts.Check(w.Close())
	}
	c.writers = nil
	if c.tree != nil {
		c.ts.Check(c.tree.Close())
		c.tree = nil
	}
}
