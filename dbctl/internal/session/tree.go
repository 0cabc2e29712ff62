package session

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/internal/terminal"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
	"golang.org/x/sys/unix"
)

// tree is a run: the processes that are followed. All that is here belongs to
// the goroutine that traces them; others ask it by do and call.
type tree struct {
	cfg    Config
	tracer *tracer.Tracer
	cache  *unwind.Cache
	rec    *transcript

	filters *filters
	pool    *debugger.Pool
	signals *terminal.Signals
	closers []interface{ Close() error }

	processes  map[int]*process
	threads    map[int]*thread
	children   map[int]*child // made, and not yet begun
	traced     *tracee.Tree   // what all of them do
	host       string
	habits     map[*machine.Exec]habit
	traps      forkTraps
	mender     mender
	tables     tables
	cost       stopCost
	lag        lag
	programs   programs
	debugData  debugData
	comparison comparison

	debugRegisters func() error // why they are not to be used; nil: they trap

	root      *process // launched; nil: attached to
	base      *process // whose run directory has the file tree
	sid       int      // of the root, as it began
	daemons   []int    // processes that had left it when the root ended, and were let go
	log       *data.TreeWriter
	name      string          // of the run directory that it's in
	status    unix.WaitStatus // of the root
	matched   bool            // there was a rule for some program
	samples   uint64
	ends      time.Time // when to let go of all
	look      time.Time // when to look after clocks and time-outs
	notBefore time.Time // when to do so at the earliest
	alarm     *time.Timer
	ending    bool // the script, or the user, wants no more
	quitted   bool // and its own status
	code      int

	// Of all.
	spare chan *mi.Client // a debugger without a process, or none
	posts queue[func()]
	said  said

	served int // processes with a goroutine of their own
}

func newTree(cfg Config) *tree {
	t := &tree{
		cfg: cfg, cache: unwind.NewCache(), said: said{texts: make(map[string]bool)},
		posts: newQueue[func()](), spare: make(chan *mi.Client, 1),
		processes: make(map[int]*process), threads: make(map[int]*thread),
		children: make(map[int]*child), traced: tracee.New(), habits: make(map[*machine.Exec]habit),
	}
	t.debugRegisters = sync.OnceValue(tracer.DebugRegisters)
	if cfg.NoTraps {
		t.debugRegisters = func() error { return errNotWanted }
	}
	t.filters = newFilters(cfg.Stdout, cfg.Stderr)
	pool := debugger.PoolConfig{Path: cfg.Debugger, Limit: cfg.Debuggers}
	if cfg.Record != nil {
		t.rec = newTranscript(cfg.Record)
		pool.Tap = t.rec.wire
	}
	t.pool = debugger.NewPool(pool)
	t.learnHabits()
	t.host, _ = os.Hostname()
	return t
}

// close undoes what was to be undone at the end.
func (t *tree) close() {
	select {
	case spare := <-t.spare:
		t.pool.Put(spare)
	default:
	}
	t.pool.Close()
	for _, wrong := range t.filters.close() {
		t.say("%s", wrong)
	}
	if t.signals != nil {
		t.signals.Close()
	}
	t.mender.close()
	for _, c := range t.closers {
		c.Close()
	}
}

// debugger is one of the pool, or the one that was made to see whether there is
// any, which has not read the objects; any goroutine may ask.
func (t *tree) debugger(objects []*debugger.Object) (gdb *mi.Client, read bool, err error) {
	select {
	case spare := <-t.spare:
		return spare, false, nil
	default:
		gdb, err = t.pool.Get(objects...)
		return gdb, true, err
	}
}

// makeSpare fails if the program's rule needs a debugger and there is none.
func (t *tree) makeSpare(rule *machine.Exec) error {
	if !t.habit(rule).debugger {
		return nil
	}
	spare, err := t.pool.Get()
	if err == nil {
		t.spare <- spare
	}
	return err
}

// say tells the user something, on standard error; any goroutine may.
func (t *tree) say(format string, args ...any) {
	fmt.Fprintf(visible.Writer(t.cfg.Stderr), "%s: %s\n", t.cfg.As, fmt.Sprintf(format, args...))
}

// print writes a line of the script's own.
func (t *tree) print(text string) { fmt.Fprintln(visible.Writer(t.cfg.Stderr), text) }

// sayOnce is say for what would otherwise be repeated at each sample.
func (t *tree) sayOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); t.said.first(text) {
		t.say("%s", text)
	}
}

// said are the texts that need no repetition.
type said struct {
	mu    sync.Mutex
	texts map[string]bool
}

// first reports whether a text was not said before.
func (s *said) first(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.texts[text]
	s.texts[text] = true
	return !before
}

// do has work done by the tracing goroutine, soon.
func (t *tree) do(work func()) {
	t.posts.put(work)
	t.tracer.Ring()
}

