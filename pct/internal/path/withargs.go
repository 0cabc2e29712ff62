package path

import (
	"errors"
	"slices"
	"strings"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// argumentsField is the field that SAMPLE(args) of dbctl and the library add.
const argumentsField = data.ArgumentsField

// needArguments returns an error if no run has the arguments of functions.
func (s *Selection) needArguments() error {
	if slices.Contains(s.runs.Fields(), argumentsField) {
		return nil
	}
	return errors.New("these samples have no arguments of functions: profile -args samples them")
}

// addArguments makes one part of those that the samples are split into by the arguments, in which these are the
// frames. It reports whether any function has its arguments.
func (c *contexts) addArguments() bool {
	known := false
	all := calltree.NewWeights(true)
	for _, p := range c.parts {
		_, text, _ := strings.Cut(p.group, "=")
		if text == missing {
			for node, w := range p.All() {
				all.Add(node, w)
			}
			continue
		}
		var frames []int32
		for _, call := range splitCalls(text) {
			known = known || strings.HasSuffix(call, ")")
			frames = append(frames, c.Frame(calltree.Frame{Name: call, Function: call}))
		}
		for node, w := range p.All() {
			to := c.Insert(frames)
			if c.isOpen(node) {
				to = c.open(to)
			}
			all.Add(to, w)
		}
	}
	c.parts = []*part{{Weights: all}}
	return known
}

// isOpen reports whether a path begins with a frame "?".
func (t tree) isOpen(node int32) bool {
	for t.Nodes[node].Parent != 0 {
		node = t.Nodes[node].Parent
	}
	return node != 0 && t.name(node) == outside
}

// splitCalls returns the functions of a path with arguments, innermost first. An arrow in a string is no end of a
// function.
func splitCalls(text string) (calls []string) {
	const arrow = " <- "
	quoted, from := false, 0
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case !quoted && strings.HasPrefix(text[i:], `'"'`):
			i += 2
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], arrow):
			calls = append(calls, text[from:i])
			from = i + len(arrow)
			i = from - 1
		}
	}
	return append(calls, text[from:])
}
