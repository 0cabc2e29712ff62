// Package session runs one program under one debugger: it launches the program
// as its caller would have, hands it to the debugger at its first instruction,
// offers what happens to a script's machine and carries out what that answers,
// until the program ends, and gives back its status.
//
// One goroutine owns the debugger and the process. It reads an event, acts on
// it, and reads the next; the end of the process, signals to us and time-outs
// are events like any other.
package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// Config is one run.
type Config struct {
	Program  *machine.Program
	Vars     map[string]string // of the command line; they override the script's
	Argv     []string
	Debugger string            // its program, "gdb" if empty
	Root     string            // where run directories are made, data.Root() if empty
	Environ  []string          // of the program, NAME=VALUE; nil: ours
	Pty      bool              // the program gets a terminal of its own
	Ignored  uint64            // signals that our caller ignored: bit n-1 is signal n
	Found    func(dir string)  // told of each run directory as it's made, may be nil
	Trace    func(line string) // told what the machine does, may be nil
	Record   io.Writer         // gets the transcript, may be nil

	Stdin, Stdout, Stderr *os.File
}

// answerTime is how long the debugger may take over a command. Reading the
// symbols of a big program is the longest.
const answerTime = 120 * time.Second

// state is what the session has to do with the process; its comments say what
// comes next.
type state int

const (
	// attached: read the debugger's records, act, resume.
	attached state = iota
	// resting: the process is stopped by a user's wish, and untraced so that
	// it can be; when it goes on, attach again.
	resting
	// released: the process is on its own; wait for its end.
	released
	// gone: the process has ended; finish.
	gone
)

// Session is one process under one debugger.
type Session struct {
	cfg   Config
	table *debugger.Table
	gdb   *mi.Client
	dog   *watchdog
	rec   *transcript

	pid       int
	exe       string
	state     state
	suspended bool             // it's stopped, as its parent is told; a debugger's stops are not
	child     chan childStatus // from the goroutine that waits for the process
	status    childStatus
	signals   *signals

	run      *run // the run directory of the program that the process executes
	block    *block
	filters  *filters
	unwinder *unwind.Unwinder
	cache    *unwind.Cache
	memory   unwind.Memory

	threads map[int]*thread
	queue   []debugger.Event // events that came while an answer was awaited
	pending map[int]string   // commands sent whose answers nobody waits for, by token

	clk      clock
	period   period
	heeded   map[string]bool // signals that stop the process before they're delivered
	watched  string          // the signal that the debugger watches for the clock
	formerly []string        // those that it watches besides, of which none should come
	expires  time.Time
	quitted  bool
	// stopping: the event being acted on is a stop signal, and no block may
	// let its thread run on.
	stopping bool
	code     int

	now      *debugger.Event // the event that is being acted on
	matched  bool            // a block was for the last event
	frames   []unwind.Frame  // its call path, once asked for
	buffer   []unwind.Frame  // where frames lie
	reason   unwind.Reason
	weight   uint64 // periods, of a tick
	taken    taken
	wantFunc bool
	symbols  map[*unwind.Object]bool
	matchers map[string]*matcher
	said     map[string]bool
	closers  []io.Closer
}

// thread is what we know of one of the process's threads.
type thread struct {
	tid      int
	standing bool      // it stands still until we resume it
	halting  bool      // the debugger was asked to stop it
	asked    time.Time // when
	owed     string    // a signal of the program's own that the debugger would keep from it
}

// Run profiles one program and returns the exit status to pass on: its own, or
// 128+n after signal n. An error means that it was not run, or not to its end.
func Run(cfg Config) (int, error) {
	path, err := find(cfg.Argv[0])
	if err != nil {
		return 0, err
	}
	if cfg.Root == "" {
		cfg.Root = data.Root()
	}
	s := &Session{
		cfg: cfg, table: debugger.GDB(),
		child: make(chan childStatus, 16), threads: make(map[int]*thread), pending: make(map[int]string),
		cache: unwind.NewCache(), matchers: make(map[string]*matcher), said: make(map[string]bool),
		symbols: make(map[*unwind.Object]bool), heeded: make(map[string]bool),
	}
	for _, name := range []string{"SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGTRAP"} {
		s.heeded[name] = true
	}
	s.filters = newFilters(cfg.Stdout, cfg.Stderr)
	if cfg.Record != nil {
		s.rec = newTranscript(cfg.Record)
	}
	defer func() {
		for _, wrong := range s.filters.close() {
			s.say("%s", wrong)
		}
	}()
	s.exe = executable(path)
	if rule := cfg.Program.For(s.exe); rule == nil || privileged(path) {
		if rule == nil {
			s.say("%v", &noRule{s.exe})
		} else {
			s.say("%s is set-uid or set-gid, and would lose its rights under a debugger: it runs unprofiled", path)
		}
		return s.unprofiled(path)
	}
	if err := s.startDebugger(); err != nil {
		return 0, err
	}
	defer s.gdb.Close()
	if s.dog, err = newWatchdog(s.gdb.Pid()); err != nil {
		return 0, err
	}
	defer s.dog.close()
	s.signals = catchSignals(func() { s.gdb.Wake() })
	defer s.signals.close()
	if err := s.begin(path); err != nil {
		return 0, err
	}
	err = s.loop()
	if e := s.finish(); err == nil {
		err = e
	}
	if s.quitted {
		return s.code, err
	}
	return s.status.exitCode(), err
}

