package session

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// childStatus is a change of a child process, as wait4(2) tells its parent.
type childStatus struct {
	ws  unix.WaitStatus
	cpu time.Duration // of its own, without its children's, so far
}

func (c childStatus) ended() bool { return c.ws.Exited() || c.ws.Signaled() }

// exitCode is the status as a shell gives it.
func (c childStatus) exitCode() int {
	if c.ws.Signaled() {
		return 128 + int(c.ws.Signal())
	}
	return c.ws.ExitStatus()
}

func (c childStatus) String() string {
	switch {
	case c.ws.Signaled():
		return "signal " + unix.SignalName(c.ws.Signal())
	case c.ws.Exited():
		return fmt.Sprintf("exit %d", c.ws.ExitStatus())
	}
	return ""
}

// waitFor tells each change of a child, the last being its end. While it's
// traced by another process its parent is told of nothing but that.
func waitFor(pid int, tell func(childStatus)) {
	const changes = unix.WSTOPPED | unix.WCONTINUED
	for {
		var st childStatus
		// Once it's reaped, its time is known only together with its children's.
		if unix.Waitid(unix.P_PID, pid, nil, changes|unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
			continue
		}
		st.cpu = processTime(pid)
		_, err := unix.Wait4(pid, &st.ws, changes, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return
		}
		tell(st)
		if st.ended() {
			return
		}
	}
}

// signals catches what the terminal sends to our whole process group: the
// program gets it too, and its answer is what counts. Caught signals are, in
// contrast to ignored ones, at their defaults in the programs that we start.
type signals struct {
	from chan os.Signal
	mu   sync.Mutex
	stop time.Time // when the terminal last wanted us to stop
	term bool      // somebody wants us to end
	done chan struct{}
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
			}
			s.mu.Unlock()
			wake()
		}
	}()
	return s
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

// termWanted reports whether SIGTERM came, and forgets it.
func (s *signals) termWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.term
	s.term = false
	return was
}

func (s *signals) close() {
	signal.Stop(s.from)
	close(s.from)
	<-s.done
}
