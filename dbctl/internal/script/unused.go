package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// names are the variables that a script mentions and sets.
type names struct {
	mentioned []mention
	set       map[string]bool
}

// A mention of a variable stands in a token.
type mention struct {
	name string
	in   lexer.Token
}

// provided are the variables that the controller has besides those that it keeps.
var provided = []string{"path", "stack"}

// mentions keeps the variables of a text.
func (c *checker) mentions(t lexer.Token, text string) error {
	list, err := machine.Mentions(text)
	for _, name := range list {
		c.names.mentioned = append(c.names.mentioned, mention{name, t})
	}
	return err
}

// unset reports each variable that is mentioned and that nothing sets, and each that was given and is not mentioned.
func (c *checker) unset() {
	known := slices.Concat(reserved, provided, c.options.Given)
	known = append(known, slices.Sorted(maps.Keys(c.names.set))...)
	told := make(map[string]bool)
	for _, m := range c.names.mentioned {
		if told[m.name] || machine.OfEvent(m.name) || len(m.name) == 1 && strings.Contains("0123456789", m.name) || slices.Contains(known, m.name) {
			continue
		}
		told[m.name] = true
		c.reportToken(m.in, "nothing sets "+machine.Written(m.name), strings.ReplaceAll(didYouMean(m.name, known), "[]", "[…]"))
	}
	for _, name := range c.options.Given {
		if !c.names.set[name] && !slices.ContainsFunc(c.names.mentioned, func(m mention) bool { return m.name == name }) {
			c.report(lexer.Position{Filename: c.sources[0].id, Line: 1, Column: 1}, 1, "the script has no variable "+name+" (-D)", "")
		}
	}
}

// groups are those of a rule, and their names by these.
type groups struct {
	list  []*machine.Group
	names map[string]lexer.Token
}

// unreachable reports each group of a rule that is not the first one and to which no GOTO of one that is reached leads.
func (c *checker) unreachable(of groups) {
	if len(of.list) == 0 {
		return
	}
	byName := make(map[string]*machine.Group)
	for _, g := range of.list {
		byName[g.Name] = g
	}
	first := byName[machine.DefaultGroup]
	if first == nil {
		first = of.list[0]
	}
	reached := map[string]bool{}
	var reach func(g *machine.Group)
	reach = func(g *machine.Group) {
		if g == nil || reached[g.Name] {
			return
		}
		reached[g.Name] = true
		for _, p := range g.Pats {
			for _, a := range p.Actions {
				if a.Verb == machine.Goto {
					reach(byName[a.Args[0]])
				}
			}
		}
	}
	reach(first)
	for _, g := range of.list {
		if !reached[g.Name] {
			c.reportToken(of.names[g.Name], "no GOTO leads to the group "+g.Name, "the first group is "+first.Name)
		}
	}
}
