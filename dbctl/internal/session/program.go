package session

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/unwind"
)

// image is what there is to know of the program that the process has begun to
// execute. It's read while the process stands still: a script may let it run on
// at the event that tells of it.
type image struct {
	exe      string
	argv     []string
	rule     *machine.Exec // nil: the script has none for it
	unwinder *unwind.Unwinder
}

func (s *Session) newImage() (*image, error) {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", s.pid))
	if err != nil {
		return nil, fmt.Errorf("cannot tell what process %d executes: %w", s.pid, err)
	}
	i := &image{exe: exe, argv: s.argv(), rule: s.cfg.Program.For(exe)}
	if i.rule == nil {
		return i, nil
	}
	if i.unwinder, err = unwind.NewWith(s.pid, s.cache); err != nil {
		return nil, fmt.Errorf("cannot read the objects of process %d: %w", s.pid, err)
	}
	return i, nil
}

// newProgram begins the run of a program that the script has a rule for.
func (s *Session) newProgram(i *image) (err error) {
	if s.run, err = newRun(s.cfg.Root, i.argv, i.exe, s.pid, os.Getpid(), s.sayOnce); err != nil {
		i.unwinder.Close()
		return err
	}
	if s.cfg.Found != nil {
		s.cfg.Found(s.run.dir.Path())
	}
	if s.unwinder != nil {
		s.unwinder.Close()
	}
	s.exe, s.unwinder = i.exe, i.unwinder
	clear(s.symbols)
	s.memory = unwind.ProcessMemory(s.pid)
	s.newBlock(i.rule)
	return nil
}

// leave lets a process run on that there is no run for.
func (s *Session) leave(why error) {
	s.say("%v", why)
	s.run, s.block = nil, nil
	s.letGo()
	s.state = released
}

// noRule says that no EXEC is for the program that the process executes now.
type noRule struct{ exe string }

func (e *noRule) Error() string {
	return fmt.Sprintf("no EXEC of the script matches %s: it runs unprofiled", e.exe)
}

// argv is what the process was called with.
func (s *Session) argv() []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.pid))
	if err != nil || len(text) == 0 {
		return s.cfg.Argv
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

func (s *Session) newBlock(rule *machine.Exec) {
	m := machine.New(s.cfg.Program, rule, s.cfg.Vars)
	host, _ := os.Hostname()
	for name, value := range map[string]string{
		"pid": strconv.Itoa(s.pid), "ppid": strconv.Itoa(os.Getpid()), "exe": s.exe, "host": host,
	} {
		m.Set(name, value)
	}
	if s.cfg.Trace != nil {
		m.Trace(s.cfg.Trace)
	}
	s.block = &block{m: m, do: s, say: s.say, sinks: newSinks(func(name string) (io.WriteCloser, error) {
		return s.run.append(name)
	}, s.filters)}
	s.wantFunc = false
	for _, g := range rule.Groups {
		for _, p := range g.Pats {
			s.wantFunc = s.wantFunc || len(p.Sinks) > 0 || strings.Contains(p.Regex.String(), "func")
			s.heed(p.Regex.String())
		}
	}
}

// plain reports whether a command needs no names from the debugger.
func plain(command string) bool {
	switch strings.TrimSpace(command) {
	case "continue", "c", "detach", "kill", "-exec-continue":
		return true
	}
	return false
}

var signalName = regexp.MustCompile(`SIG[A-Z0-9]+`)

// heed makes the signals that a pattern names stop the process; all others
// pass as if nobody watched.
func (s *Session) heed(pattern string) {
	for _, name := range signalName.FindAllString(pattern, -1) {
		sig := unix.SignalNum(name)
		if sig != 0 && sig != unix.SIGKILL && sig != unix.SIGSTOP && !isClockSignal(name) {
			s.heeded[name] = true
			s.send(s.table.Heed(name))
		}
	}
}

func isClockSignal(name string) bool {
	for _, s := range debugger.ClockSignals {
		if s == name {
			return true
		}
	}
	return false
}

// announce offers the first event of a process, and lets it run.
func (s *Session) announce(kind string) {
	thread := s.actThread()
	if s.setsBreakpoints() {
		s.readAllSymbols()
	}
	s.offer(debugger.Event{Kind: debugger.Stopped, Thread: thread},
		machine.FormatEvent(kind, "pid", strconv.Itoa(s.pid), "exe", s.exe))
	s.resumeAll()
}

var breaking = regexp.MustCompile(`^\s*(t|h|r|th)?br?(eak|ea|e)?\b|^\s*-break-insert|^\s*(r|a)?watch\b`)

func (s *Session) setsBreakpoints() bool {
	for _, a := range s.block.m.Names(machine.Command) {
		if breaking.MatchString(a.Args[0]) {
			return true
		}
	}
	return false
}

// executed is the process executing another program.
func (s *Session) executed(ev debugger.Event) {
	for id := range s.threads {
		if id != ev.Thread {
			delete(s.threads, id)
		}
	}
	s.thread(ev.Thread).tid = s.pid
	cpu := processTime(s.pid)
	next, err := s.newImage()
	if err != nil {
		s.say("%v", err)
		s.resume(ev.Thread)
		return // it's ending
	}
	s.offer(ev, machine.FormatEvent("exec", "exe", next.exe))
	if s.state != attached {
		return
	}
	s.block.sinks.close()
	if err := s.run.finish("complete", "exec "+next.exe, cpu); err != nil {
		s.say("%v", err)
	}
	if next.rule == nil {
		s.leave(&noRule{next.exe})
		return
	}
	if err := s.newProgram(next); err != nil {
		s.leave(err)
		return
	}
	s.run.began = cpu
	if s.clk != nil {
		s.run.clocked(s.clk.name(), s.period)
		s.clk.rebase()
	}
	s.resume(ev.Thread)
}

// itimerAsked reports whether the script will ask for the clock whose timer
// must be set before the program begins, and its period.
func (s *Session) itimerAsked() (time.Duration, bool) {
	m := machine.New(s.cfg.Program, s.cfg.Program.For(s.exe), s.cfg.Vars)
	for _, a := range m.Names(machine.Clock) {
		if len(a.Args) < 2 || m.Expand(a.Args[0]) != "itimer" {
			continue
		}
		if us, err := strconv.Atoi(m.Expand(a.Args[1])); err == nil && us > 0 {
			return time.Duration(us) * time.Microsecond, true
		}
	}
	return 0, false
}

// next is the debugger's next record, if it's an answer; nil for others, which
// are kept.
func (s *Session) next(deadline time.Time) (*mi.Record, error) {
	r, err := s.gdb.Next(deadline)
	if err == mi.ErrWoken {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if r.Kind != mi.Result {
		var ignored strings.Builder
		s.aside(r, &ignored)
		return nil, nil
	}
	return r, nil
}

// threadIDs are the kernel's numbers of a process's threads.
func threadIDs(pid int) ([]int, error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil, err
	}
	var tids []int
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	return tids, nil
}
