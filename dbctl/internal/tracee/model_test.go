package tracee

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

var seed = flag.Uint64("seed", 1, "of TestModel")

// made is a step that was made.
type made struct {
	ev     Event
	orders []Order
}

// owner is what the tree's owner does with what it's told: it holds threads for the script or the
// debugger, puts breakpoints in, follows some children and lets processes go.
type owner struct {
	*kernel
	tree     *Tree
	makes    func(*Tree, Event) []Order // a step, perhaps one that is broken on purpose
	held     map[int]string             // threads that stand, and for what
	followed map[int]bool
	children map[int]bool // that wait for a decision
	released map[int]bool
	log      []made
	wrong    string // what is, first
}

func (o *owner) fail(format string, args ...any) {
	if o.wrong == "" {
		o.wrong = fmt.Sprintf(format, args...)
	}
}

func (o *owner) step(ev Event) {
	orders := o.makes(o.tree, ev)
	if o.wrong == "" {
		o.log = append(o.log, made{ev, orders})
	}
	for _, order := range orders {
		o.carryOut(order)
	}
}

func (o *owner) carryOut(d Order) {
	th := o.threads[d.Tid]
	if th == nil && d.Do != Tell && d.Do != Look {
		// It was killed meanwhile: its end is still to come. Else the order is wrong.
		coming := slices.ContainsFunc(o.queue, func(ev Event) bool { return ev.Tid == d.Tid || ev.Former == d.Tid })
		coming = coming || o.processes[d.Tid] != nil // the end of a first thread is told last
		if at := o.tree.threads[d.Tid]; at != nil {  // it has executed a program, and ends by the number of the first
			coming = coming || slices.ContainsFunc(o.queue, func(ev Event) bool { return ev.Kind == Ended && ev.Tid == at.p.pid })
		}
		if !coming {
			o.fail("order %d for thread %d, which has ended", d.Do, d.Tid)
		}
	}
	switch d.Do {
	case Restart, Detach, Listen:
		delete(o.held, d.Tid)
		if th == nil {
			return
		}
		if !th.stands {
			o.fail("order %d for thread %d, which runs", d.Do, d.Tid)
		}
		if !th.told {
			o.fail("order %d for thread %d before its stop was told", d.Do, d.Tid)
		}
		if th.owes != 0 && d.Signal != th.owes && d.Do != Listen {
			o.fail("thread %d was to get signal %d and got %d", d.Tid, th.owes, d.Signal)
		}
		th.owes = 0
		th.stands = d.Do == Listen
		th.listens = d.Do == Listen
		if d.Do == Detach {
			th.traced, th.interrupted = false, false
			if *th.g.memory > 0 {
				o.fail("thread %d is let go with %d breakpoints", d.Tid, *th.g.memory)
			}
		}
	case Interrupt:
		if th == nil {
			o.step(Event{Kind: Missing, Tid: d.Tid})
			return
		}
		th.interrupted = true
	case PutRight:
		if th != nil && !th.stands {
			o.fail("thread %d is put right while it runs", d.Tid)
		}
		o.step(Event{Kind: Righted, Tid: d.Tid, Stays: th != nil && o.r.IntN(5) == 0})
	case Judge:
		o.step(Event{Kind: Judged, Tid: d.Tid, Signal: d.Signal})
	case Look:
		ev := Event{Kind: Found, Tid: d.Tid, Again: o.r.IntN(20) == 0 && o.tree.asked[d.Tid].Kind == Time}
		if th != nil {
			ev.Group, ev.Parent, ev.Alive = th.g.pid, th.g.parent, true
		}
		o.step(ev)
	case Tell:
		o.hear(d, th)
	}
}

func (o *owner) hear(d Order, th *task) {
	switch d.Word {
	case ChildMade:
		o.children[d.Child] = true
		if d.Tid != 0 {
			o.hold(d)
		}
	case ChildBegins:
		delete(o.children, d.Tid)
		if o.followed[d.Tid] {
			o.fail("process %d is followed twice", d.Tid)
		}
		o.followed[d.Tid] = true
		if th != nil && !d.Shares {
			*th.g.memory = 0 // its copies are cleaned
		}
		if d.Decision == Drop {
			if !d.Shares || th == nil || *th.g.memory == 0 {
				o.release(d.Tid)
				return
			}
		}
		o.hold(d)
	case ChildGone, ChildPassed:
		delete(o.children, d.Child)
	case Renamed:
		delete(o.held, d.Former)
	case Replaced, ThreadGone:
		delete(o.held, d.Tid)
	case ThreadBegins, Program, Signal, Passes, Stop, Call:
		if th != nil && !th.stands {
			o.fail("it's told that thread %d stands", d.Tid)
		}
		o.hold(d)
	}
}

