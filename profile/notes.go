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
	bytesOfCalls: "%s: counted in calls of the C library; what scanf reads, and what the program moves without that, is not seen " +
		"(profile -k sees all, as root with tracefs mounted, and may lose some)",
	callsUncounted: "-calls: calls are not counted, since %s",
	byKernel:       "%s: sampled by the kernel",
	byDebugger:     "%s: sampled as a debugger does",
	unreadable:     "%s can't be read by this user, so nothing may look into it from outside: it runs unprofiled",
	unroomy:        "%s, and under the limit on memory (%s) nothing else can sample it: it runs unprofiled; " + needs,
	breaksAlloc: "-r %s: counted by breakpoints, at which each call of malloc and its kin stops the program for 10 to 50 µs: " +
		"of a million calls that many seconds",
	breaksCalls: "-r %s: this user may not use the kernel's probes (root or CAP_PERFMON may): counted by a breakpoint, at which " +
		"each call stops the program for 10 to 50 µs: of a million calls that many seconds",
	trapsAtKill:   "-r %s: do not kill dbctl by SIGKILL meanwhile: a program that was started then ends by SIGTRAP at the next such call",
	endedBySignal: "%s: %s",
	outlivedByOne: "one process still runs: what it uses later is not in the report, but in %s " +
		"(pct %s shows it; -wait waits for it)",
	outlivedByMore: "%d processes still run: what they use later is not in the report, but in %s and the like " +
		"(pct %s shows it; -wait waits for it)",
	smallFiles:   "nothing is recorded: the limit on the size of files (ulimit -f) is below 4 GB",
	listTorn:     "the list of the data may lack some: %s can't be written",
	unprinted:    "the report can't be written: %s",
	unprintedYet: "the report can't be written: %s; %s makes it again",
	notSampled: "%.1f s of %.1f s of CPU time were not sampled: these may be static programs, as most in Go are, others that " +
		"libpct.so can not be loaded into or finds no signal in, or the start of many short programs; profile -k and profile -gdb see those",
	noSuchProgram: "no program was run that is called %s",
	otherProgram:  "no program was run that is called %s: did you mean %s, which was?",
	waitsCost: "the program waited %d times in %.1f s of CPU time; at rates above the kernel's tick each wait takes it 5 to 10 µs longer, " +
		"which -F %d and -k avoid",
	waitsCostGDB: "the program waited %d times in %.1f s of CPU time; with -gdb each wait takes it 2 to 15 µs longer, " +
		"which -F %d without -gdb and -k avoid",
}

func (n note) String() string { return fmt.Sprintf(texts[n.id], n.args...) }
