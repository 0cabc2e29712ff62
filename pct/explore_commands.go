package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// errQuit is how the command quit ends.
var errQuit = errors.New("quit")

// off as an argument takes a setting away.
const off = "off"

// An explorerCommand is a word, and for all but some the rest of the line.
type explorerCommand struct {
	name     string
	argument string // as the help shows it, "" none, in brackets if it may be left out
	summary  string
	report   bool                         // it prints a report, not a line
	words    func(x *explorer) []string   // that the argument may be, for completion
	listed   bool                         // words may follow each other, with commas between them
	run      func(*session, string) error // with its argument
}

// session is an explorer while it does a command: what that says is collected.
type session struct {
	*explorer
	text bytes.Buffer
}

func explorerCommands() []explorerCommand {
	view := func(name string) func(*session, string) error {
		return func(s *session, _ string) error { return s.show(name) }
	}
	rooted := func(name string) func(*session, string) error {
		return func(s *session, root string) error {
			if root != "" {
				if err := s.setRoot(root); err != nil {
					return err
				}
			}
			s.direction = name
			return s.show(name)
		}
	}
	return []explorerCommand{
		{name: "fn", summary: "function profile: each with all that it called", report: true, run: view("fn")},
		{name: "body", summary: "body profile: each function by itself", report: true, run: view("body")},
		{name: "down", argument: "[ROOT]", summary: "downward call path profile of the root", report: true,
			words: (*explorer).functions, run: rooted("down")},
		{name: "up", argument: "[ROOT]", summary: "upward call path profile of the root", report: true,
			words: (*explorer).functions, run: rooted("up")},
		{name: "tree", summary: "sample tree profile", report: true, run: view("tree")},
		{name: "again", summary: "the last report with the current settings", report: true,
			run: func(s *session, _ string) error { return s.show(s.view) }},
		{name: "more", summary: "the last report with all rows", report: true,
			run: func(s *session, _ string) error {
				if s.last == nil {
					return errors.New("there is no report yet; fn makes one")
				}
				return s.last(&s.text, 0)
			}},
		{name: "write", argument: "FILE", summary: "write the last report with all rows to FILE", run: (*session).write},
		{name: "root", argument: "[FUNCTION]", summary: "the function that call path profiles begin or end with",
			words: (*explorer).functions, run: func(s *session, arg string) error {
				if arg != "" {
					if err := s.setRoot(arg); err != nil {
						return err
					}
				}
				return s.say("root %s", s.root)
			}},
		{name: "direction", argument: "[down|up]", summary: "the profile that again prints",
			words: func(*explorer) []string { return []string{"down", "up"} }, run: (*session).setDirection},
		{name: "threshold", argument: "[FRACTION]", summary: "leave out rows below it: 0.01, 1%, 0",
			run: func(s *session, arg string) error {
				if arg != "" {
					f, err := fraction(arg)
					if err != nil {
						return err
					}
					s.Threshold = f
				}
				return s.say("threshold %s", percentText(s.Threshold))
			}},
		{name: "frames", argument: "[GRANULARITY]", summary: "what a frame is: " + strings.Join(frameWords, " "),
			words: func(*explorer) []string { return frameWords }, run: (*session).setFrames},
		{name: "resource", argument: "[NAME]", summary: "which measured resource to report",
			words: func(x *explorer) []string { return x.runs.Resources() }, run: (*session).setResource},
		{name: "through", argument: "F,G", summary: "only call paths through F and, further in, G",
			words: (*explorer).functions, listed: true,
			run: func(s *session, arg string) error { return s.addRefinement(arg, false) }},
		{name: "not", argument: "F,G", summary: "only call paths not through F and, further in, G",
			words: (*explorer).functions, listed: true,
			run: func(s *session, arg string) error { return s.addRefinement(arg, true) }},
		{name: "undo", summary: "undo the last through or not", run: (*session).undo},
		{name: "clear", summary: "undo all of them", run: func(s *session, _ string) error {
			s.Refinements = nil
			return s.sayLeft()
		}},
		{name: "where", argument: "[EXPR|off]", summary: "only samples for which EXPR holds: n > 1000",
			words: (*explorer).fieldNames, run: (*session).setWhere},
		{name: "window", argument: "[FROM,TO|off]", summary: "only samples of this time: 2,5 or cpu:,1",
			run: (*session).setWindow},
		{name: "by", argument: "[FIELD|off]", summary: "a profile for each value of FIELD",
			words: (*explorer).fieldNames, run: (*session).setBy},
		{name: "errors", argument: "[on|off]", summary: "print standard errors",
			words: func(*explorer) []string { return []string{"on", off} }, run: (*session).setErrors},
		{name: "rows", argument: "[NUMBER|all]", summary: "at most this number of rows",
			words: func(*explorer) []string { return []string{"all"} }, run: (*session).setRows},
		{name: "show", summary: "all settings", run: func(s *session, _ string) error { s.settings(); return nil }},
		{name: "help", argument: "[COMMAND]", summary: "describe the commands", words: commandNames, run: (*session).help},
		{name: "quit", summary: "leave", run: func(*session, string) error { return errQuit }},
	}
}

