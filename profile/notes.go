package main

import "fmt"

// A note is what the user has to know of a run: what it is, and the words that it's about. Texts are
// put to notes here alone.
type note struct {
	id   noteID
	args []any
}

type noteID int

const (
	clockInterrupts noteID = iota
	bytesOfCalls           // resources
	callsUncounted         // why
	byKernel               // why
	byDebugger             // why
	unreadable             // program
	largeProgram           // program
	unroomy                // why, limit
	breaksAlloc            // resource
	breaksCalls            // resource
	trapsAtKill            // resource
	endedBySignal          // program, which signal
	outlivedByOne          // directory, report
	outlivedByMore         // number, a directory, report
	smallFiles
	listTorn      // file
	unprinted     // why
	unprintedYet  // why, command
	notSampled    // seconds, of seconds
	noSuchProgram // its name
	otherProgram  // its name, that of one that ran
	waitsCost     // waits, seconds of CPU time, rate
	waitsCostGDB  // the same
)

// needs says what a limit on memory must leave to us; collector/launch/caller.h has the same.
const needs = "our commands need 2 GB of address space (ulimit -v) and 256 MB of data (ulimit -d)"

var texts = map[noteID]string{
	clockInterrupts: "-clock real interrupts system calls that wait: they can fail with EINTR, which the program may not expect",
	bytesOfCalls: "%s: only calls of the C library are counted, without scanf and the program's own system calls " +
		"(profile -k counts all, needs root and tracefs, and may lose some)",
	callsUncounted: "-calls: calls are not counted, since %s",
	byKernel:       "%s: sampled by the kernel",
	byDebugger:     "%s: sampled by ptrace",
	unreadable:     "%s is not readable by this user and cannot be sampled from outside: it runs unprofiled",
	largeProgram:   "-args: %s has too much code for the library: sampled by ptrace",
	unroomy:        "%s, and under the limit on memory (%s) nothing else can sample it: it runs unprofiled; " + needs,
	breaksAlloc:    "-r %s: counted by breakpoints: each call of malloc and the like takes 10 to 50 µs more",
	breaksCalls:    "-r %s: counted by a breakpoint, since kernel probes need root or CAP_PERFMON: each call takes 10 to 50 µs more",
	trapsAtKill:    "-r %s: do not kill dbctl by SIGKILL: the program would end by SIGTRAP at its next such call",
	endedBySignal:  "%s: %s",
	outlivedByOne: "one process still runs: its later samples are not in this report, but in %s " +
		"(pct %s shows them; -wait waits for it)",
	outlivedByMore: "%d processes still run: their later samples are not in this report, but in %s and the like " +
		"(pct %s shows them; -wait waits for them)",
	smallFiles:   "nothing is recorded: the limit on the size of files (ulimit -f) is below 4 GB",
	listTorn:     "the list of run directories may be incomplete: cannot write %s",
	unprinted:    "cannot write the report: %s",
	unprintedYet: "cannot write the report: %s; %s makes it again",
	notSampled: "%.1f s of %.1f s of CPU time were not sampled, probably of programs that cannot load libpct.so (static, " +
		"most in Go) or leave it no signal, or of program starts; profile -k and profile -gdb sample those",
	noSuchProgram: "no program matched %s",
	otherProgram:  "no program matched %s: did you mean %s?",
	waitsCost: "the program waited %d times in %.1f s of CPU time; at rates above the kernel's tick each wait takes 5 to 10 µs longer: " +
		"use -F %d or -k",
	waitsCostGDB: "the program waited %d times in %.1f s of CPU time; with -gdb each wait takes 2 to 15 µs longer: " +
		"use -F %d without -gdb, or -k",
}

func (n note) String() string { return fmt.Sprintf(texts[n.id], n.args...) }
