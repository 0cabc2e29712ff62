package session

import (
	"os"
	"os/signal"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/tracer"
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

// stopUs stops us as the program was: the shell tells the signals apart. The
// signal is first made to wait: a SIGCONT for our group takes it back, as long as
// it has not been heeded, and one that came before it shows in the program, which
// has continued. (A shell that has seen a parent of ours stop may send it before we
// have got here.)
func (s *signals) stopUs(sig unix.Signal, continued func() bool) {
	if sig != unix.SIGTSTP && sig != unix.SIGTTIN && sig != unix.SIGTTOU {
		if !continued() {
			unix.Kill(os.Getpid(), unix.SIGSTOP)
		}
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	only := unix.Sigset_t{Val: [16]uint64{tracer.Bit(sig)}}
	var was unix.Sigset_t
	unix.PthreadSigmask(unix.SIG_BLOCK, &only, &was)
	// Our runtime would keep its handler, which does not stop us.
	byDefault, ignored := [4]uint64{}, [4]uint64{1} // struct kernel_sigaction
	var handler [4]uint64
	setAction(sig, &byDefault, &handler)
	unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
	if continued() {
		setAction(sig, &ignored, nil) // which forgets the signal
	}
	unix.PthreadSigmask(unix.SIG_SETMASK, &was, nil)
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
