package session

import (
	"fmt"
	"os"

	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/syscalls"
)

// A probe of system calls needs no breakpoint and nothing of the program's symbols: the kernel stops the thread
// at both ends of each of its calls. What is told is told at the exit, when all of it is known, or when the thread
// has ended in the call.

// withPaths is what PROBE says for descriptors to be shown with what they stand for.
const withPaths = "paths"

// syscallWord is what PROBE calls the kind, and what the event begins with.
const syscallWord = "syscall"

// tracedCall is a thread's system call. It belongs to the tracing goroutine.
type tracedCall struct {
	syscalls.Call
	under bool // it has been entered, and not left
	began stopwatch
}

// tracesCalls reports whether any system calls are to be told.
func (p *process) tracesCalls() bool { return p.traced != syscalls.Set{} }

// probeCalls starts telling of system calls. Threads that run are stopped for an instant: from then on they stop at
// each call.
func (p *process) probeCalls(names, how string) error {
	set, err := syscalls.ParseSet(names)
	if how != "" && how != withPaths {
		return fmt.Errorf("PROBE: of system calls %q is not %q", how, withPaths)
	}
	if err != nil {
		err = fmt.Errorf("PROBE: %w", err)
		p.tracing(func() { p.refuse(err, p.now != nil && p.now.fresh && p == p.tree.root && !p.executed) })
		return nil
	}
	if p.free.Load() {
		return nil
	}
	p.tracing(func() {
		p.tree.timeCalls()
		before := p.tracesCalls()
		p.tracedPaths = p.tracedPaths || how == withPaths
		for i := range set {
			p.traced[i] |= set[i]
		}
		if before || !p.tracesCalls() {
			return
		}
		for _, th := range p.threads.all() {
			_ = p.tree.want(th, tracee.NoErrand) // it may have ended
		}
	})
	return nil
}

// traceCall is a thread at one end of a system call.
func (th *thread) traceCall(at *tracer.CallStop) {
	p, c := th.p, th.call
	switch {
	case !p.tracesCalls():
	case at.Way == tracer.CallEntry:
		if c != nil {
			c.under = false
		}
		if at.Foreign {
			p.tally.note("system calls of 32 bits are not told")
			return
		}
		if !p.traced.Has(at.Number) {
			return
		}
		if c == nil {
			c = &tracedCall{}
			th.call = c
		}
		c.Paths = nil
		if p.tracedPaths {
			c.Paths = th.file
		}
		c.Enter(syscalls.Entry{Number: at.Number, Args: at.Args, Stack: at.Stack}, p.memory)
		c.under, c.began = true, th.stopwatch
	case at.Way == tracer.CallExit && c != nil && c.under && p.traced.Has(c.Number()):
		c.Exit(at.Result, p.memory)
		c.under = false
		th.due = append(th.due, c.event(th.took(c.began)))
	}
}

// file is what a thread's descriptor stands for, "" if it is not open.
func (th *thread) file(fd int) string {
	link := "/proc/" + itoa(th.tid) + "/fd/" + itoa(fd)
	if fd == syscalls.CurrentDirectory {
		link = "/proc/" + itoa(th.tid) + "/cwd"
	}
	path, _ := os.Readlink(link)
	return path
}

// callEnds is a thread that has ended: the call that it was in has, too.
func (t *tree) callEnds(th *thread) {
	if c := th.call; c != nil && c.under {
		c.under = false
		if !th.p.traced.Has(c.Number()) {
			return // it was the execve of a program that has begun
		}
		c.End()
		th.p.tell(notice{kind: callEnded, thread: th, probe: c.event(th.took(c.began))})
	}
}

// event is what is told of a call that is over.
func (c *tracedCall) event(took took) *probeEvent {
	var line, value [256]byte
	v := c.AppendResult(value[:0])
	text := c.Append(line[:0])
	name := c.Name()
	args := text[len(name)+len("(") : len(text)-len(") = ")-len(v)]
	return &probeEvent{word: syscallWord, took: took, call: []string{"name", name, "args", string(args), "value", string(v)}}
}
