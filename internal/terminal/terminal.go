// Package terminal is job control for a command that runs a program in its own
// process group: what the terminal sends to both, and stopping as the program does.
package terminal

import (
	"os"
	"os/signal"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Signals catches what the terminal sends to our whole process group: the program
// gets it too, and its answer is what counts. Caught signals are, in contrast to
// ignored ones, at their defaults in the programs that we start.
type Signals struct {
	from chan os.Signal
	done chan struct{}

	mu        sync.Mutex
	stop      time.Time // when the terminal last wanted us to stop
	forward   int       // a process that SIGTERM is for
	term      bool      // SIGTERM came, and there was none
	interrupt bool      // the user wants us to end
}

// Catch begins to catch them; wake is called after each.
func Catch(wake func()) *Signals {
	s := &Signals{from: make(chan os.Signal, 16), done: make(chan struct{})}
	signal.Notify(s.from, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU)
	go func() {
		defer close(s.done)
		for sig := range s.from {
			s.mu.Lock()
			switch {
			case sig == unix.SIGTSTP || sig == unix.SIGTTIN || sig == unix.SIGTTOU:
				s.stop = time.Now()
			case sig == unix.SIGTERM && s.forward > 0:
				unix.Kill(s.forward, unix.SIGTERM)
			case sig == unix.SIGTERM:
				s.term = true
			default:
				s.interrupt = true
			}
			s.mu.Unlock()
			wake()
		}
	}()
	return s
}

// PassOn sends SIGTERM on to a process, from now on, one that came before too; 0
// ends that.
func (s *Signals) PassOn(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pid > 0 && s.term {
		unix.Kill(pid, unix.SIGTERM)
		s.term = false
	}
	s.forward = pid
}

// StopWanted reports whether the terminal wanted our group to stop within the
// last second, and forgets it.
func (s *Signals) StopWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	recent := time.Since(s.stop) < time.Second
	s.stop = time.Time{}
	return recent
}

// TermWanted reports whether SIGTERM came, and forgets it.
func (s *Signals) TermWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.term
	s.term = false
	return was
}

// InterruptWanted reports whether the user has interrupted us, and forgets it.
func (s *Signals) InterruptWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.interrupt
	s.interrupt = false
	return was
}

// Close ends the catching: the signals are at their defaults again.
func (s *Signals) Close() {
	signal.Stop(s.from)
	close(s.from)
	<-s.done
}

// StopUs stops us as the program was: the shell tells the signals apart. The
// signal is first made to wait: a SIGCONT for our group takes it back, as long as
// it has not been heeded, and one that came before it shows in the program, which
// has continued. (A shell that has seen a parent of ours stop may send it before we
// have got here.)
func StopUs(sig unix.Signal, continued func() bool) {
	if sig != unix.SIGTSTP && sig != unix.SIGTTIN && sig != unix.SIGTTOU {
		if !continued() {
			unix.Kill(os.Getpid(), unix.SIGSTOP)
		}
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	only := unix.Sigset_t{Val: [16]uint64{1 << (sig - 1)}}
	var was unix.Sigset_t
	unix.PthreadSigmask(unix.SIG_BLOCK, &only, &was)
	// Our runtime would keep its handler, which does not stop us.
	var byDefault, handler action
	setAction(sig, &byDefault, &handler)
	unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
	if continued() {
		Ignore(sig) // which forgets the signal
	}
	unix.PthreadSigmask(unix.SIG_SETMASK, &was, nil)
	setAction(sig, &handler, nil)
}

// action is struct kernel_sigaction, of which the first word is the handler.
type action [4]uint64

// Ignore sets a signal's disposition, which outlives exec, also where our runtime has a
// handler for it.
func Ignore(sig unix.Signal) {
	setAction(sig, &action{1}, nil)
}

// setAction is sigaction(2).
func setAction(sig unix.Signal, new, old *action) {
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(new)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
}
