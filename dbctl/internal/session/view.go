package session

import (
	"errors"
	"slices"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// A debugger such as lldb sees one thread at a time that stands still, and lets none go on: we do.

// views reports whether the debugger is such a one.
func (l *link) views() bool { return l.table.Look != nil }

// viewable is what of a run only gdb can do.
func (c *Config) viewable() error {
	if c.Eval == Both {
		return errors.New("-eval both compares with values as gdb writes them: leave out -debugger")
	}
	if slices.ContainsFunc(c.Program.Execs, func(rule *machine.Exec) bool { return machine.New(c.Program, rule, c.Vars).UsesRaw() }) {
		return errors.New("RAW patterns match what gdb writes: leave out -debugger, or use patterns of events")
	}
	return nil
}

// look has it see a thread, and returns its name for that; 0: it can't.
func (l *link) look(th *thread) int {
	if l.viewed == th && th.isShown() {
		return th.name
	}
	p := l.p
	p.hear(answerTime) // to what it was asked of the thread that it has seen so far
	th.show(true)
	l.server.Look(th.tid)
	if _, _, err := p.ask(time.Now().Add(answerTime), l.table.Look(th.tid)); err != nil {
		th.show(false)
		l.stuck = err
		return 0
	}
	if !p.stands(th) {
		th.show(false)
		return 0
	}
	l.sees(th)
	return th.name
}

// sees is when it sees a thread, which it may have call functions.
func (l *link) sees(th *thread) {
	l.viewed = th
	th.name = th.tid
	th.lend()
}

// heed puts the breakpoints in that an answer asks for, and takes the others out.
func (l *link) heed(r *mi.Record) {
	if !l.views() {
		return
	}
	wanted, ok := l.table.ReadPoints(r)
	if !ok {
		return
	}
	now := make(map[uint64]bool, len(wanted))
	for _, addr := range wanted {
		now[addr] = true
		if !l.points[addr] {
			if err := l.p.Insert(addr); err != nil {
				l.p.tree.sayOnce("no breakpoint at %#x: %v", addr, err)
			}
		}
	}
	for addr := range l.points {
		if !now[addr] {
			_ = l.p.Remove(addr) // it may be gone with its object
		}
	}
	l.points = now
}

// metView is a thread at a breakpoint of such a debugger's.
func (t *tree) metView(th *thread) {
	p := th.p
	again := th.meetsAgain() // it was told
	th.hasMet()
	th.at = th.regs.Rip
	if again {
		t.goOn(th)
		return
	}
	p.tell(notice{kind: met, thread: th})
}

// met asks the debugger which breakpoint was met, and offers that.
func (p *process) met(now *moment) {
	p.now = now
	defer func() { p.now = nil }()
	name := p.show(nil)
	if name == 0 {
		return
	}
	_, r, err := p.ask(time.Now().Add(answerTime), p.link.table.Hit(name))
	if err != nil {
		p.tree.sayOnce("%v", err)
		return
	}
	ev, ok := p.link.table.ReadHit(r)
	if !ok {
		return
	}
	now.fn, now.file, now.line = ev.Func, ev.File, ev.Line
	p.offer(now, p.place("breakpoint", now, "number", ev.Number, "thread", itoa(now.thread.number)))
}

// letGo has a thread go on which it has seen, when it has done what it was asked.
func (l *link) letGo(th *thread) {
	p := l.p
	p.hear(answerTime)
	if th.inCall() && !th.stands() && p.threads.get(th.tid) == th {
		l.stuck = errors.New("a function that it calls does not end")
		return
	}
	th.settle()
	th.unlend()
	th.show(false)
	p.soon(func() {
		if p.tree.threads[th.tid] == th {
			p.tree.goOnIf(th)
		}
	})
}
