package session

import (
	"errors"
	"slices"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/machine"
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

// letGo has a thread go on which it has seen, when it has done what it was asked.
func (l *link) letGo(th *thread) {
	p := l.p
	p.hear(answerTime)
	th.unlend()
	th.show(false)
	p.soon(func() {
		if p.tree.threads[th.tid] == th {
			p.tree.goOnIf(th)
		}
	})
}
