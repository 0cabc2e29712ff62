// Package tracee is the state of a tree of traced processes, and what is to be done at each event.
//
// It is pure. Step takes what the kernel tells, what the tree's owner asks, or what an order found
// out, and returns orders. It knows no ptrace, clock or file: the same events give the same orders,
// in a run, in a replay and in the model of the kernel that its test is.
//
// The owner carries the orders of one Step out in their order, before it gives the next event that
// is not an answer to one of them. An order that finds something out is answered at once, by an event.
// A thread that the owner is told of stands still until the owner says Resume, or Release.
package tracee

import (
	"maps"
	"slices"
)

// State is what a thread does; its comment is what to do next.
type State uint8

const (
	// Expected: its maker has told of it. Wait for its first stop.
	Expected State = iota
	// Running: wait for its next stop.
	Running
	// Standing: the owner was told. Leave it until the owner lets it go on.
	Standing
	// Listening: it has stopped with its job. Wait until that is continued.
	Listening
	// Leaving: detach it at its next stop.
	Leaving
)

// Origin says whether a thread's maker has told of it.
type Origin uint8

const (
	// Announced: nothing more will be said of it.
	Announced Origin = iota
	// Unannounced: its maker's event is still to come. Pass over that.
	Unannounced
)

// Fate is what becomes of a process; its comment is what to do with it.
type Fate uint8

const (
	// Followed: tell the owner of all that happens to it, and to what it makes.
	Followed Fate = iota
	// Released: detach each of its threads at its next stop, and what they make.
	Released
)

// Fork says what a fork of a process returns to.
type Fork uint8

const (
	// Plain: nothing of ours. The process may be let go anywhere.
	Plain Fork = iota
	// InTrap: a pause-trap. Let the process go only when it has met it.
	InTrap
)

// Errand is why a thread is to be stopped. Of those that wait, the first is done first.
type Errand uint8

const (
	NoErrand  Errand = iota // the owner looks at it and lets it go on
	SetBack                 // undo a call that a debugger made it do
	Begin                   // tell the script that it was attached to
	Halt                    // tell the debugger, which wants it to stand still
	Sample                  // its time has come
	Visit                   // tell the script that it stands
	Registers               // set its debug registers; done beside any other
	errands
)

// thread is one that is traced.
type thread struct {
	tid    int
	p      *process
	state  State
	origin Origin
	owed   int           // the signal to be delivered when it goes on
	waits  [errands]bool // errands that it is to be stopped for
}

// process is one that is traced, or was and is released.
type process struct {
	pid     int
	fate    Fate
	fork    Fork
	threads map[int]*thread
}

// Decision is what the owner wants of a child.
type Decision uint8

const (
	// Undecided: leave it at its first stop.
	Undecided Decision = iota
	// Follow: it becomes a process of the tree at its first stop.
	Follow
	// Drop: it is let go at its first stop.
	Drop
)

// child is a process between its maker's event and its own first stop.
type child struct {
	parent   int
	how      string
	shares   bool // its parent's memory
	begun    bool // it stands at its first stop
	origin   Origin
	decision Decision
}

// early is a thread or a process that has ended, or was let go, before its maker told of it.
type early struct {
	what what
	end  Event
}

// what is known of one that has ended early; its comment is what to do when its maker tells of it.
type what uint8

const (
	// aThread: pass over it.
	aThread what = iota
	// aProcess: tell the owner that it has passed.
	aProcess
	// unknown: it ended before its first stop. If it was made by clone, suppose that it was a thread.
	unknown
	// letGo: it runs on without us. Pass over it.
	letGo
)

// Tree is the state of all.
type Tree struct {
	processes map[int]*process
	threads   map[int]*thread
	children  map[int]*child
	strangers map[int]int64 // at their first stop, of unknown makers: since when
	early     map[int]early
	asked     map[int]Event // for which it is being found out what a thread is
	base      int           // the process that strangers without a parent become children of
	orders    []Order
}

// New is a tree of nothing.
func New() *Tree {
	return &Tree{
		processes: make(map[int]*process), threads: make(map[int]*thread), children: make(map[int]*child),
		strangers: make(map[int]int64), early: make(map[int]early), asked: make(map[int]Event),
	}
}

// Step takes an event and returns what is to be done.
func (t *Tree) Step(ev Event) []Order {
	t.orders = nil // nobody else's: orders are carried out while others come
	steps[ev.Kind](t, ev)
	return t.orders
}

var steps = [...]func(*Tree, Event){
	Born: (*Tree).born, Signaled: (*Tree).stopped, Grouped: (*Tree).stopped, Trapped: (*Tree).stopped,
	Forked: (*Tree).stopped, Executed: (*Tree).executed, Called: (*Tree).stopped, Ended: (*Tree).ended,
	Launched: (*Tree).taken, Seized: (*Tree).taken, Announce: (*Tree).announced, Decide: (*Tree).decided,
	Resume: (*Tree).resumed, Owe: (*Tree).owes, Want: (*Tree).wanted, Forgo: (*Tree).forgone,
	Release: (*Tree).released, Trap: (*Tree).trapLaid, Lost: (*Tree).lost, Missing: (*Tree).missing, Time: (*Tree).time,
	Found: (*Tree).found, Righted: (*Tree).righted, Judged: (*Tree).judged,
}

func (t *Tree) order(o Order) { t.orders = append(t.orders, o) }

func (t *Tree) tell(o Order) {
	o.Do = Tell
	t.order(o)
}

// State is what a thread does; false: it is none of the tree's.
func (t *Tree) State(tid int) (State, bool) {
	if th := t.threads[tid]; th != nil {
		return th.state, true
	}
	return 0, false
}

// Fate is that of a process; false: it is none of the tree's.
func (t *Tree) Fate(pid int) (Fate, bool) {
	if p := t.processes[pid]; p != nil {
		return p.fate, true
	}
	return 0, false
}

// Waits reports whether a thread is to be stopped for an errand.
func (t *Tree) Waits(tid int, e Errand) bool {
	th := t.threads[tid]
	return th != nil && th.waits[e]
}

// Leaving reports whether any thread or child is still to be detached.
func (t *Tree) Leaving() bool {
	for _, th := range t.threads {
		if th.p.fate == Released {
			return true
		}
	}
	return len(t.children) > 0
}

// Children are the processes that were made and have not begun.
func (t *Tree) Children() []int { return sorted(t.children) }

// sorted are the keys of a map: the same events are to give the same orders.
func sorted[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// Deadline is when Time is to be told next, in nanoseconds; 0: never.
func (t *Tree) Deadline() (at int64) {
	for _, since := range t.strangers {
		if at == 0 || since+AdoptTime < at {
			at = since + AdoptTime
		}
	}
	return at
}

func (t *Tree) newProcess(pid int) *process {
	p := &process{pid: pid, threads: make(map[int]*thread)}
	t.processes[pid] = p
	if t.base == 0 {
		t.base = pid
	}
	return p
}

func (t *Tree) newThread(p *process, tid int, s State) *thread {
	th := &thread{tid: tid, p: p, state: s}
	p.threads[tid], t.threads[tid] = th, th
	return th
}

// drop forgets a thread. If its maker's event is still to come, that is not to be taken for a birth.
func (t *Tree) drop(th *thread) {
	delete(th.p.threads, th.tid)
	delete(t.threads, th.tid)
	if th.origin == Unannounced {
		t.early[th.tid] = early{what: aThread}
	}
	if len(th.p.threads) == 0 && t.processes[th.p.pid] == th.p {
		delete(t.processes, th.p.pid)
	}
}
