package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
	"golang.org/x/term"
)

type exploreOptions struct {
	resource string   // of the runs that count, "" all
	commands []string // of -c
}

func exploreFlags() []flag {
	return []flag{
		{"r", "RESOURCE", "of runs that measured different things, those that measured RESOURCE: cpu, real, faults",
			func(o *options, s string) error { o.explore.resource = s; return nil }},
		{"c", "COMMANDS", "do these commands instead of reading any, with ; between them; may be repeated",
			func(o *options, s string) error { o.explore.commands = append(o.explore.commands, s); return nil }},
	}
}

func exploreCommands() []command {
	var list strings.Builder
	for _, c := range explorerCommands() {
		fmt.Fprintf(&list, "  %-24s%s\n", strings.TrimSpace(c.name+" "+c.argument), c.summary)
	}
	flags := append([]string{"c", "e", "n ROWS", "threshold"}, callFlags...)
	return []command{{
		name:    "explore",
		summary: "Look at call path profiles from all sides, by commands",
		details: `
Reads commands, a line each, and answers each at once: the samples are read, and
addresses translated, only once. On a terminal lines can be edited, Tab completes
commands and names of functions, the arrow keys bring back earlier lines (they are kept
in $XDG_STATE_HOME/pct/history or ~/.local/state/pct/history), ^C drops a line, ^D
leaves. A report takes no more rows than the screen has; more shows it whole. Without
a terminal the same commands come from a file; a line that begins with # is a comment,
and a command that fails makes the exit status 1 in the end.

` + list.String() + `
Commands may be cut short: f of fn, d of down would be one if it were not that
of direction, too. The argument is the rest of the line, so that names may have blanks.
A function is also named without its parameters and name space; * stands for any text.
Flags are what the commands begin with.
`,
		flags:   slices.DeleteFunc(flags, func(name string) bool { return name == "O FILE" }),
		least:   significant,
		example: "-c 'fn; up db_read_record; not address_information; again' /tmp/pct/forms.4711",
		run:     (*invocation).exploring,
	}}
}

// exploring does the commands of a terminal, of a file, or of -c.
func (v *invocation) exploring() error {
	client, err := startTranslator(v.translator)
	if err != nil {
		return err
	}
	defer client.Close()
	x := &explorer{invocation: v, translator: newMemory(client), view: "fn", direction: "down"}
	if err := x.open(); err != nil {
		return err
	}
	in, fromFile := v.stdin.(*os.File)
	out, toFile := v.stdout.(*os.File)
	if len(v.explored()) == 0 && fromFile && toFile && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) {
		return x.converse(in, out)
	}
	if err := x.greet(v.stdout); err != nil {
		return err
	}
	if all := v.explored(); len(all) > 0 {
		return x.script(slices.Values(all), "command")
	}
	text, err := io.ReadAll(v.stdin)
	if err != nil {
		return fmt.Errorf("reading commands: %w", err)
	}
	return x.script(strings.Lines(string(text)), "line")
}

// explored are the commands of -c. A semicolon within quotes is none.
func (v *invocation) explored() []string {
	var all []string
	for _, s := range v.explore.commands {
		quoted := false
		all = append(all, strings.FieldsFunc(s, func(r rune) bool {
			if r == '"' {
				quoted = !quoted
			}
			return r == ';' && !quoted
		})...)
	}
	return all
}

// open opens the runs. Of several resources that were measured it takes one.
func (x *explorer) open() error {
	runs, selected, err := x.choose()
	var mixed *path.MixedResources
	if errors.As(err, &mixed) && len(mixed.All) > 1 {
		x.explore.resource = mixed.All[0]
		if slices.Contains(mixed.All, resource.CPU) {
			x.explore.resource = resource.CPU
		}
		runs, selected, err = x.choose()
	}
	if err != nil {
		return err
	}
	x.runs, x.selected = runs, selected
	x.forget()
	return nil
}

// greet says what there is to be explored.
func (x *explorer) greet(w io.Writer) error {
	err := report.Head(w, x.runs.Summary(), x.selected.Samples(), x.selected.Limits())
	if all := x.runs.Resources(); err == nil && len(all) > 1 {
		_, err = fmt.Fprintf(w, "# %s\n", visible.Text(x.resourcesText()))
	}
	return err
}

// script does commands that nobody waits for. What names their number in messages.
func (x *explorer) script(lines func(func(string) bool), what string) error {
	number, wrong := 0, 0
	for line := range lines {
		number++
		text, err := x.do(line)
		if errors.Is(err, errQuit) {
			break
		}
		if err != nil {
			wrong++
			x.warn("%s %d: %v", what, number, err)
			continue
		}
		if len(text) > 0 && !x.quiet(line) {
			text = append([]byte("\n"), text...)
		}
		if _, err := x.stdout.Write(text); err != nil {
			return err
		}
	}
	switch wrong {
	case 0:
		return nil
	case 1:
		return errors.New("1 command failed")
	}
	return fmt.Errorf("%d commands failed", wrong)
}
