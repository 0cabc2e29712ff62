package session

// sigtrap is what is known of a SIGTRAP for which a thread stands.
type sigtrap struct {
	code    int32 // si_code
	passed  bool  // the thread was on its way over a breakpoint
	steps   bool  // the debugger has it make one instruction
	late    bool  // the SIGTRAP of a step that the debugger gave up was pending
	here    bool  // it has executed an int3 of ours
	was     bool  // or one that was there once
	lent    bool  // the memory with the breakpoints is its parent's
	counts  bool  // the breakpoint is a clock's
	probes  bool  // or one of the script's probes
	watches bool  // it can be of a debug register
}

// cause is what a SIGTRAP comes of; its comment is what to do.
type cause uint8

const (
	// trapUnknown: it's the program's own.
	trapUnknown cause = iota
	// trapWatched: tell the debugger of the watchpoint, or let the thread go on if it is gone.
	trapWatched
	// trapPassed: let the thread go on, unless it has met a watchpoint: tell the debugger of that.
	trapPassed
	// trapParents: set the thread back, and step it over the breakpoint.
	trapParents
	// trapCounted: set the thread back, and count the call.
	trapCounted
	// trapProbed: set the thread back, and tell the script.
	trapProbed
	// trapMet: set the thread back, and tell the debugger of its breakpoint.
	trapMet
	// trapStepped: tell the debugger, and which watchpoint it met if any.
	trapStepped
	// trapLate: the breakpoint is gone. Set the thread back, and let it go on.
	trapLate
)

// stepped reports whether it is of a step or a watchpoint. A breakpoint has the code kernelSent, these
// have another of the kernel's, and what a process has sent is not above userSent.
func (s sigtrap) stepped() bool { return s.code > userSent && s.code != kernelSent }

// cause says whose it is.
func (s sigtrap) cause() cause {
	switch {
	case (s.late || s.passed && !s.steps) && s.stepped():
		return trapPassed
	case s.here && s.code == kernelSent && s.lent:
		return trapParents
	case s.here && s.code == kernelSent && s.counts:
		return trapCounted
	case s.here && s.code == kernelSent && s.probes:
		return trapProbed
	case s.here && s.code == kernelSent:
		return trapMet
	case s.steps && s.code != userSent:
		return trapStepped
	case s.was && s.code == kernelSent:
		return trapLate
	case s.watches && s.stepped():
		return trapWatched
	}
	return trapUnknown
}

// userSent is si_code of a signal that a process sent.
const userSent = 0

// si_code of SIGTRAP for a debug register. Where a virtual machine does not say which register it was,
// the code is that of the instruction int1, which programs hardly use.
const (
	unnamedRegister = 1 // TRAP_BRKPT
	namedRegister   = 4 // TRAP_HWBKPT
	int1            = 0xf1
)
