package session

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/unwind"
)

// process is one process of the tree. What happens to it comes as notices, in
// order, and is acted on one by one: by the tracing goroutine itself, or if it
// is served, by a goroutine of its own, which may wait for a debugger.
type process struct {
	tree      *tree
	pid, ppid int

	// Of the tracing goroutine.
	threadsMade int
	stopped     bool // for job control
	stopSignal  unix.Signal
	gone        bool
	executed    bool // another program than it began with
	leaves      bool // to be let go when it executes another program
	unnoted     bool // and not part of the tree
	told        bool // that it was let go, or has ended
	served      bool
	status      unix.WaitStatus
	clk         clock
	asked       string // the kind of clock that the script asked for
	period      period
	lastClock   string // the clock that it had last
	expires     time.Time
	runs        image // what it executes
	watches
	trap forkTrap

	mu         sync.Mutex // guards what threads say it does
	threads    map[int]*thread
	points     *breakpoint.Set // guarded: of the memory that it executes in
	borrows    bool            // guarded: that is its parent's
	connecting *mi.Client      // guarded: a debugger that is being connected
	notes      map[string]int  // guarded

	repaired  atomic.Uint64 // system calls begun again
	unclocked atomic.Uint64 // threads that have no clock
	attempted atomic.Bool   // a sample is of a thread that was interrupted
	unseen    unseen        // time that its clock does not see
	free      atomic.Bool   // it runs on without us: what is read of it is of no instant

	inbox inbox

	// Of the goroutine that acts.
	image      // of which it has been told
	block      *block
	run        *run
	began      time.Duration // CPU time that it had used before this program
	joined     time.Duration // CPU time that it had used when we attached to it
	cpu        time.Duration // when it ended
	link       *link         // its debugger; nil: none yet; guarded for others
	noDebugger bool          // none can be had
	waitedFor  uint64        // times that it needed one and there was none free
	unwinder   *unwind.Unwinder
	memory     unwind.Memory
	now        *moment
	pending    map[int]command // sent commands whose answers nobody waits for, by token
	matchers   map[string]*matcher
	symbols    map[*unwind.Object]bool
	closers    []io.Closer
	matched    bool // a block was for the last event
	waits      bool // a block has armed a time-out: threads are not resumed
	buffer     []unwind.Frame
	taken      taken
	finished   bool
	samples    uint64 // of the programs before this one
	lost       uint64
}

// image is a program that a process executes.
type image struct {
	exe  string
	argv []string
	rule *machine.Exec // nil: none is for it
}

// moment is the event that is being acted on.
type moment struct {
	thread *thread // nil: of the whole process
	held   bool    // it stands still, and is not resumed yet
	stays  bool    // and must not be
	fresh  bool    // nothing of its program has run
	pc     uint64
	fn     string // as the debugger said it
	file   string
	line   string
	frames []unwind.Frame
	reason unwind.Reason
	weight uint64 // periods, of a tick
	at     time.Time
	cpu    time.Duration
}

// noticeKind tells what a notice is about.
type noticeKind int

const (
	begun        noticeKind = iota // a program begins, or was attached to: word tells
	ticked                         // a thread's time has come
	signalCame                     // a signal is to be delivered
	madeChild                      // a thread made a process
	executes                       // it executes another program
	threadBegan                    // a thread begins
	threadEnded                    // a thread has ended
	processEnded                   // the process has ended
	letGo                          // it's no longer traced
	timedOut                       // the script's time-out has passed
)

// notice is what the tracing goroutine tells of a process.
type notice struct {
	kind    noticeKind
	thread  *thread // stands still, but for the last kinds
	word    string
	fresh   bool // begun: by executing, nothing has run
	signal  unix.Signal
	child   int
	how     string
	runs    image // executes: what it does now
	status  unix.WaitStatus
	periods uint64
	at      time.Time
	cpu     time.Duration
}

// holds reports whether the thread stands still until the notice has been acted on.
func (n *notice) holds() bool { return n.thread != nil && n.kind < threadEnded }

// inbox keeps the notices of a served process until it comes to them.
type inbox struct {
	mu   sync.Mutex
	list []notice
	some chan struct{}
}

func (b *inbox) put(n notice) {
	b.mu.Lock()
	b.list = append(b.list, n)
	b.mu.Unlock()
	select {
	case b.some <- struct{}{}:
	default:
	}
}

func (b *inbox) take() (notice, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.list) == 0 {
		return notice{}, false
	}
	n := b.list[0]
	b.list = b.list[1:]
	return n, true
}

func (t *tree) newProcess(pid, ppid int) *process {
	p := &process{
		tree: t, pid: pid, ppid: ppid, threads: make(map[int]*thread),
		pending: make(map[int]command), matchers: make(map[string]*matcher), symbols: make(map[*unwind.Object]bool),
		memory: unwind.ProcessMemory(pid), points: newPoints(pid),
	}
	p.inbox.some = make(chan struct{}, 1)
	t.processes[pid] = p
	return p
}

func (p *process) say(format string, args ...any) { p.tree.say(format, args...) }