// hold lets a thread stand for a named reason, or go on at once.
func (o *owner) hold(d Order) {
	if o.r.IntN(3) == 0 {
		o.held[d.Tid] = fmt.Sprint("held for word ", d.Word)
		return
	}
	o.held[d.Tid] = "now"
	o.resume(d.Tid)
}

func (o *owner) resume(tid int) {
	delete(o.held, tid)
	o.step(Event{Kind: Resume, Tid: tid})
}

func (o *owner) release(pid int) {
	if g := o.processes[pid]; g != nil && !g.lent {
		*g.memory = 0 // they are taken out first
	}
	o.released[pid] = true
	o.step(Event{Kind: Release, Pid: pid})
}

// ask has the owner do one of the things that come from users, scripts, debuggers and clocks.
func (o *owner) ask() {
	tids := slices.Sorted(maps.Keys(o.tree.threads))
	if len(tids) == 0 {
		return
	}
	tid := tids[o.r.IntN(len(tids))]
	g := o.processes[o.tree.threads[tid].p.pid]
	switch n := o.r.IntN(100); {
	case n < 50:
		o.step(Event{Kind: Want, Tid: tid, Errand: Errand(o.r.IntN(int(errands)))})
	case n < 60:
		o.step(Event{Kind: Forgo, Tid: tid, Errand: Sample})
	case n < 64 && g != nil && !o.released[g.pid] && !g.lent && !o.lends(g):
		*g.memory++
	case n < 66 && g != nil && !g.lent && !o.lends(g):
		o.release(g.pid)
	}
}

func (o *owner) lends(g *group) bool {
	for _, other := range o.processes {
		if other != g && other.memory == g.memory {
			return true
		}
	}
	return false
}

// check holds the state of all threads against what the tree knows of them.
func (o *owner) check() {
	for tid, th := range o.threads {
		if !th.traced || !th.stands || !th.told || th.listens {
			continue
		}
		_, stranger := o.tree.strangers[tid]
		c := o.tree.children[tid]
		if o.held[tid] == "" && !stranger && (c == nil || c.decision != Undecided) {
			o.fail("thread %d stands for no reason", tid)
		}
	}
	for tid, th := range o.tree.threads {
		task := o.threads[tid]
		if task == nil || task.stands || task.interrupted || th.state != Running {
			continue
		}
		if th.waits != [errands]bool{} {
			o.fail("thread %d runs, and nothing will stop it for an errand", tid)
		}
	}
}

// over is when all threads have ended, of which the rest is told now. Nothing may be left to wait for.
func (o *owner) over() {
	for len(o.queue) > 0 {
		i := o.r.IntN(len(o.queue))
		ev := o.queue[i]
		o.queue = slices.Delete(o.queue, i, i+1)
		o.step(ev)
	}
	if n := len(o.tree.threads) + len(o.tree.children) + len(o.tree.strangers); n > 0 {
		o.fail("all have ended, and %d threads, children and strangers are waited for", n)
	}
}

func (o *owner) someTask() *task {
	tids := slices.Sorted(maps.Keys(o.threads))
	return o.threads[tids[o.r.IntN(len(tids))]]
}

