package script

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// A checker makes a program of statements, and reports what the grammar cannot
// see.
type checker struct {
	*parser
	groups []string // of the rule being checked
	sample bool     // the block being checked has a SAMPLE
}

// A variable is a SET outside of blocks.
type variable struct {
	machine.Set
	depth int // of includes
	value lexer.Token
}

func (c *checker) program(items []*node) *machine.Program {
	out := &machine.Program{}
	var file []variable
	for _, n := range items {
		if s, ok := n.form.(*set); ok {
			file = append(file, c.set(n, s))
		}
	}
	file = strongest(file, nil)
	for _, v := range file {
		out.Sets = append(out.Sets, v.Set)
	}
	rules := 0
	for _, n := range items {
		if n.word.Value == "EXEC" {
			rules++
			if e := c.exec(n, file); e != nil {
				out.Execs = append(out.Execs, e)
			}
		}
	}
	if rules == 0 && len(c.list) == 0 {
		message := "the script has no EXEC"
		if len(items) == 0 {
			message = "the script is empty"
		}
		c.report(lexer.Position{Filename: c.sources[0].id, Line: 1, Column: 1}, 1, message, statements[0].usage)
	}
	return out
}

func (c *checker) set(n *node, s *set) variable {
	c.settable(s.Name, s.Name.Value)
	text := c.template(s.Value)
	return variable{machine.Set{Pos: c.pos(n.word.Pos), Name: s.Name.Value, Value: text}, n.depth, s.Value}
}

// strongest keeps one SET per variable: the one that came through the fewest
// includes, so that a script has its way with what it includes, and the last of
// those. SETs weaker than one in over, the enclosing level, go too.
func strongest(list, over []variable) []variable {
	var out []variable
	for i, v := range list {
		weaker := func(w variable) bool { return w.Name == v.Name && w.depth < v.depth }
		later := func(w variable) bool { return w.Name == v.Name && w.depth <= v.depth }
		if !slices.ContainsFunc(list, weaker) && !slices.ContainsFunc(over, weaker) && !slices.ContainsFunc(list[i+1:], later) {
			out = append(out, v)
		}
	}
	return out
}

// circles reports variables whose values mention themselves.
func (c *checker) circles(list []variable) {
	mentions := make(map[string][]string)
	for _, v := range list {
		mentions[v.Name], _ = machine.Mentions(v.Value)
	}
	for _, v := range list {
		seen := make(map[string]bool)
		var walk func(names []string)
		walk = func(names []string) {
			for _, n := range names {
				if !seen[n] {
					seen[n] = true
					walk(mentions[n])
				}
			}
		}
		walk(mentions[v.Name])
		if seen[v.Name] {
			c.reportToken(v.value, "the value of $"+v.Name+" mentions $"+v.Name+" itself",
				"values are expanded when they are used, not when they are set")
		}
	}
}

// settable reports a variable that a script can't set.
func (c *checker) settable(t lexer.Token, name string) {
	if slices.Contains(reserved, name) {
		c.reportToken(t, "$"+name+" is kept by dbctl and cannot be set", "choose another name")
	}
}

// template checks a string in which variables are expanded and returns its text.
func (c *checker) template(t lexer.Token) string {
	text := unquote(t.Value)
	if _, err := machine.Mentions(text); err != nil {
		c.reportToken(t, err.Error(), "a variable is written $name or ${name}, a dollar $$")
	}
	return text
}

// regex compiles a pattern; nil if it is bad.
func (c *checker) regex(t lexer.Token) *regexp.Regexp { return c.compile(t, unquote(t.Value)) }

func (c *checker) compile(t lexer.Token, text string) *regexp.Regexp {
	re, err := regexp.Compile(text)
	if err != nil {
		message := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		c.reportToken(t, "bad regular expression: "+message, "the syntax is that of Go: https://go.dev/s/re2syntax")
		return nil
	}
	for _, name := range re.SubexpNames() {
		c.settable(t, name)
	}
	return re
}