// say tells the user something, on standard error.
func (s *Session) say(format string, args ...any) {
	fmt.Fprintf(s.cfg.Stderr, "dbctl: "+format+"\n", args...)
}

// sayOnce is say for what would otherwise be repeated at each sample.
func (s *Session) sayOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !s.said[text] {
		s.said[text] = true
		s.say("%s", text)
	}
}

// begin launches the program, hands it to the debugger, and lets it run.
func (s *Session) begin(path string) error {
	files, after, err := s.files()
	if err != nil {
		return err
	}
	argv := s.cfg.Argv
	s.pid, err = launch(path, argv, files, s.cfg.Environ, s.cfg.Pty, s.dog, s.prepare)
	if forShell(path, err) {
		// A script without #!, as every shell runs it.
		argv = append([]string{shell, path}, argv[1:]...)
		s.pid, err = launch(shell, argv, files, s.cfg.Environ, s.cfg.Pty, s.dog, s.prepare)
	}
	if err != nil {
		return err
	}
	after(s.pid)
	go waitFor(s.pid, func(st childStatus) {
		s.child <- st
		s.gdb.Wake()
	})
	err = s.take()
	var died *mi.Died
	if errors.As(err, &died) {
		s.orphaned(died)
		return nil
	}
	if err != nil {
		unix.Kill(s.pid, unix.SIGKILL)
		return err
	}
	if err := unix.Kill(s.pid, unix.SIGCONT); err != nil {
		return fmt.Errorf("cannot continue %s: %w", path, err)
	}
	i, err := s.newImage()
	if err == nil && i.rule == nil {
		s.leave(&noRule{i.exe})
		return nil
	}
	if err == nil {
		err = s.newProgram(i)
	}
	if err != nil {
		s.letGo()
		unix.Kill(s.pid, unix.SIGKILL)
		return err
	}
	s.announce("started")
	return nil
}

// prepare makes the system calls that must come before the first instruction.
func (s *Session) prepare(t *tracee) error {
	for sig := unix.Signal(1); sig <= 64; sig++ {
		// Our runtime's handlers have become defaults in the child.
		if s.cfg.Ignored&bit(sig) != 0 && sig != unix.SIGKILL && sig != unix.SIGSTOP {
			if err := t.ignore(sig); err != nil {
				return fmt.Errorf("cannot pass on that %s is ignored: %w", unix.SignalName(sig), err)
			}
		}
	}
	if scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil && scope[0] == '1' {
		if err := t.allowTracer(); err != nil {
			return fmt.Errorf("cannot let the debugger trace it: %w", err)
		}
	}
	if p, ok := s.itimerAsked(); ok {
		return armItimer(t, p)
	}
	return nil
}

// startDebugger starts and prepares it.
func (s *Session) startDebugger() error {
	path := s.cfg.Debugger
	if path == "" {
		path = s.table.Name
	}
	cfg := mi.Config{Path: path, Args: s.table.Args}
	if s.rec != nil {
		cfg.Tap = s.rec.wire
	}
	gdb, err := mi.Start(cfg)
	if err != nil {
		return fmt.Errorf("%w (apt-get install gdb, or name one with -gdb)", err)
	}
	s.gdb = gdb
	bad := func(err error) error {
		gdb.Close()
		return fmt.Errorf("%s is no debugger that can be used here: %w", path, err)
	}
	deadline := time.Now().Add(answerTime)
	text, _, err := s.ask(deadline, s.table.Version)
	if err != nil {
		return bad(err)
	}
	if err := s.table.Supported(text); err != nil {
		return bad(err)
	}
	if _, err := gdb.DoAll(deadline, s.table.Setup...); err != nil {
		return bad(err)
	}
	return nil
}

// take gives the process to the debugger, which stops it.
func (s *Session) take() error {
	if err := s.attach(); err != nil {
		return err
	}
	s.state = attached
	return nil
}

func (s *Session) attach() error {
	deadline := time.Now().Add(answerTime)
	if _, err := s.gdb.Do(s.table.Attach(s.pid), deadline); err != nil {
		return fmt.Errorf("cannot attach %s to process %d: %w%s", s.table.Name, s.pid, err, attachHint(err))
	}
	// The answer comes before the stop.
	for {
		ev, err := s.read(deadline)
		if errors.Is(err, mi.ErrWoken) {
			continue // what our child does is looked at later
		}
		if err != nil {
			return fmt.Errorf("%s attached to process %d and did not say that it stopped: %w", s.table.Name, s.pid, err)
		}
		switch ev.Kind {
		case debugger.Stopped:
			s.thread(ev.Thread).standing = true
			if ev.Signal != "" && ev.Signal != "0" && ev.Signal != "SIGSTOP" {
				// A signal was on its way: the stop is for that one too.
				s.queue = append(s.queue, ev)
			}
			return s.learnThreads(deadline)
		case debugger.Exited:
			return fmt.Errorf("process %d ended while %s attached", s.pid, s.table.Name)
		}
	}
}

func attachHint(err error) string {
	var e *mi.CommandError
	if errors.As(err, &e) {
		return " (is ptrace permitted? see /proc/sys/kernel/yama/ptrace_scope)"
	}
	return ""
}
