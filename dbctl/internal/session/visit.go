package session

import (
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
)

// A visit is a stop of a thread for the script alone: THREADS has each thread of a process stop once, wherever it is,
// for an event. The event tells how many are still to come, so that the script knows which is the last.

// visitThreads asks for a visit of each thread that there is.
func (p *process) visitThreads() {
	if p.free.Load() {
		return
	}
	p.tracing(func() {
		for _, th := range p.threads.all() {
			if !th.visited && p.tree.want(th, tracee.Visit) == nil {
				th.visited = true
				p.visitsLeft++
			}
		}
	})
}

// visit is a thread that stands for one.
func (t *tree) visit(th *thread) {
	p := th.p
	if th.visited {
		th.visited = false
		p.visitsLeft--
	}
	p.tell(notice{kind: visits, thread: th, left: p.visitsLeft})
}

// unvisited is a thread that has ended. If it was to be the last one, the script is told that none is left.
func (t *tree) unvisited(th *thread) {
	p := th.p
	if !th.visited {
		return
	}
	th.visited = false
	p.visitsLeft--
	if p.visitsLeft == 0 && !p.gone && len(p.threads.ids()) > 0 {
		p.tell(notice{kind: visits})
	}
}

// visitLine is the event.
func (p *process) visitLine(now *moment, left int) string {
	if now.thread == nil {
		return machine.FormatEvent("stands", "left", itoa(left))
	}
	return p.place("stands", now, "thread", itoa(now.thread.number), "tid", itoa(now.thread.tid), "left", itoa(left))
}
