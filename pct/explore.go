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
		{"r", "RESOURCE", "select which measured resource to report",
			func(o *options, s string) error { o.explore.resource = s; return nil }},
		{"c", "COMMANDS", "execute these commands, separated by ; (may be repeated)",
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
		summary: "Call path profiles by commands, with the data read once",
		details: `
Reads commands, one per line; samples are read once. On a terminal Tab completes
words, arrow keys recall earlier lines, ^D leaves. Otherwise commands come from
standard input; # begins a comment; the exit status is 1 if a command fails.

` + list.String() + `
Commands can be abbreviated. Options set the initial values.
`,
		flags:   slices.DeleteFunc(flags, func(name string) bool { return name == "O FILE" }),
		least:   significant,
		example: "-c 'fn; up db_read_record; again' /tmp/pct/forms.4711",
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