// round runs a tree of processes until it has ended, or something is wrong.
func round(seed uint64, steps int, makes func(*Tree, Event) []Order) (o *owner, n int) {
	r := rand.New(rand.NewPCG(seed, 0))
	o = &owner{
		kernel: newKernel(r), tree: New(), makes: makes, held: map[int]string{}, followed: map[int]bool{},
		children: map[int]bool{}, released: map[int]bool{},
	}
	first := o.spawn(o.process(0), o.next, true)
	first.stands, first.told = true, true
	o.step(Event{Kind: Launched, Tid: first.tid})
	o.held[first.tid] = "launched"
	now := int64(0)
	for ; n < steps && len(o.threads) > 0 && o.wrong == ""; n++ {
		now += AdoptTime / 50
		switch p := r.IntN(100); {
		case p < 40:
			if th := o.someTask(); !th.stands {
				o.run(th)
			} else if th.listens && (th.interrupted || r.IntN(4) == 0) { // its job is continued
				th.listens, th.interrupted = false, false
				o.stop(th, Event{Kind: Trapped})
			}
		case p < 75 && len(o.queue) > 0:
			i := r.IntN(len(o.queue))
			ev := o.queue[i]
			o.queue = slices.Delete(o.queue, i, i+1)
			ev.At = now
			if th := o.threads[ev.Tid]; th != nil {
				th.told = true
			}
			o.step(ev)
		case p < 85 && len(o.held) > 0:
			tids := slices.Sorted(maps.Keys(o.held))
			o.resume(tids[r.IntN(len(tids))])
		case p < 90 && len(o.children) > 0:
			pids := slices.Sorted(maps.Keys(o.children))
			o.step(Event{Kind: Decide, Child: pids[r.IntN(len(pids))], Decision: Follow + Decision(r.IntN(2))})
		case p < 94:
			o.ask()
		case p < 95:
			o.kill(o.someTask())
		case p < 97 && o.tree.Deadline() != 0 && now >= o.tree.Deadline():
			o.step(Event{Kind: Time, At: now})
		}
		o.check()
	}
	if len(o.threads) == 0 {
		o.over()
	}
	return o, n
}

const mostSteps = 5000 // of a round

// A million steps of random trees.
func TestModel(t *testing.T) {
	total := 1_000_000
	if testing.Short() {
		total = 50_000
	}
	for s := *seed; total > 0; s++ {
		o, n := round(s, mostSteps, (*Tree).Step)
		if o.wrong != "" {
			for _, m := range o.log[max(0, len(o.log)-40):] {
				t.Log(Line(m.ev, m.orders))
			}
			t.Fatalf("seed %d, after %d steps: %s", s, n, o.wrong)
		}
		total -= max(n, 1)
	}
}

// without is a step that forgets some orders.
func without(forgets func(Event, Order) bool) func(*Tree, Event) []Order {
	return func(t *Tree, ev Event) []Order {
		return slices.DeleteFunc(t.Step(ev), func(o Order) bool { return forgets(ev, o) })
	}
}

// The model finds what is broken on purpose.
func TestModelFinds(t *testing.T) {
	for name, breaks := range map[string]func(*Tree, Event) []Order{
		"a stop that took the place of an interrupt ends the errand": without(func(ev Event, o Order) bool {
			return ev.Kind == Resume && o.Do == Interrupt
		}),
		"a child that stops before its maker's event is forgotten": func(t *Tree, ev Event) []Order {
			if ev.Kind == Found && t.asked[ev.Tid].Kind == Born {
				return nil
			}
			return t.Step(ev)
		},
		"a child that ends before its maker's event is forgotten": func(t *Tree, ev Event) []Order {
			defer clear(t.early)
			return t.Step(ev)
		},
		"strangers are never adopted": func(t *Tree, ev Event) []Order {
			if ev.Kind == Time {
				for tid := range t.strangers {
					delete(t.strangers, tid)
				}
			}
			return t.Step(ev)
		},
		"a signal is lost": func(t *Tree, ev Event) []Order {
			orders := t.Step(ev)
			for i := range orders {
				orders[i].Signal = 0
			}
			return orders
		},
		"a stopped job does not listen":           without(func(_ Event, o Order) bool { return o.Do == Listen }),
		"a thread that is let go is not":          without(func(_ Event, o Order) bool { return o.Do == Detach }),
		"the end of a thread is not known":        func(t *Tree, ev Event) []Order { return unless(t, ev, ev.Kind == Ended && t.threads[ev.Tid] != nil) },
		"a thread that executes keeps its number": without(func(_ Event, o Order) bool { return o.Word == Renamed || o.Word == Program }),
		"a child begins twice": func(t *Tree, ev Event) []Order {
			orders := t.Step(ev)
			for _, o := range orders {
				if o.Word == ChildBegins {
					return append(orders, o)
				}
			}
			return orders
		},
		"a decision comes too late": func(t *Tree, ev Event) []Order {
			if c := t.children[ev.Child]; ev.Kind == Decide && c != nil && c.begun {
				c.begun = false
			}
			return t.Step(ev)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for s := range uint64(3000) {
				if o, n := round(s, mostSteps, breaks); o.wrong != "" {
					t.Logf("found in round %d, after %d steps: %s", s, n, o.wrong)
					return
				}
			}
			t.Error("nothing is found")
		})
	}
}

// unless makes a step, or none.
func unless(t *Tree, ev Event, not bool) []Order {
	if not {
		return nil
	}
	return t.Step(ev)
}
