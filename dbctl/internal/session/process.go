package session

import (
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/internal/syscalls"
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
	expires     time.Time
	runs        image // what it executes
	watches
	probes      *probes      // nil: the script has asked for none
	traced      syscalls.Set // the system calls that the script wants to be told of,
	tracedPaths bool         // with the paths of their descriptors
	visitsLeft  int          // threads that are to stop for the script

	trap       forkTrap
	tally      tally
	connecting *mi.Client // a debugger that is being connected
	listener   *link      // its debugger, which is told of stops and ends; nil: none

	// Of all: the tracing goroutine changes them.
	threads threads
	points  atomic.Pointer[pointsOf]
	free    atomic.Bool // it runs on without us: what is read of it is of no instant
	inbox   queue[notice]

	// Of the goroutine that acts.
	image      // of which it has been told
	block      *block
	run        *run
	began      time.Duration // CPU time that it had used before this program
	joined     time.Duration // CPU time that it had used when we attached to it
	cpu        time.Duration // when it ended
	link       *link         // its debugger; nil: none yet
	noDebugger bool          // none can be had
	waitedFor  uint64        // times that it needed one and there was none free
	unwinder   *unwind.Unwinder
	memory     unwind.Memory
	now        *moment
	pending    map[int]command // sent commands whose answers nobody waits for, by token
	matchers   map[string]*matcher
	symbols    map[*unwind.Object]bool
	files      map[*unwind.Object]*debugObject // those of the objects; nil values too
	local      *threadLocal                    // nil: not looked up
	written    []byte                          // by a plan, for its next run
	onPath     calls                           // of the present event
	closers    []io.Closer
	matched    bool // a block was for the last event
	waits      bool // a block has armed a time-out: threads are not resumed
	buffer     []unwind.Frame
	changes    int // of objects that the probes have found, of which unwinder knows
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
	few    bool // frames are but the innermost ones
	reason unwind.Reason
	weight uint64 // periods, of a tick
	at     time.Time
	cpu    time.Duration

	results []evaluated // of expressions
	changed bool        // a debugger may have changed memory and registers since they were read
	float   []byte      // the image of the floating point registers, once it was wanted
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
	probed                         // a probe was met: probe tells
	visits                         // a thread stands for the script: left tells how many will yet; or none is left
	met                            // a breakpoint was met of a debugger that sees one thread at a time
	threadEnded                    // a thread has ended
	callEnded                      // a thread has ended in a system call: probe tells
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
	counted tally   // of the run that ends: executes, processEnded, letGo
	now     *moment // once something of it was found out, nil before
	probe   *probeEvent
	left    int // visits: how many are still to come
}

// holds reports whether the thread stands still until the notice has been acted on.
func (n *notice) holds() bool { return n.thread != nil && n.kind < threadEnded }

func (t *tree) newProcess(pid, ppid int) *process {
	p := &process{
		tree: t, pid: pid, ppid: ppid, threads: threads{list: make(map[int]*thread)},
		pending: make(map[int]command), matchers: make(map[string]*matcher), symbols: make(map[*unwind.Object]bool),
		files:  make(map[*unwind.Object]*debugObject),
		memory: unwind.ProcessMemory(pid), inbox: newQueue[notice](),
	}
	p.points.Store(t.newPoints(pid))
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
	if n.kind == executes || n.kind == letGo || n.kind == processEnded {
		n.counted = p.tally.take()
	}
	if !p.served && (p.tree.habit(p.runs.rule).slow || p.mustAsk(&n)) {
		p.served = true
		p.tree.served++
		if n.holds() {
			if r, changed := n.thread.pending(); changed {
				p.tree.write(n.thread.tid, r)
			}
			p.tree.stand(n.thread) // with all that a debugger may ask
		}
		go p.serve()
	}
	if !p.served {
		p.act(n)
		return
	}
	if n.holds() {
		n.thread.keep()
	}
	p.inbox.put(n)
	if p.listener != nil {
		p.listener.gdb.Wake()
	}
}

