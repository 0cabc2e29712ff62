package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
)

// listen waits for what the debugger tells, or for a notice.
func (p *process) listen() {
	l := p.link
	if l.stuck != nil {
		p.without(l.stuck, "the debugger could not let its threads go on")
		return
	}
	if len(l.queue) > 0 {
		ev := l.queue[0]
		l.queue = l.queue[1:]
		p.happened(ev)
		return
	}
	r, err := l.gdb.Next(time.Time{})
	if errors.Is(err, mi.ErrWoken) {
		return
	}
	if err != nil {
		p.without(err, "the debugger died")
		return
	}
	if p.block != nil && p.block.m.UsesRaw() {
		p.block.stepRaw(string(r.Raw))
	}
	if r.Kind == mi.Result {
		p.answered(r)
	} else if ev := l.table.Decode(r); ev.Kind != debugger.None {
		p.happened(ev)
	}
}

// without ends the debugger, or buries it; the process goes on as it was.
func (p *process) without(why error, note string) {
	p.say("%v: process %d continues without it", why, p.pid)
	if p.run != nil {
		p.run.note(note + ": its values are missing from then on")
	}
	shown := p.unlink()
	p.noDebugger = true
	p.tracing(func() { p.tree.abandonCalls(p) })
	for _, th := range shown {
		p.onward(th)
	}
}

// abandonCalls sets threads back that a debugger, which is gone, was making call a
// function of the program.
func (t *tree) abandonCalls(p *process) {
	for _, th := range p.threads.all() {
		switch {
		case !th.inCall():
		case th.stands():
			th.setBack()
		default:
			t.want(th, tracee.SetBack)
		}
	}
}

// command is one that was sent to the debugger.
type command struct {
	text string
	at   machine.Pos // in the script
	name int         // the debugger's, of the thread that it was for
	ours bool        // no script has asked for it
}

// answered deals with the answer to a command that was sent and not waited
// for: an error is an event.
func (p *process) answered(r *mi.Record) {
	p.link.heed(r)
	c, ours := p.pending[r.Token]
	delete(p.pending, r.Token)
	switch {
	case !ours:
	case r.Class == "running":
		p.resumed(r.Token, c)
	case r.Class == "error":
		p.failed(c, r.Str("msg"))
	}
}

// hear reads the answers to the script's commands that have none so far, and keeps the events among them for
// later.
func (p *process) hear(patience time.Duration) {
	deadline := time.Now().Add(patience)
	for p.link != nil && p.unanswered() {
		r, err := p.link.gdb.Next(deadline)
		if errors.Is(err, mi.ErrWoken) {
			continue
		}
		if err != nil {
			return // the next read tells
		}
		if r.Kind == mi.Result {
			p.answered(r)
			continue
		}
		var ignored strings.Builder
		p.aside(r, &ignored)
	}
}

// unanswered reports whether a command of the script has no answer so far.
func (p *process) unanswered() bool {
	for token, c := range p.pending {
		if !c.ours && p.link.resumed[c.name] != token {
			return true
		}
	}
	return false
}

// resumed keeps the command that let a thread go on last: having said so, gdb may
// still say that it failed.
func (p *process) resumed(token int, c command) {
	l := p.link
	delete(p.pending, l.resumed[c.name])
	l.resumed[c.name], p.pending[token] = token, c
}

// failed tells the script, or else the user, that a command failed. It's no failure if
// the thread has ended meanwhile, as it does when another one ends the process.
func (p *process) failed(c command, message string) {
	threads := p.threads.all()
	i := slices.IndexFunc(threads, func(th *thread) bool { return th.name == c.name })
	if i < 0 && p.link.table.Ended(strings.TrimSpace(message)) {
		return
	}
	line := machine.FormatEvent("error", "command", c.text, "message", message)
	if !c.ours && (p.now != nil || !p.offer(&moment{}, line)) {
		// Within a block a script can't handle it.
		p.tree.sayOnce("%s: %s: %s (command %q)", c.at, p.link.table.Name, strings.TrimSpace(message), c.text)
	}
	if i >= 0 && (c.ours || p.link.table.Resumes(c.text)) {
		p.stayed(threads[i], c, message)
	}
}

// stayed is when the debugger has not let a thread go on, for the command made no
// sense to it, or a breakpoint can't be put in. Without any command it will, and
// if not, the debugger goes.
func (p *process) stayed(th *thread, c command, message string) {
	l := p.link
	told := slices.ContainsFunc(l.queue, func(ev debugger.Event) bool { return ev.Thread == c.name })
	switch {
	case !th.stays() || told || l.table.Running(message):
	case p.now != nil && p.now.thread == th:
		p.now.held = true // until the end of the block
	case !c.ours:
		l.resume(th)
	default:
		l.stuck = fmt.Errorf("%s: %s", l.table.Name, strings.TrimSuffix(strings.Join(strings.Fields(message), " "), "."))
	}
}

// ask sends a command and returns what it printed, and its answer.
func (p *process) ask(deadline time.Time, command string) (string, *mi.Record, error) {
	if p.link == nil {
		return "", nil, errors.New("there is no debugger")
	}
	token, err := p.link.gdb.Send(command)
	if err != nil {
		return "", nil, err
	}
	var text strings.Builder
	for {
		r, err := p.link.gdb.Next(deadline)
		if errors.Is(err, mi.ErrWoken) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		switch {
		case r.Kind == mi.Result && r.Token == token:
			p.link.heed(r)
			if r.Class == "error" {
				return text.String(), r, &mi.CommandError{Command: command, Message: r.Str("msg")}
			}
			return text.String(), r, nil
		case r.Kind == mi.Result:
			p.answered(r)
		default:
			p.aside(r, &text)
		}
	}
}

// aside keeps what comes before an awaited answer, events for later and text for whoever asked, and returns the event.
func (p *process) aside(r *mi.Record, text *strings.Builder) debugger.Event {
	ev := p.link.table.Decode(r)
	if ev.Kind != debugger.None {
		p.link.queue = append(p.link.queue, ev)
	} else if r.Kind == mi.Console {
		text.WriteString(r.Text)
	}
	return ev
}
