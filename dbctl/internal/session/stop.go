package session

import (
	"sync"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/remote"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
)

// stop is what a thread's stop is to the goroutines that deal with it. The tracing goroutine makes
// it and ends it, the goroutine that acts holds the thread for its script, and the debugger's server
// reads and changes registers. They exchange values by its methods, each of which is one step.
//
// regs may be read by the tracing goroutine directly until it has told of the stop.
type stop struct {
	mu       sync.Mutex
	standing bool // the thread stands still, and its registers are known
	regs     unix.PtraceRegs
	float    []byte
	siginfo  tracer.Siginfo   // of the signal for which it stands
	changed  bool             // registers are to be written back
	before   *unix.PtraceRegs // regs as they were when the debugger was shown the event
	calling  bool             // the debugger has it call a function of the program before it goes on
	halted   bool             // the debugger has stopped it for its own purposes
	kept     bool             // an event of it is to be acted on before it goes on
	shown    bool             // the debugger knows that it stands, and resumes it
}

// begin is when the thread has stopped. Only a debugger needs float and siginfo.
func (s *stop) begin(regs unix.PtraceRegs, float []byte, info tracer.Siginfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.regs, s.float, s.siginfo = regs, float, info
	s.changed, s.standing = false, true
}

// end is when the thread goes on, or is gone. If registers are to be written back it returns them.
func (s *stop) end() (r remote.Registers, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = s.changed
	s.changed, s.standing = false, false
	return remote.Registers{General: s.regs, Float: s.float}, changed
}

// pending takes the registers that are to be written back, if there are any, of a thread that stands on.
func (s *stop) pending() (r remote.Registers, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = s.changed
	s.changed = false
	return remote.Registers{General: s.regs, Float: s.float}, changed
}

// stands reports whether the thread stands still.
func (s *stop) stands() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standing
}

// registers are those of now, if the thread stands still.
func (s *stop) registers() (r remote.Registers, stands bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return remote.Registers{General: s.regs, Float: s.float}, s.standing
}

// info is that of the signal for which the thread stands still.
func (s *stop) info() (info tracer.Siginfo, stands bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.siginfo, s.standing
}

// set changes the registers, if the thread stands still.
func (s *stop) set(r remote.Registers) (stands bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.standing {
		return false
	}
	if r.General.Rip != s.regs.Rip && r.General.Orig_rax == s.regs.Orig_rax {
		// Elsewhere it's in no system call that could be begun again, unless that is set as well.
		r.General.Orig_rax = ^uint64(0)
	}
	s.regs, s.float, s.changed = r.General, r.Float, true
	return true
}

// change has the tracing goroutine change the general registers, which are written back if it says so.
func (s *stop) change(how func(*unix.PtraceRegs) (writeBack bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = how(&s.regs) || s.changed
}

// keep holds the thread until giveUp, for an event that is to be acted on.
func (s *stop) keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = true
}

// giveUp is when the event has been acted on. A thread that is shown is the debugger's to resume,
// which does so by itself if it has halted the thread.
func (s *stop) giveUp() (shown, halted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = false
	return s.shown, s.halted
}

// goes reports whether the thread stands still and nothing of it is still to be acted on.
func (s *stop) goes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standing && !s.kept
}

// show says whether the debugger knows that the thread stands.
func (s *stop) show(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = yes
	s.halted = s.halted && yes
}

func (s *stop) isShown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown
}

// stays reports whether the thread stands still and only the debugger would let it go on.
func (s *stop) stays() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.standing && s.shown && !s.kept
}

// halt is when the debugger wants the thread to stand still. If that is shown already, there is
// nothing to do.
func (s *stop) halt() (stands, shown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.halted = !s.shown
	return s.standing, s.shown
}

// halts is when the debugger has told us that it has stopped the thread.
func (s *stop) halts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.halted = false
}

// resumed is when the debugger lets the thread go on: to make a call, if it was lent the thread.
func (s *stop) resumed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown, s.halted = false, false
	s.calling = s.before != nil
}

// lend lets the debugger run the thread of an event, to call functions in it, before the event has
// been acted on. What it changes is not to stay.
func (s *stop) lend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = false
	regs := s.regs
	s.before = &regs
}

// unlend is when the thread goes on as it is.
func (s *stop) unlend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.calling = nil, false
}

// inCall reports whether the debugger has the thread call a function of the program.
func (s *stop) inCall() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calling
}

// settle undoes such a call if the debugger has left it unfinished, of a thread that has stopped.
func (s *stop) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calling && (s.regs.Rip != s.before.Rip || s.regs.Rsp != s.before.Rsp) {
		s.regs, s.changed = *s.before, true
	}
}

// setBack undoes such a call, of a thread that has stopped.
func (s *stop) setBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calling {
		s.regs, s.changed = *s.before, true
		s.calling, s.before = false, nil
	}
}