// mustAsk reports whether only a debugger can evaluate what the rule may ask at an event. It is not
// carried out then, but left to a goroutine that can wait; what was evaluated is kept.
func (p *process) mustAsk(n *notice) bool {
	evals := p.tree.habit(p.rule).evals
	if len(evals) == 0 || p.tree.cfg.Eval == Natively || !n.holds() || n.kind == executes || n.fresh || p.block == nil {
		return false
	}
	if n.probe != nil {
		p.knowObjects(n.probe.changes)
	}
	n.now = n.moment()
	p.now = n.now
	defer func() { p.now = nil }()
	return slices.ContainsFunc(evals, func(e evaluation) bool {
		m, err := p.matcher(e.function)
		return err == nil && p.callPath(p.now) != nil && p.results(m, e.expression, e.shown).verdict == refused
	})
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

func (p *process) anyStands() bool {
	return slices.ContainsFunc(p.threads.all(), func(th *thread) bool { return th.stands() })
}

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
	if evals := p.tree.habit(p.rule).evals; len(evals) > 0 {
		go p.tree.debugData.prepare(p.exe, evals)
	}
	ask(m, p)
	m.Complain(func(text string) { p.tree.sayOnce("%s", text) })
	p.block = &block{m: m, do: p, functions: p.tree.habit(p.rule).functions, say: p.say, print: p.tree.print, sinks: newSinks(func(name string) (io.WriteCloser, error) {
		return p.run.append(name)
	}, p.tree.filters)}
}

// habit is what is found out once about a rule.
type habit struct {
	machine   *machine.Machine // to make others from
	slow      bool             // it asks for what has to be waited for: a debugger, or a shell
	debugger  bool             // a debugger, that is, whatever the program is
	breaks    bool             // breakpoints, of a debugger or of a clock
	functions bool             // a pattern may look at functions' names
	evaluates bool             // it asks for values of expressions
	spawns    bool             // it follows children
	evals     []evaluation     // for these, as far as that is known before it runs
}

// habit is that of a rule; the zero value if it's nil.
func (t *tree) habit(rule *machine.Exec) habit { return t.habits[rule] }

// learnHabits is before anything runs: the map is only read afterwards.
func (t *tree) learnHabits() {
	for _, rule := range t.cfg.Program.Execs {
		var h habit
		m := machine.New(t.cfg.Program, rule, t.cfg.Vars)
		evals := m.Names(machine.Eval)
		h.evaluates = len(evals) > 0 || len(m.Names(machine.Probe)) > 0 || m.Uses("path") || m.Uses("stack") || slices.ContainsFunc(m.Names(machine.Sample), func(a machine.Action) bool { return len(a.Args) > 0 })
		h.debugger = commands(m) || len(evals) > 0 && (t.cfg.Eval == ByDebugger || t.cfg.Eval == Both)
		h.breaks = h.debugger || counts(m) || len(m.Names(machine.Probe)) > 0
		h.spawns = len(m.Names(machine.Spawn)) > 0
		h.slow = h.debugger || len(m.Names(machine.Shell)) > 0
		for _, a := range evals {
			if changes(a.Args[0]) || changes(a.Args[1]) || calling.MatchString(a.Args[1]) {
				// A debugger may be needed, and to have the program call a function it sets a breakpoint.
				h.slow, h.breaks = h.slow || t.cfg.Eval != Natively, true
			}
			if !changes(a.Args[0]) && !changes(a.Args[1]) {
				h.evals = append(h.evals, evaluation{m.Expand(a.Args[0]), m.Expand(a.Args[1]), shows(a.Sinks) || t.showsAll()})
			}
		}
		h.functions, h.machine = wantsFunctions(rule), m
		t.habits[rule] = h
	}
}

// calling is what looks like a call of a function in an expression.
var calling = regexp.MustCompile(`[\w)\]]\s*\(`)

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
		return commands(m) || counts(m) || len(m.Names(machine.Probe)) > 0
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
