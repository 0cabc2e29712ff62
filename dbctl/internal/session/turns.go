package session

import "github.com/profilecollection/pct/dbctl/internal/tracer"

// turns has the threads of a process whose memory is looked at make their steps
// one at a time, so that the one that is stopped is the one that wrote. A system
// call, which may last, is made outside of that.
type turns struct {
	of      *thread // who makes its step; nil: nobody
	waiting []*thread
}

// takesTurn reports whether a thread may go on now. If not it will, when it's its
// turn. The process's mutex is held.
func (t *tree) takesTurn(th *thread, how tracer.How) bool {
	p := th.p
	if how != tracer.Step || len(p.looked) == 0 || len(p.threads) == 1 || t.calls(th) {
		th.endTurn()
		return true
	}
	if p.turns.of == nil && len(p.turns.waiting) == 0 {
		p.turns.of = th
	}
	if p.turns.of != th {
		p.turns.waiting = append(p.turns.waiting, th)
		return false
	}
	return true
}

// endTurn is when a thread has made its step, or ended.
func (th *thread) endTurn() {
	if th.p.turns.of == th {
		th.p.turns.of = nil
	}
}

// nextTurn is when the step was looked after: the next one may be made.
func (t *tree) nextTurn(p *process) {
	for p.turns.of == nil && len(p.turns.waiting) > 0 {
		next := p.turns.waiting[0]
		p.turns.waiting = p.turns.waiting[1:]
		if t.threads[next.tid] == next {
			p.turns.of = next
			t.goOn(next)
		}
	}
}
