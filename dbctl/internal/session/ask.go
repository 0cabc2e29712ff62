package session

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// listen waits for what the debugger tells, or for a notice.
func (p *process) listen() {
	l := p.link
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
		p.debuggerDied(err)
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

// debuggerDied goes on without it; the process is as it was.
func (p *process) debuggerDied(err error) {
	p.say("%v: process %d goes on without it", err, p.pid)
	if p.run != nil {
		p.run.note("the debugger died: what it was asked for is missing from then on")
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
	for _, th := range p.threadList() {
		p.mu.Lock()
		calling, standing := th.calling, th.standing
		if calling && standing {
			th.setBack()
		}
		p.mu.Unlock()
		if calling && !standing {
			th.back = true
			t.tracer.Interrupt(th.tid)
		}
	}
}

// command is one that was sent to the debugger.
type command struct {
	text string
	name int // the debugger's, of the thread that it was for
}

// answered deals with the answer to a command that was sent and not waited
// for: an error is an event.
func (p *process) answered(r *mi.Record) {
	c, ours := p.pending[r.Token]
	delete(p.pending, r.Token)
	if ours && r.Class == "error" {
		p.failed(c, r.Str("msg"))
	}
}

// failed tells the script, or else the user, that a command failed. It's no failure if
// the thread has ended meanwhile, as it does when another one ends the process.
func (p *process) failed(c command, message string) {
	if c.name != 0 && !slices.ContainsFunc(p.threadList(), func(th *thread) bool { return th.name == c.name }) {
		return
	}
	line := machine.FormatEvent("error", "command", c.text, "message", message)
	if p.now != nil || !p.offer(&moment{}, line) {
		// Within a block a script can't handle it.
		p.tree.sayOnce("%s: %s (command %q)", p.link.table.Name, strings.TrimSpace(message), c.text)
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

// aside keeps what comes before an awaited answer: events for later, text for
// whoever asked.
func (p *process) aside(r *mi.Record, text *strings.Builder) {
	if ev := p.link.table.Decode(r); ev.Kind != debugger.None {
		p.link.queue = append(p.link.queue, ev)
	} else if r.Kind == mi.Console {
		text.WriteString(r.Text)
	}
}