// frameWords are what frames can be told apart by.
var frameWords = []string{"sym", "call", "line", "addr", "src", "obj"}

func commandNames(*explorer) []string {
	var names []string
	for _, c := range explorerCommands() {
		names = append(names, c.name)
	}
	return names
}

// do does the command of a line, and returns what it has to say; errQuit if it was the last.
func (x *explorer) do(line string) ([]byte, error) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return nil, nil
	}
	word, arg := splitCommand(line)
	c, err := findCommand(word)
	if err != nil {
		return nil, err
	}
	arg, err = unquote(arg)
	switch {
	case err != nil:
		return nil, err
	case c.argument == "" && arg != "":
		return nil, fmt.Errorf("%s takes no argument", c.name)
	case c.argument != "" && c.argument[0] != '[' && arg == "":
		return nil, fmt.Errorf("%s needs an argument: %s %s", c.name, c.name, c.argument)
	}
	s := &session{explorer: x}
	if err := c.run(s, arg); err != nil {
		return nil, err
	}
	return s.text.Bytes(), nil
}

// splitCommand divides a line into the command's word and its argument.
func splitCommand(line string) (word, arg string) {
	line = strings.TrimSpace(line)
	end := strings.IndexFunc(line, unicode.IsSpace)
	if end < 0 {
		return line, ""
	}
	return line[:end], strings.TrimSpace(line[end:])
}

// unquote takes the quotes off an argument that is in quotes as a whole.
func unquote(arg string) (string, error) {
	if len(arg) < 2 || arg[0] != '"' || arg[len(arg)-1] != '"' {
		return arg, nil
	}
	plain, err := strconv.Unquote(arg)
	if err != nil {
		return arg, nil // "a" == name || name == "b" is an expression
	}
	return plain, nil
}

// quiet reports whether a line prints no report.
func (x *explorer) quiet(line string) bool {
	word, _ := splitCommand(line)
	c, err := findCommand(word)
	return err != nil || !c.report
}

// aliases are what people try who know other programs.
var aliases = map[string]string{"?": "help", "exit": "quit"}

// findCommand finds the command that a word, or the beginning of one, means.
func findCommand(word string) (explorerCommand, error) {
	if name, ok := aliases[word]; ok {
		word = name
	}
	var fitting []explorerCommand
	var names []string
	var all []calltree.Frame
	for _, c := range explorerCommands() {
		if c.name == word {
			return c, nil
		}
		if strings.HasPrefix(c.name, word) {
			fitting, names = append(fitting, c), append(names, c.name)
		}
		all = append(all, calltree.Frame{Name: c.name})
	}
	switch len(fitting) {
	case 1:
		return fitting[0], nil
	case 0:
		near := "help lists the commands"
		if like := calltree.Nearest(all, word, 1); len(like) > 0 {
			near = fmt.Sprintf("did you mean %s? (%s)", like[0], near)
		}
		return explorerCommand{}, fmt.Errorf("unknown command %s; %s", visible.Text(word), near)
	}
	return explorerCommand{}, fmt.Errorf("%s can be %s", word, strings.Join(names, " or "))
}

