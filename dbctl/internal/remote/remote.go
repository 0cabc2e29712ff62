// Package remote is the far end of gdb's remote serial protocol: it lets a gdb
// debug a process that somebody else traces.
//
// The protocol is the one that gdb 13 speaks to "target extended-remote", in
// its non-stop form with ids of processes and threads (pPID.TID), on x86-64
// Linux. One Server serves one connection about one process. It asks a Process
// for registers and memory, tells it of breakpoints and of what shall run, and
// is told when a thread has stopped. It holds no process, file or clock.
//
// What gdb wasn't told of it thinks running, and what it was told stands still
// nobody but gdb resumes. If the debugger goes, in whatever way, Serve takes
// its breakpoints out and returns; what still stands is then the owner's to
// resume.
package remote

import "golang.org/x/sys/unix"

// Process is the process that is debugged, in the hands of its tracer. The
// methods are called one at a time, by a goroutine of the server, never from
// within Stopped or Ended, and not after Serve has returned. None may wait for
// anything that the process does.
type Process interface {
	Pid() int
	// Threads gives the kernel's ids of the threads that live.
	Threads() []int
	// Registers gives those of a thread; false if it doesn't stand still.
	Registers(tid int) (Registers, bool)
	SetRegisters(tid int, r Registers) error
	// ReadMemory fills b from addr on and returns the number of bytes that
	// could be read. Where Insert has put breakpoints it gives what the
	// program had there.
	ReadMemory(b []byte, addr uint64) int
	// WriteMemory writes all of b, under the breakpoints that are inserted
	// there, or says why not. Text is written too.
	WriteMemory(b []byte, addr uint64) error
	// Insert puts a software breakpoint at addr; one that is there is fine.
	Insert(addr uint64) error
	// Remove takes it out; one that isn't there is fine.
	Remove(addr uint64) error
	// Watch sets a hardware watchpoint, for all threads.
	Watch(kind WatchKind, addr, length uint64) error
	Unwatch(kind WatchKind, addr, length uint64) error
	// Resume lets a thread go on, for one instruction if step, with a signal
	// of the kernel's number, 0 for none. Its next stop is told by Stopped.
	Resume(tid int, step bool, signal int)
	// Halt asks for a stop of a running thread, which Stopped then tells, with
	// Signal 0 if there was no other reason.
	Halt(tid int)
	// CatchCalls says which system calls shall stop a thread at entry and
	// return: those of the given numbers, all if there are none, or none if
	// it is off.
	CatchCalls(numbers []int, on bool)
	// Auxv is the auxiliary vector as /proc/PID/auxv gives it.
	Auxv() []byte
	// Siginfo is what PTRACE_GETSIGINFO gives for a thread that stopped with
	// a signal, 128 bytes; nil if there is none.
	Siginfo(tid int) []byte
}

// Registers are those of one thread.
type Registers struct {
	General unix.PtraceRegs
	// Float is the image of 512 bytes that FXSAVE makes, with which XSAVE's
	// begins as well; nil if it's unknown.
	Float []byte
}

// WatchKind says what a hardware watchpoint watches for.
type WatchKind int

// The kinds of hardware watchpoints, numbered as the protocol's Z packets.
const (
	WatchExecute WatchKind = iota + 1
	WatchWrite
	WatchRead
	WatchAccess
)

// Stop says why a thread stopped. At most one of Breakpoint, Watch, Entry,
// Return and Exec is set; a step that is done has none, and Signal SIGTRAP.
type Stop struct {
	// Signal is the kernel's number; 0 if it was Halt, or if the thread stands
	// still for a reason of its owner.
	Signal int
	// Breakpoint: a software breakpoint; the program counter is at it, not
	// behind it.
	Breakpoint bool
	// Watch, if not 0, is the kind of the hardware watchpoint, and Watched the
	// address that was touched.
	Watch   WatchKind
	Watched uint64
	// Call is the number of the system call, at its Entry or Return.
	Call          int
	Entry, Return bool
	// Exec is the path of the program that the process now executes.
	Exec string
}
