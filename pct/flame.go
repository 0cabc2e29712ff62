package main

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/internal/flame"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

// flameOptions are the values of the flags of flame graphs alone.
type flameOptions struct {
	html     bool
	inverted bool
	title    string
	base     []string // run directories
}

func flameFlags() []flag {
	return []flag{
		{"html", "", "HTML page with both graphs (default if FILE ends in .html)",
			func(o *options, _ string) error { o.flame.html = true; return nil }},
		{"inverted", "", "innermost functions at the root, their callers above",
			func(o *options, _ string) error { o.flame.inverted = true; return nil }},
		{"title", "TEXT", "title of the graph (default: the command)",
			func(o *options, s string) error { o.flame.title = s; return nil }},
		{"diff", "BASE", "colour by the change since run BASE: red is more, blue less; may be repeated",
			func(o *options, s string) error { o.flame.base = append(o.flame.base, s); return nil }},
	}
}

func flameCommands() []command {
	return []command{{
		name:    "flame",
		summary: "Flame graph: an SVG or HTML file for any browser",
		details: `
A frame is as wide as its total share and stands above its caller; functions are
in the order of their names. A click or Enter zooms in, Escape zooms out, arrow
keys move, Ctrl-F searches by a regular expression and prints the share of
matching stacks. The URL keeps zoom and search. The file needs no network.

Functions of the program have warm colours, of libraries green, of the kernel
blue, unknown ones grey. With -diff, widths are those of DIR and colours the
change of the share since BASE; changes of up to two standard deviations have no
colour. -by adds a frame at the root for each value.

Frames narrower than -threshold (default 0.0001), more than 10,000, and those on
300 frames or more are left out, also of searches; the graph prints their share.
`,
		flags:   append([]string{"html", "inverted", "title", "diff", "threshold"}, callFlags...),
		least:   0.0001,
		example: "-O cc1.svg /tmp/pct/cc1.4711",
		run:     (*invocation).flameGraph,
	}}
}

func (v *invocation) flameGraph() error {
	page, err := v.flamePage()
	if err != nil {
		return err
	}
	o := flame.Options{Inverted: v.flame.inverted, Threshold: v.Threshold}
	runs, selected, groups, err := v.flameGroups()
	if err != nil {
		return err
	}
	summary := runs.Summary()
	if o.Facts, err = facts(summary, selected, ""); err != nil {
		return err
	}
	o.Title = v.flame.title
	if !v.given["title"] {
		o.Title = "Call paths"
		if len(summary.Commands) > 0 {
			program, _, _ := strings.Cut(summary.Commands[0], " ")
			o.Title += " of " + filepath.Base(program)
		}
	}
	if len(v.flame.base) > 0 {
		v.dirs = v.flame.base
		baseRuns, baseSelected, base, err := v.flameGroups()
		if err != nil {
			return fmt.Errorf("-diff: %w", err)
		}
		of := baseRuns.Summary()
		if of.Resource != summary.Resource {
			return fmt.Errorf("-diff: %s was measured in the base and %s now, which cannot be compared", of.Resource, summary.Resource)
		}
		o.Base, o.Compared = base, strings.Join(v.flame.base, " ")
		more, err := facts(of, baseSelected, "base: ")
		if err != nil {
			return err
		}
		o.Facts = append(o.Facts, more...)
	}
	g := flame.New(groups, o)
	if page {
		return g.HTML(&v.out)
	}
	return g.SVG(&v.out)
}

// flamePage reports whether a page is wanted. A file whose name promises something else, such as a PDF, is refused.
func (v *invocation) flamePage() (bool, error) {
	switch suffix := strings.ToLower(filepath.Ext(v.outFile)); {
	case suffix == ".html" || suffix == ".htm":
		return true, nil
	case suffix == ".svg" && v.flame.html:
		return false, v.misuse("-html needs a file name that ends in .html, not %s", v.outFile)
	case suffix != "" && suffix != ".svg":
		return false, v.misuse("-O: a flame graph is an SVG or HTML file; end its name in .svg or .html, not %s", suffix)
	}
	return v.flame.html, nil
}

// flameGroups are the selected call paths. With functions, all that is known of them
// is taken, as their objects give the colours.
func (v *invocation) flameGroups() (*path.Runs, *path.Selection, []flame.Group, error) {
	g := v.Granularity
	if g == path.Symbol {
		g = path.Location
	}
	runs, selected, c, err := v.calls(g)
	if err != nil {
		return nil, nil, nil, err
	}
	groups := make([]flame.Group, len(c.Groups))
	for i, group := range c.Groups {
		groups[i] = flame.Group{Name: group.Name, Tree: group.Tree}
	}
	return runs, selected, groups, nil
}

// facts are the lines of a report's head.
func facts(s path.Summary, selected *path.Selection, before string) ([]string, error) {
	var head bytes.Buffer
	if err := report.Head(&head, s, selected.Samples(), selected.Limits()); err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(head.String()) {
		lines = append(lines, before+strings.TrimSpace(strings.TrimPrefix(line, "#")))
	}
	if name := cmp.Or(s.Resource, resource.CPU); name != resource.CPU {
		lines = append(lines, before+"resource: "+name)
	}
	return lines, nil
}