// say collects a line about a setting.
func (s *session) say(format string, args ...any) error {
	fmt.Fprintf(&s.text, "# %s\n", visible.Text(fmt.Sprintf(format, args...)))
	return nil
}

// sayLeft says what the refinements leave.
func (s *session) sayLeft() error {
	groups, err := s.groups()
	if err != nil {
		return err
	}
	left := 0
	for _, g := range groups {
		left += g.Tree.Whole().Samples
	}
	return s.say("%d of %d samples are left", left, s.selected.Samples())
}

func (s *session) write(name string) error {
	if s.last == nil {
		return errors.New("there is no report yet; fn makes one")
	}
	var text bytes.Buffer
	if err := s.greet(&text); err != nil {
		return err
	}
	if err := s.last(&text, 0); err != nil {
		return err
	}
	if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
		return err
	}
	return s.say("written to %s", name)
}

func (s *session) help(arg string) error {
	if arg != "" {
		c, err := findCommand(arg)
		if err != nil {
			return err
		}
		fmt.Fprintf(&s.text, "%s: %s\n", strings.TrimSpace(c.name+" "+c.argument), c.summary)
		return nil
	}
	for _, c := range explorerCommands() {
		fmt.Fprintf(&s.text, "  %-24s%s\n", strings.TrimSpace(c.name+" "+c.argument), c.summary)
	}
	fmt.Fprintln(&s.text, "Begin with fn, which shows where the weight is; up and down of a function that has much\n"+
		"of it show who calls it and what it calls.")
	return nil
}

func (s *session) setDirection(arg string) error {
	switch {
	case arg == "":
	case strings.HasPrefix("down", arg):
		s.direction, s.view = "down", "down"
	case strings.HasPrefix("up", arg):
		s.direction, s.view = "up", "up"
	default:
		return fmt.Errorf("want down or up, not %q", arg)
	}
	return s.say("direction %s", s.direction)
}

func (s *session) setFrames(arg string) error {
	if arg != "" {
		g, err := path.ParseFrames(arg)
		if err != nil {
			return err
		}
		s.Granularity = g
	}
	return s.say("frames %s", frameWord(s.Granularity))
}

func (s *session) setResource(arg string) error {
	all := s.runs.Resources()
	if arg != "" {
		if !slices.Contains(all, arg) {
			return fmt.Errorf("no run measures %q; there is %s", arg, strings.Join(all, " and "))
		}
		before := s.explore.resource
		s.explore.resource = arg
		if err := s.open(); err != nil {
			s.explore.resource = before
			return err
		}
	}
	return s.say("%s", s.resourcesText())
}

func (s *session) addRefinement(arg string, not bool) error {
	before := s.Refinements
	if err := s.refine(arg, not); err != nil {
		return err
	}
	if !slices.ContainsFunc(s.mustGroups(), func(g path.Group) bool { return g.Tree.Whole().Samples > 0 }) {
		s.Refinements = before
		return errors.New("that leaves no call path; it was not done")
	}
	return s.sayLeft()
}

func (s *session) undo(string) error {
	if len(s.Refinements) == 0 {
		return errors.New("there is no refinement")
	}
	s.Refinements = slices.Clone(s.Refinements[:len(s.Refinements)-1])
	return s.sayLeft()
}

func (s *session) setErrors(arg string) error {
	switch arg {
	case "":
	case "on":
		s.options.errors = true
	case off:
		s.options.errors = false
	default:
		return fmt.Errorf("want on or off, not %q", arg)
	}
	return s.say("errors %s", map[bool]string{true: "on", false: off}[s.options.errors])
}

func (s *session) setRows(arg string) error {
	switch arg {
	case "":
	case "all":
		s.Rows, s.allRows = 0, true
	default:
		n, err := positive(arg)
		if err != nil {
			return err
		}
		s.Rows, s.allRows = n, false
	}
	return s.say("rows %s", s.rowsText())
}
