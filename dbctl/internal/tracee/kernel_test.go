package tracee

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// kernel is a small model of Linux as a tracer sees it: threads that run, stop, fork, execute and end,
// and events that wait to be told in any order that the kernel may choose.
type kernel struct {
	r         *rand.Rand
	threads   map[int]*task
	processes map[int]*group
	next      int
	queue     []Event // told later, one for a thread that stands
}

type task struct {
	tid         int
	g           *group
	traced      bool
	stands      bool
	interrupted bool
	owes        int  // the signal for which it stands
	listens     bool // it stands for job control, as it was told to
	told        bool // its stop was given to Step
}

// group is a process. Its breakpoints are those that its memory has.
type group struct {
	pid    int
	parent int
	memory *int // breakpoints in it
	lent   bool
	traced bool // its first thread was, when it ended
	alive  int
}

func newKernel(r *rand.Rand) *kernel {
	return &kernel{r: r, threads: map[int]*task{}, processes: map[int]*group{}, next: 100}
}

func (k *kernel) spawn(g *group, tid int, traced bool) *task {
	th := &task{tid: tid, g: g, traced: traced}
	k.threads[tid] = th
	g.alive++
	return th
}

func (k *kernel) process(parent int) *group {
	k.next++
	g := &group{pid: k.next, parent: parent, memory: new(int)}
	k.processes[g.pid] = g
	return g
}

// stop has a thread stand, to be told of.
func (k *kernel) stop(th *task, ev Event) {
	ev.Tid = th.tid
	th.stands, th.told = true, false
	k.queue = append(k.queue, ev)
}

// end is the end of a thread, whatever was to be told of it. If all of a process have ended the
// first is told last.
func (k *kernel) end(th *task) {
	delete(k.threads, th.tid)
	k.queue = slices.DeleteFunc(k.queue, func(ev Event) bool { return ev.Tid == th.tid })
	g := th.g
	g.alive--
	if th.tid == g.pid {
		g.traced = th.traced
	} else if th.traced {
		k.queue = append(k.queue, Event{Kind: Ended, Tid: th.tid})
	}
	if g.alive == 0 {
		delete(k.processes, g.pid)
		if g.traced {
			k.queue = append(k.queue, Event{Kind: Ended, Tid: g.pid, Status: 256, CPU: 5, At: 7})
		}
	}
}

// run lets one thread do something.
func (k *kernel) run(th *task) {
	g := th.g
	if !th.traced {
		if k.r.IntN(3) == 0 {
			k.end(th)
		}
		return
	}
	if th.interrupted {
		th.interrupted = false
		if k.r.IntN(4) > 0 {
			k.stop(th, Event{Kind: Trapped})
			return
		}
		th.interrupted = true // another stop comes first
	}
	switch n := k.r.IntN(100); {
	case n < 12 && len(k.threads) < 40:
		ways := []string{"fork", "vfork", "clone", "clone"}
		how := ways[k.r.IntN(len(ways))]
		thread := how == "clone" && k.r.IntN(3) > 0
		ev := Event{Kind: Forked, How: how}
		var child *task
		if thread {
			k.next++
			child = k.spawn(g, k.next, true)
		} else {
			made := k.process(g.pid)
			ev.Shares = how == "vfork"
			if ev.Shares {
				made.memory, made.lent = g.memory, true
			} else {
				*made.memory = *g.memory
			}
			child = k.spawn(made, made.pid, true)
		}
		ev.Child = child.tid
		if how == "clone" {
			ev.Group = child.g.pid
		}
		k.stop(child, Event{Kind: Trapped})
		k.stop(th, ev)
	case n < 16:
		if first := k.threads[g.pid]; first != nil && first != th && first.stands {
			// It dies of this, and its number is th's at once. A restart that is meant for it would be
			// taken for one of th's, whose stop would never be told: no tracer can help that.
			return
		}
		former := th.tid
		for _, tid := range slices.Sorted(maps.Keys(k.threads)) {
			if other := k.threads[tid]; other.g == g && other != th {
				delete(k.threads, tid)
				k.queue = slices.DeleteFunc(k.queue, func(ev Event) bool { return ev.Tid == tid })
				if tid != g.pid {
					k.queue = append(k.queue, Event{Kind: Ended, Tid: tid})
				}
				g.alive--
			}
		}
		delete(k.threads, th.tid)
		th.tid = g.pid
		k.threads[th.tid] = th
		g.memory, g.lent = new(int), false
		k.stop(th, Event{Kind: Executed, Former: former})
	case n < 30:
		th.owes = 1 + k.r.IntN(30)
		k.stop(th, Event{Kind: Signaled, Signal: th.owes})
	case n < 33:
		k.stop(th, Event{Kind: Grouped, Signal: 19})
	case n < 36:
		k.stop(th, Event{Kind: Called})
	case n < 44:
		k.end(th)
	}
}

// kill ends a thread wherever it is, or its whole process.
func (k *kernel) kill(th *task) {
	if k.r.IntN(2) == 0 {
		for _, tid := range slices.Sorted(maps.Keys(k.threads)) {
			if other := k.threads[tid]; other != nil && other.g == th.g && tid != th.g.pid {
				k.end(other)
			}
		}
		if first := k.threads[th.g.pid]; first != nil {
			k.end(first)
		}
		return
	}
	k.end(th)
}
