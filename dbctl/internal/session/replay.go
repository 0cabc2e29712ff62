package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/table"
	"github.com/profilecollection/pct/internal/visible"
)

// ReplayConfig is one run of a script on a transcript.
type ReplayConfig struct {
	Program    *machine.Program
	Vars       map[string]string // of the command line; they override the script's
	Transcript io.Reader         // as Config.Record got it
	Trace      func(line string) // told what the machine does, may be nil
	Stdout     io.Writer         // gets what the script would do, a line each
	Stderr     io.Writer
}

// Replay runs a script on a transcript, with no debugger and no process. It
// prints what the script would do, a line each and in order:
//
//	send backtrace 4                a debugger command
//	out pc: stopped signal="…"      a line for the file of an OUT
//	pipe sort -u: worker            a line for the filter of a PIPE
//	var x=12  field n=12            an output that is kept
//	sample n=12                     a sample, with its fields
//	eval worker n                   and so on: CLOCK, PROBE, COUNT, HIST, SUM, PRINT,
//	                                THREADS, SPAWN, DETACH, KILL, TIMEOUT, SHELL and QUIT in small letters
//	say text                        a message
//	echo text                       what ECHO prints
//
// A command's output is what it was in the transcript at the same event, and
// empty if it was not asked for there; likewise the value of an EVAL. Nothing
// but that is answered: a process that the script would kill goes on with the
// transcript's events. A process that it would let go has but its end.
//
// The steps of the tree of processes are made again. They must give the orders that they gave.
//
// The error is a *BadTranscript or a *Truncated; what is sound before it was
// replayed.
func Replay(cfg ReplayConfig) error {
	out := bufio.NewWriter(cfg.Stdout)
	r := &replay{cfg: cfg, out: out}
	wrong := readTranscript(cfg.Transcript, r.play)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cannot print what the script does: %w", err)
	}
	if errors.Is(wrong, errEnough) {
		return nil
	}
	return wrong
}

// errEnough ends a replay whose script has quit.
var errEnough = errors.New("the script has quit")

// replay performs what a script asks for by printing it.
type replay struct {
	cfg      ReplayConfig
	out      *bufio.Writer
	block    *block // nil: no rule is for the program
	pid      string
	scene    *scene // what is being played
	released bool   // the script let the process go, or has no rule for it
	quitted  bool
}

// play offers the event of a scene, then the debugger's lines that came after
// it.
func (r *replay) play(s *scene) error {
	r.scene = s
	if s.event != "" {
		r.event(s.event)
	}
	for _, line := range s.raw {
		if r.block != nil && r.block.m.UsesRaw() && !r.released && !r.quitted {
			r.block.stepRaw(line)
		}
	}
	if !r.quitted {
		return nil
	}
	if s.event != "eof" {
		r.block.step("eof")
	}
	return errEnough
}

func (r *replay) event(line string) {
	kind, _, _ := strings.Cut(line, " ")
	switch kind {
	case "started", "attached":
		r.pid = machine.EventField(line, "pid")
		r.program(machine.EventField(line, "exe"))
	case "exited", "killed", "eof":
		// The debugger is not needed to know them.
	default:
		if r.released {
			return
		}
	}
	if r.block != nil {
		r.block.step(line)
	}
	if kind == "exec" && !r.released && !r.quitted {
		r.program(machine.EventField(line, "exe"))
	}
}

// program takes the rule for an executable.
func (r *replay) program(exe string) {
	rule := r.cfg.Program.For(exe)
	if rule == nil {
		fmt.Fprintf(visible.Writer(r.cfg.Stderr), "dbctl: %v\n", &noRule{exe})
		r.block, r.released = nil, true
		return
	}
	m := machine.New(r.cfg.Program, rule, r.cfg.Vars)
	m.Set("pid", r.pid)
	m.Set("exe", exe)
	if r.cfg.Trace != nil {
		m.Trace(r.cfg.Trace)
	}
	ask(m, r)
	m.Complain(func(text string) { r.print("say", text) })
	r.block = &block{m: m, do: r, sinks: printedSinks{r}, say: func(format string, args ...any) {
		r.print("say", fmt.Sprintf(format, args...))
	}, print: func(text string) { r.print("echo", text) }}
}

// print prints one thing that the script does, of as many words as are not
// empty.
func (r *replay) print(words ...string) {
	sep := ""
	for _, w := range words {
		if w != "" {
			fmt.Fprintf(r.out, "%s%s", sep, oneLine(w))
			sep = " "
		}
	}
	r.out.WriteByte('\n')
}

// printedSinks are the outputs of a replay.
type printedSinks struct{ r *replay }

func (p printedSinks) write(to machine.Sink, text string) error {
	word := strings.ToLower(to.Kind.String())
	if to.Kind == machine.Var || to.Kind == machine.Field {
		p.r.print(word, to.Arg+"="+strings.TrimRight(text, "\n"))
		return nil
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		p.r.print(word, to.Arg+": "+line)
	}
	return nil
}

func (p printedSinks) close() {}

func (r *replay) commands(list []machine.Action) []string {
	outputs := make([]string, len(list))
	for i, c := range list {
		r.print("send", c.Args[0])
		if a := r.scene.take("answer", c.Args[0]); a != nil && len(c.Sinks) > 0 {
			outputs[i] = a.text
		}
	}
	return outputs
}

func (r *replay) evaluate(function, expression string, _ bool) (datum, bool) {
	r.print("eval", function, expression)
	if a := r.scene.take("value", function, expression); a != nil && a.ok {
		return datum{text: a.text}, true
	}
	return datum{}, false
}

func (r *replay) path() {}

func (r *replay) arguments() (datum, bool) {
	if a := r.scene.take("value", "", withArguments); a != nil && a.ok {
		return datum{text: a.text}, true
	}
	return datum{}, false
}

func (r *replay) variable(name string) string {
	if a := r.scene.take("value", "", "$"+name); a != nil && a.ok {
		return a.text
	}
	return ""
}

func (r *replay) sampled(fields []field) {
	words := []string{"sample"}
	for _, f := range fields {
		words = append(words, f.name+"="+f.value.text)
	}
	r.print(words...)
}

func (r *replay) clock(kind string, p time.Duration, random bool) error {
	if kind == "off" {
		r.print("clock off")
		return nil
	}
	word := ""
	if random {
		word = "random"
	}
	r.print("clock", kind, fmt.Sprint(p.Microseconds()), word)
	return nil
}

func (r *replay) count(in table.Name, key, number string) error {
	word := map[table.Kind]string{table.Count: "count", table.Hist: "hist", table.Sum: "sum"}[in.Kind]
	r.print(word, in.Text, key, number)
	return nil
}

func (r *replay) visitThreads() { r.print("threads") }

func (r *replay) printTables() { r.print("print") }

func (r *replay) probe(kind, functions, object string) error {
	r.print("probe", kind, functions, object)
	return nil
}

func (r *replay) detach() {
	r.print("detach")
	r.released = true
}

func (r *replay) quit(status int) {
	r.print("quit", fmt.Sprint(status))
	r.quitted = true
}

func (r *replay) timeout(after time.Duration) { r.print("timeout", fmt.Sprint(after.Milliseconds())) }
func (r *replay) spawn(pid int)               { r.print("spawn", fmt.Sprint(pid)) }

func (r *replay) kill(signal string) error {
	r.print("kill", signal)
	return nil
}

func (r *replay) shell(command string) string {
	r.print("shell", command)
	return ""
}

// oneLine is a text with its line breaks shown, so that what is printed for
// one thing is one line.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(text)
}