// tell has a notice acted on, now or soon. A process is told of its end once,
// and of nothing after it.
func (p *process) tell(n notice) {
	if p.told {
		return
	}
	if n.kind == letGo || n.kind == processEnded {
		p.told = true
		p.free.Store(true)
		delete(p.tree.processes, p.pid)
	}
	if !p.served && p.tree.habit(p.runs.rule).slow {
		p.served = true
		p.tree.served++
		if n.holds() {
			p.tree.stand(n.thread) // with all that a debugger may ask
		}
		go p.serve()
	}
	if !p.served {
		p.act(n)
		return
	}
	if n.holds() {
		p.mu.Lock()
		n.thread.kept = true
		p.mu.Unlock()
	}
	p.inbox.put(n)
	if l := p.debuggerLink(); l != nil {
		l.wake()
	}
}

// tracing has the tracing goroutine do something, before what it's told next.
func (p *process) tracing(work func()) {
	if p.served {
		p.tree.call(work)
		return
	}
	work()
}

// soon is tracing for what need not be waited for.
func (p *process) soon(work func()) {
	if p.served {
		p.tree.do(work)
		return
	}
	work()
}

// serve acts on what happens to a process, until it has ended.
func (p *process) serve() {
	for !p.finished {
		if n, ok := p.inbox.take(); ok {
			p.act(n)
			continue
		}
		if p.link == nil {
			<-p.inbox.some
			continue
		}
		p.listen()
	}
	p.tree.do(func() { p.tree.served-- })
}

func (p *process) threadList() []*thread {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*thread, 0, len(p.threads))
	for _, th := range p.threads {
		list = append(list, th)
	}
	return list
}

func (p *process) anyStands() bool { return slices.ContainsFunc(p.threadList(), (*thread).stands) }

func (p *process) newBlock() {
	m := p.tree.habit(p.rule).machine.Fresh()
	for name, value := range map[string]string{
		"pid": itoa(p.pid), "ppid": itoa(p.ppid), "exe": p.exe, "host": p.tree.host,
	} {
		m.Set(name, value)
	}
	if p.tree.cfg.Trace != nil {
		m.Trace(p.tree.cfg.Trace)
	}
	if p.run == nil {
		p.run = newRun(p)
	}
	p.block = &block{m: m, do: p, functions: p.tree.habit(p.rule).functions, say: p.say, sinks: newSinks(func(name string) (io.WriteCloser, error) {
		return p.run.append(name)
	}, p.tree.filters)}
}

// habit is what is found out once about a rule.
type habit struct {
	machine   *machine.Machine // to make others from
	slow      bool             // it asks for what has to be waited for: a debugger, or a shell
	debugger  bool             // a debugger, that is
	breaks    bool             // breakpoints, of a debugger or of a clock
	functions bool             // a pattern may look at functions' names
	evals     []evaluation     // what it asks, as far as that is known before it runs
}

// habit is that of a rule; the zero value if it's nil.
func (t *tree) habit(rule *machine.Exec) habit { return t.habits[rule] }

// learnHabits is before anything runs: the map is only read afterwards.
func (t *tree) learnHabits() {
	for _, rule := range t.cfg.Program.Execs {
		var h habit
		m := machine.New(t.cfg.Program, rule, t.cfg.Vars)
		h.debugger = commands(m) || len(m.Names(machine.Eval)) > 0
		h.breaks = h.debugger || counts(m)
		h.slow = h.debugger || len(m.Names(machine.Shell)) > 0
		for _, a := range m.Names(machine.Eval) {
			if !changes(a.Args[0]) && !changes(a.Args[1]) {
				h.evals = append(h.evals, evaluation{m.Expand(a.Args[0]), m.Expand(a.Args[1])})
			}
		}
		h.functions, h.machine = wantsFunctions(rule), m
		t.habits[rule] = h
	}
}

// commands reports whether a script gives a debugger commands.
func commands(m *machine.Machine) bool {
	return m.UsesRaw() || slices.ContainsFunc(m.Names(machine.Command), func(a machine.Action) bool { return !plain(a.Args[0]) })
}

// counts reports whether a script has a clock that counts calls.
func counts(m *machine.Machine) bool {
	return slices.ContainsFunc(m.Names(machine.Clock), func(a machine.Action) bool {
		_, yes := readCounted(m.Expand(a.Args[0]))
		return yes
	})
}

// Inserts reports whether the script may put breakpoints into processes.
func (c *Config) Inserts() bool {
	return slices.ContainsFunc(c.Program.Execs, func(rule *machine.Exec) bool {
		m := machine.New(c.Program, rule, c.Vars)
		return commands(m) || counts(m)
	})
}

// wantsFunctions reports whether a pattern may look at functions' names.
func wantsFunctions(rule *machine.Exec) bool {
	for _, g := range rule.Groups {
		for _, p := range g.Pats {
			if len(p.Sinks) > 0 || strings.Contains(p.Regex.String(), "func") {
				return true
			}
		}
	}
	return false
}

// plain reports whether a command needs no debugger.
func plain(command string) bool {
	switch strings.TrimSpace(command) {
	case "continue", "c", "fg", "-exec-continue":
		return true
	}
	return false
}

func itoa(n int) string { return strconv.Itoa(n) }

// commandLine is what a process was called with.
func commandLine(pid int) []string {
	text, err := os.ReadFile("/proc/" + itoa(pid) + "/cmdline")
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}
