package session

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/debugger"
	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
	"github.com/profilecollection/pct/internal/table"
	"github.com/profilecollection/pct/unwind"
)

// A process performs what its script asks for, on the thread of the event that
// is being acted on.

// commands sends all in one write. Only answers that are wanted are waited
// for, so that a block which ends with "continue" costs no round trip.
func (p *process) commands(list []machine.Action) []string {
	outputs := make([]string, len(list))
	if !slices.ContainsFunc(list, func(a machine.Action) bool { return !plain(a.Args[0]) }) {
		// To continue needs no debugger.
		p.continues(p.now)
		return outputs
	}
	if at := p.afterCall(list); at > 0 {
		before := p.commands(list[:at])
		p.hear(answerTime)
		return append(before, p.commands(list[at:])...)
	}
	var objects []*unwind.Object
	if p.needObjects() {
		objects = p.unwinder.Objects()
	}
	name := p.show(objects)
	if p.link == nil || name == 0 && p.now.held {
		p.resume(p.now)
		return outputs
	}
	p.readAllSymbols()
	table := p.link.table
	var wire []string
	var sent []int // indices of the commands on the wire
	answers := 0   // how many of them are to be waited for
	goes := false  // the thread goes on afterwards, without the debugger
	for i, a := range list {
		text := a.Args[0]
		if instead := table.Hardware(text); instead != "" {
			if err := p.tree.debugRegisters(); err != nil {
				p.tree.sayOnce("%s: %v: use %s (command %q)", a.Pos, err, instead, text)
				p.run.note(fmt.Sprintf("command %q was not executed: %v", text, err))
				continue
			}
		}
		if table.Watches(text) {
			p.link.watchesAlone()
		}
		if table.Resumes(text) {
			if !p.now.held || p.now.stays {
				continue // it runs
			}
			if p.link.views() {
				goes = true
				continue
			}
			p.now.held = false
			p.now.thread.giveUp()
			p.now.thread.unlend()
		}
		wire, sent = append(wire, table.Command(name, text)), append(sent, i)
		if len(a.Sinks) > 0 {
			answers = len(sent)
		}
	}
	if goes {
		defer func() { p.resume(p.now) }()
	}
	if len(wire) == 0 {
		return outputs
	}
	p.now.changed = true
	first, err := p.link.gdb.Send(wire...)
	if err != nil {
		return outputs
	}
	for i, at := range sent[answers:] {
		p.pending[first+answers+i] = command{text: list[at].Args[0], at: list[at].Pos, name: name}
	}
	p.collect(name, first, sent[:answers], list, outputs)
	if rec := p.recorder(); rec != nil {
		for i, a := range list {
			rec.answer(a.Args[0], outputs[i])
		}
	}
	return outputs
}

// afterCall is the index of a command that lets the thread go on, after one that may have it call a
// function: that has to be over before, or its end would be taken for the program's. 0: there is none.
func (p *process) afterCall(list []machine.Action) int {
	calls := slices.IndexFunc(list, func(a machine.Action) bool { return calling.MatchString(a.Args[0]) })
	if calls < 0 {
		return 0
	}
	resumes := p.tree.pool.Table().Resumes
	after := slices.IndexFunc(list[calls+1:], func(a machine.Action) bool { return resumes(a.Args[0]) })
	if after < 0 {
		return 0
	}
	return calls + 1 + after
}

// collect reads the answers to the commands for a thread at some indices, in their order.
// What is printed before an answer belongs to it.
func (p *process) collect(name, first int, sent []int, list []machine.Action, outputs []string) {
	deadline := time.Now().Add(answerTime)
	for n := 0; n < len(sent); {
		r, err := p.link.gdb.Next(deadline)
		if errors.Is(err, mi.ErrWoken) {
			continue
		}
		if err != nil {
			return // the next read tells
		}
		i := sent[n]
		if r.Kind != mi.Result {
			var text strings.Builder
			if ev := p.aside(r, &text); ev.Stands() && ev.Kind != debugger.Tick {
				outputs[i] = "" // a debugger says it before it tells of the stop
			}
			outputs[i] += text.String()
			continue
		}
		if r.Token != first+n {
			p.answered(r)
			continue
		}
		p.link.heed(r)
		if c := (command{text: list[i].Args[0], at: list[i].Pos, name: name}); r.Class == "error" {
			p.failed(c, r.Str("msg"))
		} else if r.Class == "running" {
			p.resumed(r.Token, c)
		} else if outputs[i] == "" && len(r.Results.Items) > 0 && !p.link.views() {
			// An MI command answers with results instead of text.
			outputs[i] = string(r.Raw[strings.IndexByte(string(r.Raw), ',')+1:])
		}
		n++
	}
}

// count counts in a table of the run. What is no number is told once.
func (p *process) count(in table.Name, key, number string) error {
	if err := p.tree.tables.count(in, key, number); err != nil {
		p.tree.sayOnce("table %s: %v", in.Text, err)
	}
	return nil
}

func (p *process) printTables() { p.tree.printTables() }

func (p *process) spawn(pid int) {
	p.tracing(func() { p.tree.decide(pid, tracee.Follow) })
}

func (p *process) detach() {
	if p.free.Load() {
		return
	}
	if p.run != nil {
		p.run.detached = true
	}
	p.unlink()
	p.tracing(func() {
		p.tree.note(p.tree.log.Mode(time.Now(), p.pid, "released"))
		p.tree.release(p)
	})
}

func (p *process) kill(signal string) error {
	sig := unix.SIGKILL
	if signal != "" {
		if sig = unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(signal), "SIG")); sig == 0 {
			return fmt.Errorf("unknown signal %q", signal)
		}
	}
	return unix.Kill(p.pid, sig)
}

func (p *process) timeout(after time.Duration) {
	p.waits = after > 0
	p.tracing(func() {
		p.expires = time.Time{}
		if after > 0 {
			p.expires = time.Now().Add(after)
			p.tree.wake(p.expires)
		}
	})
}

func (p *process) shell(command string) string {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Stderr = p.tree.cfg.Stderr
	out, err := cmd.Output()
	if err != nil {
		p.tree.sayOnce("the shell command %q ended with %v", command, err)
	}
	return string(out)
}

func (p *process) quit(status int) {
	p.soon(func() { p.tree.ending, p.tree.quitted, p.tree.code = true, true, status })
}
