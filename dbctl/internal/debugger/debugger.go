// Package debugger is a debugger as a table: the words that dbctl sends to
// one and the events that it reads from one. The engine knows no debugger by
// name; a second debugger is a second Table.
package debugger

import (
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// Kind tells what an Event is; its comment is what the session must do.
type Kind int

const (
	// None: nothing happened that anyone asked for; go on reading.
	None Kind = iota
	// Tick: a thread stands still for a watched signal, of which nothing more
	// is to be said.
	Tick
	// Stopped: a thread stands still for a signal, a step or a request;
	// offer it to the script, then resume the thread.
	Stopped
	// Breakpoint: a thread stands still at a breakpoint, watchpoint or
	// catchpoint of the script; offer it, then resume the thread.
	Breakpoint
	// Syscall: a thread stands still at the entry or return of a call.
	Syscall
)

// Event is something that happened in the process, read from one record of
// the debugger.
type Event struct {
	Kind   Kind
	Thread int      // the debugger's number of the thread, 0 for none
	Reason string   // "exited", "signal-received", … as the debugger said it
	Signal string   // Stopped and Tick: "SIGSEGV"
	Number string   // Breakpoint: which
	Change []string // Breakpoint: the value that is watched before and now; nil: it is no watchpoint

	PC uint64 // of a thread that stands still

	Func, File, Line string // where, as the debugger knows it
	Enter            bool   // Syscall: entry, not return
	Name             string // Syscall: which
}

// Stands reports whether the event's thread stands still until it's resumed.
func (e Event) Stands() bool {
	switch e.Kind {
	case Tick, Stopped, Breakpoint, Syscall:
		return true
	}
	return false
}

// Table is one debugger: how it's started, prepared and asked, and how its
// records are read.
type Table struct {
	Name string
	// Args start it; it reads commands on its standard input.
	Args []string
	// Program, if not "", is what it reads from descriptor 3 as it starts.
	Program string
	// Environ, if not nil, changes the environment for a debugger of this path.
	Environ func(path string, environ []string) []string
	// Memory is what one takes, in bytes, with the symbols of a small program and its libraries.
	Memory uint64
	// Copied says that others are copied from a prepared one, if that can be had.
	Copied bool
	// Setup prepares it, before it has a process. All must succeed.
	Setup []string
	// Unshared are those of Setup that a copy of a prepared debugger, made by
	// fork, doesn't inherit: they depend on its standard output.
	Unshared []string
	// Version asks for its version; Supported judges the answer's text.
	Version   string
	Supported func(text string) error

	// Connect takes a process that a server holds for us, over its Unix socket.
	Connect func(socket string) []string
	// Look, if not nil, has it see a thread that stands still, by the kernel's id, which names the
	// thread from then on. Such a debugger sees one at a time, and tells of no event; what the
	// comments below say of threads that run and go on is not its affair.
	Look func(tid int) string
	// Hit asks it which breakpoint a thread has met that it sees. ReadHit reads the answer; false: none.
	Hit     func(thread int) string
	ReadHit func(r *mi.Record) (Event, bool)
	// ReadPoints reads from an answer where breakpoints are to be; false: it does not say.
	ReadPoints func(r *mi.Record) (addresses []uint64, ok bool)
	// Continue lets a thread go on.
	Continue func(thread int) string
	// Threads asks for the kernel's thread ids; ReadThreads reads the answer.
	Threads     string
	ReadThreads func(r *mi.Record) map[int]int
	// Symbols makes it read an object mapped with the bias. The thread, which may be 0, is one that
	// stands still: without one, watchpoints may be lost.
	Symbols func(thread int, path string, bias uint64) string
	// Command is a script's command for a thread, on the wire.
	Command func(thread int, text string) string
	// Resumes reports whether a script's command lets the thread run.
	Resumes func(text string) bool
	// Running reports whether an error says that the thread of the command runs.
	Running func(message string) bool
	// Hardware tells what to use in place of a script's command that only the
	// processor's debug registers can serve; "" for all others.
	Hardware func(text string) (instead string)
	// Watches reports whether a script's command sets a watchpoint that needs no debug register
	// after WatchBySteps, by which the debugger steps each instruction instead.
	Watches      func(text string) bool
	WatchBySteps string
	// NoThreadLocal reports whether an error says that the debugger does not find thread-local variables.
	NoThreadLocal func(message string) bool
	// Ended reports whether an error says that the thread of a command has ended.
	Ended func(message string) bool
	// Evaluate works out an expression in the thread's frame with this
	// canonical frame address; the answer to the last command holds what
	// Value reads.
	Evaluate func(thread int, cfa uint64, expression string) []string
	Value    func(r *mi.Record) string
	// Frames lists a thread's frames, inlined ones too, as ReadFrames reads
	// them, innermost first; EvaluateAt works in the frame of that number.
	Frames     func(thread int) string
	ReadFrames func(r *mi.Record) []string
	EvaluateAt func(thread, level int, expression string) []string

	// Decode reads one record.
	Decode func(r *mi.Record) Event
}

// Of is the table of the debugger at a path, or of this name: an lldb by its name, else a gdb.
func Of(path string) *Table {
	if strings.HasPrefix(filepath.Base(path), "lldb") {
		return LLDB()
	}
	return GDB()
}