// call is do, and waits until it's done. It's for other goroutines only.
func (t *tree) call(work func()) {
	done := make(chan struct{})
	t.do(func() {
		work()
		close(done)
	})
	<-done
}

// posted does what was left to be done.
func (t *tree) posted() {
	for work, ok := t.posts.take(); ok; work, ok = t.posts.take() {
		work()
	}
}

// begin launches the program, for which there is this rule, or attaches to the
// processes.
func (t *tree) begin(path string, rule *machine.Exec) error {
	if t.cfg.For > 0 {
		t.ends = time.Now().Add(t.cfg.For)
		t.wake(t.ends)
		if at := t.traced.Deadline(); at != 0 {
			t.wake(time.Unix(0, at))
		}
	}
	if path == "" {
		return t.attachAll()
	}
	files, after, err := t.files()
	if err != nil {
		return err
	}
	p := tracer.Program{
		Path: path, Argv: t.cfg.Argv, Env: t.cfg.Environ, Files: files, Terminal: t.cfg.Pty,
		Ignored: t.cfg.Ignored, Timer: t.itimerAsked(rule),
	}
	pid, err := t.tracer.Launch(p)
	if forShell(path, err) {
		// A script without #!, as every shell runs it.
		p.Path, p.Argv = shell, append([]string{shell, path}, t.cfg.Argv[1:]...)
		pid, err = t.tracer.Launch(p)
	}
	if err != nil {
		return launchError(path, err)
	}
	after()
	t.sid, _ = unix.Getsid(pid)
	root := t.newProcess(pid, os.Getpid())
	t.root = root
	th := t.newThread(root, pid)
	t.step(tracee.Event{Kind: tracee.Launched, Tid: pid})
	return t.beginProgram(root, th, "started")
}

// loop acts on events until all have ended or are let go.
func (t *tree) loop() error {
	for !t.over() {
		t.posted()
		t.wishes()
		if t.over() {
			break
		}
		ev, err := t.tracer.Next()
		if err != nil {
			return err
		}
		t.happened(ev)
	}
	t.letGoOfAll()
	return nil
}

// over reports whether nothing is left to be watched.
func (t *tree) over() bool {
	return t.ending || len(t.processes) == 0 && len(t.children) == 0
}

// wishes sees to what time and the user's signals ask for.
func (t *tree) wishes() {
	alone := t.root == nil || t.root.gone
	if t.signals.TermWanted() {
		if alone {
			t.ending = true
		} else {
			unix.Kill(t.root.pid, unix.SIGTERM)
		}
	}
	if t.signals.InterruptWanted() && alone {
		t.ending = true
	}
	now := time.Now()
	if !t.ends.IsZero() && !now.Before(t.ends) || t.cfg.Samples > 0 && t.samples >= t.cfg.Samples {
		t.ending = true
	}
	t.stopToo()
	if !t.look.IsZero() && !now.Before(t.look) && !now.Before(t.notBefore) {
		t.look = time.Time{}
		if t.root != nil && t.root.gone {
			t.letDaemonsGo()
		}
		if at := t.traced.Deadline(); at != 0 && now.UnixNano() >= at {
			t.step(tracee.Event{Kind: tracee.Time, At: now.UnixNano()})
		}
		t.clockwork(now)
		// However many processes there are, most of the time is for what happens.
		t.notBefore = time.Now().Add(4 * time.Since(now))
		at := t.look
		t.look = time.Time{}
		t.wake(at)
	}
}

// wake makes us look after clocks and time-outs at a time, or before.
func (t *tree) wake(at time.Time) {
	if at.Before(t.notBefore) && !at.IsZero() {
		at = t.notBefore
	}
	if at.IsZero() || !t.look.IsZero() && !at.Before(t.look) {
		return
	}
	t.look = at
	if t.alarm != nil {
		t.alarm.Stop()
	}
	t.alarm = time.AfterFunc(time.Until(at), t.tracer.Ring)
}

// clockwork stops the threads whose time has come, offers the time-outs that
// have passed, and says when to look again.
func (t *tree) clockwork(now time.Time) {
	t.wake(t.ends)
	t.wakeToAdopt()
	for _, p := range t.processes {
		if p.clk != nil {
			t.wake(p.clockwork(now))
		}
		if p.expires.IsZero() {
			continue
		}
		if now.Before(p.expires) {
			t.wake(p.expires)
			continue
		}
		p.expires = time.Time{}
		p.tell(notice{kind: timedOut})
	}
}

// stopToo stops us, if the terminal wanted our whole process group to stop and
// the program has: the shell waits for that.
func (t *tree) stopToo() {
	if t.root != nil && t.root.stopped && t.signals.StopWanted() {
		terminal.StopUs(t.root.stopSignal, func() bool {
			// We have not heard of it, or the program would not be known as stopped.
			status, err := proc.ReadStatus(t.root.pid, t.root.pid)
			return err != nil || status.Shared&tracer.Bit(unix.SIGCONT) != 0
		})
	}
}
