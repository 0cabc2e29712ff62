package session

import (
	"os"
	"slices"
	"time"

	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/unwind"
)

// readAllSymbols makes the debugger read every object that it has not read
// yet. It returns whether there was any.
func (p *process) readAllSymbols() bool {
	if !p.needObjects() {
		return false
	}
	before := len(p.symbols)
	p.readSymbols(p.unwinder.Objects()...)
	return len(p.symbols) > before
}

// readPathSymbols makes it read the program and the objects of some frames:
// big libraries take it long, and meanwhile it sees no thread begin or end.
func (p *process) readPathSymbols(frames []unwind.Frame) {
	p.readSymbols(p.pathObjects(frames)...)
}

func (p *process) pathObjects(frames []unwind.Frame) []*unwind.Object {
	var objects []*unwind.Object
	for _, o := range p.unwinder.Objects() {
		if o.Path == p.exe {
			objects = append(objects, o)
		}
	}
	for _, f := range frames {
		if f.Object != nil && !slices.Contains(objects, f.Object) {
			objects = append(objects, f.Object)
		}
	}
	return objects
}

func (p *process) readSymbols(objects ...*unwind.Object) {
	for _, o := range objects {
		if p.symbols[o] {
			continue
		}
		p.symbols[o] = true
		path := o.Path
		switch o.Kind {
		case unwind.VDSO:
			if path = p.copyVDSO(o); path == "" {
				continue
			}
		case unwind.Anon:
			continue
		}
		if _, _, err := p.ask(time.Now().Add(answerTime), p.link.table.Symbols(p.anyShown(), path, o.Bias)); err != nil && !p.free.Load() {
			p.tree.sayOnce("no symbols of %s: %v", path, err)
		}
	}
}

// needObjects finds out what is mapped into the process, once that is wanted.
func (p *process) needObjects() bool {
	if p.unwinder != nil {
		return true
	}
	u, err := unwind.New(p.pid, p.tree.cache)
	if err != nil {
		return false // it's ending
	}
	u.Keep = p.tree.habit(p.rule).evaluates
	p.unwinder = u
	return true
}

// forgetObjects is for a process that executes another program, or has ended.
func (p *process) forgetObjects() {
	if p.unwinder != nil {
		p.unwinder.Close()
		p.unwinder = nil
	}
	clear(p.symbols)
	clear(p.files)
	p.local = nil
	clear(p.matchers)
	for _, c := range p.closers {
		c.Close()
	}
	p.closers = nil
}

// copyVDSO makes a file of the vdso, which has none: one of ours without a
// name, that the debugger can read as long as we live.
func (p *process) copyVDSO(o *unwind.Object) string {
	image := make([]byte, o.End-o.Start)
	if p.memory.ReadAt(image, o.Start) != len(image) {
		return ""
	}
	f, err := os.CreateTemp("", "pct-vdso-")
	if err != nil {
		return ""
	}
	os.Remove(f.Name())
	if _, err := f.Write(image); err != nil {
		f.Close()
		return ""
	}
	p.closers = append(p.closers, f)
	return proc.Entry(os.Getpid(), "fd/"+itoa(int(f.Fd())))
}