func (c *checker) exec(n *node, file []variable) *machine.Exec {
	out := &machine.Exec{Pos: c.pos(n.word.Pos), Options: make(map[string]string)}
	if head, ok := n.form.(*execHead); ok {
		for _, o := range head.Options {
			if !slices.Contains(execOptions, o.Name.Value) {
				hint := didYouMean(o.Name.Value, execOptions)
				if len(execOptions) == 0 {
					hint = "EXEC has no options: write EXEC()"
				}
				c.reportToken(o.Name, "unknown option "+o.Name.Value, hint)
			}
			out.Options[o.Name.Value] = unquote(o.Value.Value)
		}
		out.Regex = c.regex(head.Regex)
	}
	var sets []variable
	c.groups = nil
	known := true // all groups are
	for _, item := range n.items {
		switch form := item.form.(type) {
		case *set:
			sets = append(sets, c.set(item, form))
		case *groupHead:
			if !slices.Contains(c.groups, form.Name.Value) {
				c.groups = append(c.groups, form.Name.Value)
			}
		default:
			known = known && item.word.Value != "PAT_GROUP"
		}
	}
	if !known {
		c.groups = nil
	}
	sets = strongest(sets, file)
	for _, v := range sets {
		out.Sets = append(out.Sets, v.Set)
	}
	overridden := func(v variable) bool {
		return slices.ContainsFunc(sets, func(w variable) bool { return w.Name == v.Name })
	}
	c.circles(append(slices.DeleteFunc(slices.Clone(file), overridden), sets...))

	merged := make(map[string]*machine.Group)
	for _, item := range n.items {
		if item.word.Value != "PAT_GROUP" {
			continue
		}
		name := ""
		if head, ok := item.form.(*groupHead); ok {
			name = head.Name.Value
		}
		g := merged[name]
		if g == nil {
			g = &machine.Group{Pos: c.pos(item.word.Pos), Name: name}
			merged[name] = g
			out.Groups = append(out.Groups, g)
		}
		for _, pat := range item.items {
			g.Pats = append(g.Pats, c.pat(pat))
		}
	}
	if out.Regex == nil {
		return nil
	}
	return out
}

func (c *checker) pat(n *node) *machine.Pat {
	out := &machine.Pat{Pos: c.pos(n.word.Pos), Rank: machine.DefaultRank}
	c.sample = slices.ContainsFunc(n.items, func(item *node) bool { return item.word.Value == "SAMPLE" })
	if head, ok := n.form.(*patHead); ok {
		if head.Rank != nil {
			rank, err := strconv.ParseInt(head.Rank.Value, 10, 32)
			if err != nil {
				c.reportToken(*head.Rank, "this rank is too large", "")
			}
			out.Rank = int(rank)
		}
		out.Raw = head.Raw
		out.Regex = c.regex(head.Regex)
		out.Sinks = c.sinks(head.Sinks)
	}
	for _, item := range n.items {
		switch form := item.form.(type) {
		case *command:
			if strings.TrimSpace(unquote(form.Text.Value)) == "" {
				c.reportToken(form.Text, "an empty command", "")
			}
			out.Actions = append(out.Actions, machine.Action{
				Pos: c.pos(item.word.Pos), Verb: machine.Command,
				Args: []string{c.template(form.Text)}, Sinks: c.sinks(form.Sinks),
			})
		case *call:
			if a, ok := c.call(form); ok {
				out.Actions = append(out.Actions, a)
			}
		}
	}
	return out
}

func (c *checker) call(f *call) (machine.Action, bool) {
	v := verbNamed(f.Verb.Value)
	if v == nil {
		c.reportToken(f.Verb, "unknown verb "+f.Verb.Value, didYouMean(f.Verb.Value, verbWords()))
		return machine.Action{}, false
	}
	out := machine.Action{Pos: c.pos(f.Verb.Pos), Verb: v.verb, Sinks: c.sinks(f.Sinks)}
	if least, most := v.arity(); len(f.Args) < least || len(f.Args) > most {
		count := strconv.Itoa(least)
		if most > least {
			count += " to " + strconv.Itoa(most)
		}
		plural := "s"
		if least == 1 && most == 1 {
			plural = ""
		}
		c.reportToken(f.Verb, fmt.Sprintf("%s takes %s argument%s, not %d", v.word, count, plural, len(f.Args)),
			"it is written "+v.usage()+";")
		return out, false
	}
	for i, a := range f.Args {
		out.Args = append(out.Args, c.arg(v, &v.params[i], a.Value))
	}
	if v.verb == machine.Clock && len(out.Args) == 1 {
		if out.Args[0] != "off" {
			c.reportToken(f.Verb, "CLOCK wants an interval in microseconds", "for instance CLOCK("+f.Args[0].Value.Value+", 10000);")
		}
		out.Args = append(out.Args, "0")
	}
	if len(f.Sinks) > 0 && !v.text {
		c.reportToken(f.Sinks[0].Kind, v.word+" yields no text to send to "+f.Sinks[0].Kind.Value, "")
	}
	return out, true
}

