package session

import (
	"os"
	"os/signal"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// signals catches what the terminal sends to our whole process group: the
// program gets it too, and its answer is what counts. Caught signals are, in
// contrast to ignored ones, at their defaults in the programs that we start.
type signals struct {
	from      chan os.Signal
	mu        sync.Mutex
	stop      time.Time // when the terminal last wanted us to stop
	term      bool      // somebody wants us to end
	interrupt bool      // so does the user
	forward   int       // a process that SIGTERM is for
	done      chan struct{}
}

func catchSignals(wake func()) *signals {
	s := &signals{from: make(chan os.Signal, 16), done: make(chan struct{})}
	signal.Notify(s.from, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU)
	go func() {
		defer close(s.done)
		for sig := range s.from {
			s.mu.Lock()
			switch sig {
			case unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU:
				s.stop = time.Now()
			case unix.SIGTERM:
				s.term = true
				if s.forward > 0 {
					unix.Kill(s.forward, unix.SIGTERM)
				}
			default:
				s.interrupt = true
			}
			s.mu.Unlock()
			wake()
		}
	}()
	return s
}

// passOn sends SIGTERM on to a process, from now on, one that came before too; 0
// ends that.
func (s *signals) passOn(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pid > 0 && s.term {
		unix.Kill(pid, unix.SIGTERM)
	}
	s.forward, s.term = pid, false
}

// stopWanted reports whether the terminal wanted our group to stop within the
// last second, and forgets it.
func (s *signals) stopWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	recent := time.Since(s.stop) < time.Second
	s.stop = time.Time{}
	return recent
}

// stopUs stops us as the program was: the shell tells the signals apart.
func (s *signals) stopUs(sig unix.Signal) {
	if sig != unix.SIGTSTP && sig != unix.SIGTTIN && sig != unix.SIGTTOU {
		unix.Kill(os.Getpid(), unix.SIGSTOP)
		return
	}
	// Our runtime would keep its handler, which does not stop us.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var byDefault, handler [4]uint64 // struct kernel_sigaction
	setAction(sig, &byDefault, &handler)
	unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
	setAction(sig, &handler, nil)
}

// setAction is sigaction(2).
func setAction(sig unix.Signal, new, old *[4]uint64) {
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(new)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
}

// termWanted reports whether SIGTERM came, and forgets it.
func (s *signals) termWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.term
	s.term = false
	return was
}

// interruptWanted reports whether the user has interrupted us, and forgets it.
func (s *signals) interruptWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.interrupt
	s.interrupt = false
	return was
}

func (s *signals) close() {
	signal.Stop(s.from)
	close(s.from)
	<-s.done
}
