package ring

import (
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// signals catches what the terminal sends to our whole process group: the program
// gets it too, and its answer is what counts.
type signals struct {
	from chan os.Signal
	done chan struct{}

	mu        sync.Mutex
	stop      time.Time // when the terminal last wanted us to stop
	forward   int       // process that SIGTERM is for
	term      bool      // SIGTERM came, and there was none
	interrupt bool      // the user wants us to end
}

func catchSignals(wake func()) *signals {
	s := &signals{from: make(chan os.Signal, 16), done: make(chan struct{})}
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

// passOn sends SIGTERM on to a process, from now on, one that came before too; 0
// ends that.
func (s *signals) passOn(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if pid > 0 && s.term {
		unix.Kill(pid, unix.SIGTERM)
		s.term = false
	}
	s.forward = pid
}

// endWanted reports whether somebody wanted us to end since it was asked last.
func (s *signals) endWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := s.interrupt || s.term
	s.interrupt, s.term = false, false
	return wanted
}

// stopWanted reports whether the terminal wanted our group to stop within the last
// second, and forgets it.
func (s *signals) stopWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	recent := time.Since(s.stop) < time.Second
	s.stop = time.Time{}
	return recent
}

func (s *signals) close() {
	signal.Stop(s.from)
	close(s.from)
	<-s.done
}

// stopUs stops us as the program was: the shell tells the signals apart. The signal
// is first made to wait: a SIGCONT for our group takes it back, as long as it has not
// been heeded, and one that came before it shows in the program, which has continued.
func stopUs(sig unix.Signal, continued func() bool) {
	if sig != unix.SIGTSTP && sig != unix.SIGTTIN && sig != unix.SIGTTOU {
		if !continued() {
			unix.Kill(os.Getpid(), unix.SIGSTOP)
		}
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	only := unix.Sigset_t{Val: [16]uint64{bit(sig)}}
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

// masks are the signals that we ignore and block: bit n-1 is signal n.
type masks struct{ ignored, blocked uint64 }

// ownStatus is what our caller has left to us, as far as our runtime shows it.
func ownStatus() (m masks) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		n, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		switch {
		case err != nil:
		case key == "SigIgn":
			m.ignored = n
		case key == "SigBlk":
			m.blocked = n
		}
	}
	return m
}