// arg checks one argument and returns its text.
func (c *checker) arg(v *verb, p *param, t lexer.Token) string {
	text := t.Value
	if t.Type == stringType {
		text = c.template(t)
	}
	wrong := func() string {
		c.reportToken(t, fmt.Sprintf("%s of %s must be %s", p.name, v.word, p.wants()), "it is written "+v.usage()+";")
		return text
	}
	switch p.kind {
	case groupName:
		if t.Type != nameType {
			return wrong()
		}
		if c.groups != nil && !slices.Contains(c.groups, text) {
			c.reportToken(t, "unknown group "+text, didYouMean(text, c.groups))
		}
		return text
	case variableName:
		if t.Type != nameType {
			return wrong()
		}
		c.settable(t, text)
		return text
	}
	if names, _ := machine.Mentions(text); len(names) > 0 {
		return text // known at run time only
	}
	switch p.kind {
	case anyText:
		if t.Type == nameType {
			return wrong()
		}
	case wholeNumber:
		n, err := strconv.Atoi(text)
		if err != nil || n < p.min || n > p.max {
			return wrong()
		}
	case oneOf:
		if !slices.Contains(p.words, text) {
			return wrong()
		}
	case signalName:
		if unix.SignalNum("SIG"+strings.TrimPrefix(text, "SIG")) == 0 {
			return wrong()
		}
	case functionText:
		if t.Type != stringType {
			return wrong()
		}
		c.compile(t, strings.ReplaceAll(text, "$$", "$"))
	}
	return text
}

func (c *checker) sinks(list []*sink) []machine.Sink {
	var out []machine.Sink
	for _, s := range list {
		out = append(out, c.sink(s))
	}
	return out
}

func (c *checker) sink(s *sink) machine.Sink {
	text := s.Arg.Value
	quoted := s.Arg.Type == stringType
	if quoted {
		text = unquote(text)
	}
	out := machine.Sink{Arg: text}
	switch s.Kind.Value {
	case "OUT":
		out.Kind = machine.Out
		c.quoted(s, "OUT", `OUT("stack")`)
		if quoted {
			c.outputName(s.Arg, c.template(s.Arg))
		}
	case "PIPE":
		out.Kind = machine.Pipe
		c.quoted(s, "PIPE", `PIPE("sort | uniq -c")`)
		if quoted && strings.TrimSpace(c.template(s.Arg)) == "" {
			c.reportToken(s.Arg, "an empty command", "")
		}
	case "VAR":
		out.Kind = machine.Var
		if quoted {
			c.reportToken(s.Arg, "VAR wants the name of a variable, without quotes", "for instance VAR(depth)")
		} else {
			c.settable(s.Arg, text)
		}
	case "FIELD":
		out.Kind = machine.Field
		if text == "" {
			c.reportToken(s.Arg, "a field must have a name", "")
		}
		if !c.sample {
			c.reportToken(s.Kind, "FIELD belongs to a sample, and this block has no SAMPLE", "add SAMPLE(); to the block, or use OUT")
		}
	}
	return out
}

// quoted reports an argument that should have been a string.
func (c *checker) quoted(s *sink, word, example string) {
	if s.Arg.Type != stringType {
		c.reportToken(s.Arg, word+" wants a string in quotes", "for instance "+example)
	}
}

// outputName checks the name of a file in the run directory, as far as it is
// known before it is expanded.
func (c *checker) outputName(t lexer.Token, name string) {
	switch {
	case name == "" || name == "." || name == ".." || strings.Contains(name, "/"):
		c.reportToken(t, "OUT wants the name of a file without its directory", "the file is made in the run directory of the process")
	case slices.Contains(reservedFiles, name):
		c.reportToken(t, "the file "+name+" of a run directory is written by dbctl itself", "choose another name")
	}
}
