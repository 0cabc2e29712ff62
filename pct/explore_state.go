package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

// An explorer has the samples, their trees, and the settings. The settings that are
// flags of other reports, too, are those of its invocation.
type explorer struct {
	*invocation
	translator path.Translator
	runs       *path.Runs
	selected   *path.Selection

	kept    map[path.Granularity]*path.Calls // of the selection, whole
	refined map[path.Granularity]*refined    // and what refinements leave of it

	root      string
	direction string // of call path profiles: down, up
	view      string // what again shows: a direction, fn, body, tree
	allRows   bool   // though the screen is small
	screen    int    // rows of it, 0 there is none

	last func(w io.Writer, rows int) error // writes the last report
}

// refined are the trees of groups with some refinements.
type refined struct {
	by     string // the refinements
	groups []path.Group
}

// forget drops what was made of another selection.
func (x *explorer) forget() {
	x.kept, x.refined = map[path.Granularity]*path.Calls{}, map[path.Granularity]*refined{}
}

// groups returns the trees of the samples that the settings leave.
func (x *explorer) groups() ([]path.Group, error) {
	g := x.Granularity
	c := x.kept[g]
	if c == nil {
		o := x.Options
		o.Refinements = nil
		var err error
		if c, err = x.selected.Calls(x.translator, o); err != nil {
			return nil, err
		}
		x.kept[g] = c
	}
	if len(x.Refinements) == 0 {
		return c.Groups, nil
	}
	by := fmt.Sprintf("%q", x.refinements())
	if r := x.refined[g]; r != nil && r.by == by {
		return r.groups, nil
	}
	r := &refined{by: by}
	for _, group := range c.Groups {
		r.groups = append(r.groups, path.Group{Name: group.Name, Tree: group.Tree.Refine(x.Refinements)})
	}
	x.refined[g] = r
	return r.groups, nil
}

// mustGroups is groups, none if they can't be made.
func (x *explorer) mustGroups() []path.Group {
	groups, err := x.groups()
	if err != nil {
		return nil
	}
	return groups
}

func (x *explorer) refinements() []string {
	var all []string
	for _, r := range x.Refinements {
		all = append(all, r.String())
	}
	return all
}

// functions are the names of all frames, the heaviest first, as they are printed.
func (x *explorer) functions() []string {
	var names []string
	seen := map[string]bool{}
	for _, group := range x.mustGroups() {
		for _, f := range group.Tree.Functions() {
			if name := visible.Text(group.Tree.Frames[f.Frame].Name); !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

func (x *explorer) fieldNames() []string {
	return append(append(slices.Clone(x.runs.Fields()), path.Attributes()...), off)
}

// rootOf returns what tells roots from other frames: a name that is printed just so, or
// else a pattern.
func rootOf(text string, groups []path.Group) (func(*calltree.Frame) bool, error) {
	exactly := func(f *calltree.Frame) bool { return visible.Text(f.Name) == text }
	var frames []calltree.Frame
	for _, g := range groups {
		frames = g.Tree.Frames
		if slices.ContainsFunc(frames, func(f calltree.Frame) bool { return exactly(&f) }) {
			return exactly, nil
		}
	}
	p, err := calltree.ParsePattern(text)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		if slices.ContainsFunc(g.Tree.Frames, func(f calltree.Frame) bool { return p.Frame(&f) }) {
			return p.Frame, nil
		}
	}
	return nil, noRoot(p, frames)
}

func (x *explorer) setRoot(text string) error {
	groups, err := x.groups()
	if err == nil {
		_, err = rootOf(text, groups)
	}
	if err == nil {
		x.root = text
	}
	return err
}

// defaultRoot is main, or else the heaviest function.
func (x *explorer) defaultRoot() string {
	names := x.functions()
	if len(names) == 0 || slices.Contains(names, "main") {
		return "main"
	}
	return names[0]
}

// show prints a report.
func (s *session) show(view string) error {
	groups, err := s.groups()
	if err != nil {
		return err
	}
	if s.root == "" {
		s.root = s.defaultRoot()
	}
	var root func(*calltree.Frame) bool
	if view == "down" || view == "up" {
		if root, err = rootOf(s.root, groups); err != nil {
			return err
		}
	}
	style := report.CallStyle{Errors: s.options.errors, Threshold: s.Threshold}
	refinements, limits, runs := s.Refinements, s.selected.Limits(), s.runs
	s.view = view
	s.last = func(w io.Writer, rows int) error {
		for _, limit := range limits {
			fmt.Fprintf(w, "# %s\n", visible.Text(limit))
		}
		style := style
		style.Rows = rows
		for _, g := range groups {
			if g.Tree.Whole().Samples == 0 {
				continue
			}
			head := callHead(runs, g.Name)
			head.Refined = refinements
			var err error
			switch t := g.Tree; view {
			case "fn":
				err = report.Functions(w, report.FunctionProfile, t, t.Functions(), head, style)
			case "body":
				err = report.Functions(w, report.BodyProfile, t, t.Bodies(), head, style)
			case "down":
				err = report.CallPaths(w, report.DownwardProfile, t, t.Downward(root, style.Threshold), head, style)
			case "up":
				err = report.CallPaths(w, report.UpwardProfile, t, t.Upward(root, style.Threshold), head, style)
			case "tree":
				err = report.SampleTree(w, t, head, style)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	rows := s.rows()
	if err := s.last(&s.text, rows); err != nil {
		return err
	}
	if s.screen > 0 && strings.Contains(s.text.String(), fmt.Sprintf(" after the first %d row", rows)) {
		s.text.WriteString("# more shows all rows\n")
	}
	return nil
}

// headRows are those that a report and the prompt after it need beside its rows.
const headRows = 7

// rows is the number of rows that a report may have, 0 all.
func (x *explorer) rows() int {
	if x.Rows > 0 || x.allRows || x.screen == 0 {
		return x.Rows
	}
	return max(10, x.screen-headRows)
}

func (x *explorer) rowsText() string {
	if n := x.rows(); n > 0 {
		return strconv.Itoa(n)
	}
	return "all"
}

func (x *explorer) resourcesText() string {
	all := x.runs.Resources()
	if len(all) == 0 {
		return "resource unknown"
	}
	now := x.explore.resource
	if now == "" {
		now = all[0]
	}
	if len(all) == 1 {
		return "resource " + now
	}
	return fmt.Sprintf("resource %s, of %s", now, strings.Join(all, ", "))
}

// percentText is a fraction as people type it.
func percentText(f float64) string { return strconv.FormatFloat(100*f, 'g', 4, 64) + "%" }

// settings collects a line for each setting.
func (s *session) settings() {
	if s.root == "" {
		s.root = s.defaultRoot()
	}
	s.say("%s", s.resourcesText())
	s.say("root %s, direction %s, threshold %s", s.root, s.direction, percentText(s.Threshold))
	s.say("frames %s, rows %s, errors %s", frameWord(s.Granularity), s.rowsText(), map[bool]string{true: "on", false: off}[s.options.errors])
	for _, r := range s.refinements() {
		s.say("%s", r)
	}
	for _, limit := range s.selected.Limits() {
		s.say("only samples of %s", limit)
	}
	if s.By != "" {
		s.say("by %s", s.By)
	}
}
