package script

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// A checker makes a program of statements, and reports what the grammar cannot
// see.
type checker struct {
	*parser
	groups []string // of the rule being checked
	sample bool     // the block being checked has a SAMPLE
	names  names
	rules  []groups
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
	if c.options.Strict && len(c.list) == 0 {
		for _, r := range c.rules {
			c.unreachable(r)
		}
		c.unset()
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
	if machine.OfEvent(name) {
		c.reportToken(t, "$"+name+" is a field or an argument of the event and cannot be set", "choose another name")
	}
	if c.names.set == nil {
		c.names.set = make(map[string]bool)
	}
	c.names.set[name] = true
	if slices.Contains(reserved, name) {
		c.reportToken(t, "$"+name+" is kept by dbctl and cannot be set", "choose another name")
	}
}

// template checks a string in which variables are expanded and returns its text.
func (c *checker) template(t lexer.Token) string {
	text := unquote(t.Value)
	if err := c.mentions(t, text); err != nil {
		c.reportToken(t, err.Error(), "a variable is written $name, ${name} or ${name[key]}, a dollar $$")
	}
	return text
}

// formula reads a formula; nil if it is bad.
func (c *checker) formula(t lexer.Token) *machine.Formula {
	text := unquote(t.Value)
	f, err := machine.ParseFormula(text)
	if err != nil {
		c.reportToken(t, "bad formula: "+err.Error(), "for instance $n > 4 && $name == 'main'")
	}
	c.mentions(t, text)
	return f
}

// condition reads the formula of an IF; nil if there is none, or it is bad.
func (c *checker) condition(t *lexer.Token) *machine.Formula {
	if t == nil {
		return nil
	}
	return c.formula(*t)
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
		if name != "" {
			c.settable(t, name)
		}
	}
	return re
}

func (c *checker) exec(n *node, file []variable) *machine.Exec {
	out := &machine.Exec{Pos: c.pos(n.word.Pos), Options: make(map[string]string)}
	if head, ok := n.form.(*execHead); ok {
		for _, o := range head.Options {
			value := unquote(o.Value.Value)
			values, known := execOptions[o.Name.Value]
			if _, again := out.Options[o.Name.Value]; again {
				c.reportToken(o.Name, "option "+o.Name.Value+" is given twice", "")
			}
			if !known {
				c.reportToken(o.Name, "unknown option "+o.Name.Value, didYouMean(o.Name.Value, slices.Sorted(maps.Keys(execOptions))))
			} else if !slices.Contains(values, value) {
				c.reportToken(o.Value, "option "+o.Name.Value+" cannot be "+strconv.Quote(value), didYouMean(value, values))
			}
			out.Options[o.Name.Value] = value
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
	heads := make(map[string]lexer.Token)
	for _, item := range n.items {
		if item.word.Value != "PAT_GROUP" {
			continue
		}
		name := ""
		if head, ok := item.form.(*groupHead); ok {
			name = head.Name.Value
			heads[name] = head.Name
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
	c.rules = append(c.rules, groups{out.Groups, heads})
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
		if out.Regex != nil && !out.Raw && c.options.Strict {
			c.possible(head.Regex, out.Regex)
		}
		out.If = c.condition(head.If)
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
				Args: []string{c.template(form.Text)}, If: c.condition(form.If), Sinks: c.sinks(form.Sinks),
			})
		case *call:
			if a, ok := c.call(form); ok {
				out.Actions = append(out.Actions, a)
			}
		}
	}
	return out
}
