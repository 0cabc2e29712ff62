package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

type diffOptions struct {
	paths bool // compare call paths
	times bool // not shares
}

func diffFlags() []flag {
	return []flag{
		{"by", "GRANULARITY", "compare sym (default), line, addr, src, obj or path",
			func(o *options, s string) (err error) {
				if o.compared.paths = s == "path"; !o.compared.paths {
					if o.Granularity, err = path.ParseGranularity(s); err != nil {
						err = fmt.Errorf("want path, addr, line, sym, src or obj, not %q", s)
					}
				}
				return err
			}},
		{"time", "", "compare seconds, per run, instead of shares",
			func(o *options, _ string) error { o.compared.times = true; return nil }},
	}
}

func diffCommand() command {
	return command{
		name:    "diff",
		summary: "What changed from A to B, and whether by more than chance", operands: "A B, or A... -- B...",
		details: `
A and B are count files, runs, or sets of these separated by --. A row has the
change of a share in percentage points, both shares, and the change in standard
deviations of sampling. Up to two of them, it is not distinguishable from
chance; one in 22 unchanged functions is beyond that. The head has the total
times.

With two or more names on each side of --, each name is a run of the same work:
shares are means, and a change must also pass Welch's t test at 5 %. Put the
processes of one piece of work into one directory, or use -tree.

Objects at different paths are matched by base name, unless a side has two of
that name; the program that only A executed is matched with the one that only B
executed. If a program was rebuilt or removed, functions are those that were
kept with the data (pct keep -h); diff fails if they were not kept for most of a
side, else its head names the objects.

-o OUT writes the samples that functions gained to OUT.more and those that they
lost to OUT.less, directories of count files: as many samples as the change of
share is of A. Only distinguishable changes are included, unless -all is given.
`,
		flags: []string{"by GRANULARITY", "l", "time", "all", "o OUT", "templates", "through", "not", "window", "where", "tree", "r RESOURCE",
			"n ROWS", "O FILE", "translator", "vmlinux"},
		example: "-by line /tmp/pct/prog.4711 /tmp/pct/prog.4712\n  pct diff -by path -l 3 old/run.* -- new/run.*",
		run:     (*invocation).diff,
	}
}

// A diffSide is one of the two sets that are compared.
type diffSide struct {
	name     string
	runs     *path.Runs // all together
	selected *path.Selection
	each     []*path.Selection // the runs, where both sides have several; else the only one
}

func (v *invocation) diff() error {
	a, b := diffSide{name: "A"}, diffSide{name: "B"}
	first := v.firstSet
	switch {
	case first == len(v.dirs):
		return v.misuse("no run after --: A... -- B...")
	case first == 0 && len(v.dirs) != 2:
		return v.misuse("want A and B, two files or runs, or A... -- B...; there %s", areNames(len(v.dirs)))
	case first == 0:
		first = 1
	}
	if err := v.diffMisuse(); err != nil {
		return err
	}
	dirs := v.dirs
	for _, side := range []struct {
		*diffSide
		dirs []string
	}{{&a, dirs[:first]}, {&b, dirs[first:]}} {
		v.dirs = side.dirs
		var err error
		if side.runs, side.selected, err = v.choose(); err != nil {
			return err
		}
		side.each = []*path.Selection{side.selected}
		if first > 1 && len(dirs)-first > 1 {
			if side.each, err = v.chooseEach(side.dirs); err != nil {
				return err
			}
		}
	}
	if len(a.each) < 2 || len(b.each) < 2 {
		a.each, b.each = []*path.Selection{a.selected}, []*path.Selection{b.selected}
	}
	if x, y := a.runs.Summary().Resource, b.runs.Summary().Resource; x != y {
		return fmt.Errorf("%s was measured in A and %s in B, which cannot be compared", x, y)
	}
	if s, unit, _ := gticks(a.runs); s == 1 && v.compared.times {
		return v.misuse("-time needs times, but the unit here is %s", unit)
	}
	by := path.Comparing{Options: v.Options, Paths: v.compared.paths, Times: v.compared.times, Brief: !v.listing.whole}
	var arguments []string
	stacks := by.Paths || len(by.Refinements) > 0
	if !stacks {
		arguments = needs(v.Granularity, true)
	}
	t, end, err := v.startTranslator(stacks || v.Granularity != path.Address && v.Granularity != path.Object, arguments...)
	if err != nil {
		return err
	}
	defer end()
	c, err := path.Compare(a.each, b.each, t, by)
	if err != nil {
		return err
	}
	if c.A.Samples == 0 || c.B.Samples == 0 {
		return errors.New("no call path of one side is selected by -through and -not")
	}
	if err := errors.Join(v.namesMissing("A", c.NamelessA, c.A), v.namesMissing("B", c.NamelessB, c.B)); err != nil {
		return err
	}
	if v.counts != "" {
		if err := v.writeChanges(c, a.runs, b.runs); err != nil {
			return err
		}
	}
	for _, side := range []struct {
		diffSide
		whole path.Side
	}{{a, c.A}, {b, c.B}} {
		if err := v.diffHead(side.diffSide, side.whole); err != nil {
			return err
		}
	}
	v.diffObjects(c)
	v.diffTotal(c, a.runs)
	v.diffRows(c)
	return nil
}

// namesMissing refuses to compare functions with addresses, which would be most of a side.
func (v *invocation) namesMissing(side string, all []path.Nameless, whole path.Side) error {
	var sum uint64
	var why []string
	for _, n := range all {
		sum += n.Weight
		why = append(why, n.Why)
	}
	if sum <= whole.Weight/2 {
		return nil
	}
	return fmt.Errorf("%s has no names for %.0f%% of its samples: %s.\n"+
		" They were not kept before (pct keep -h); -by obj compares without", side, 100*float64(sum)/float64(whole.Weight), strings.Join(why, "; "))
}

// diffObjects says which objects are compared though their paths differ, and which can't
// be, as a side has no names.
func (v *invocation) diffObjects(c *path.Comparison) {
	for _, m := range c.Matched {
		why := "across paths"
		if m.Programs {
			why = "as the programs that were run"
		}
		fmt.Fprintf(&v.out, "# matched %s: %s is %s in A and %s in B\n", why, visible.Text(m.Name), visible.Text(m.A), visible.Text(m.B))
	}
	for _, side := range []struct {
		name  string
		all   []path.Nameless
		whole path.Side
	}{{"A", c.NamelessA, c.A}, {"B", c.NamelessB, c.B}} {
		for _, n := range side.all {
			fmt.Fprintf(&v.out, "# %s has no names for %s, %.2f%% of it: they were not kept before it was built again or removed\n", side.name,
				visible.Text(n.Object), 100*float64(n.Weight)/float64(side.whole.Weight))
		}
	}
}

// areNames says how many names there are.
func areNames(n int) string {
	if n == 1 {
		return "is 1 name"
	}
	return fmt.Sprintf("are %d names", n)
}

// diffMisuse refuses what can't be together.
func (v *invocation) diffMisuse() error {
	switch o := v.compared; {
	case v.Levels > 0 && !o.paths:
		return v.misuse("-l needs -by path")
	case v.counts == "":
	case o.paths:
		return v.misuse("-o cannot be combined with -by path: count files hold addresses")
	case o.times:
		return v.misuse("-o cannot be combined with -time: count files hold shares")
	case len(v.Refinements) > 0:
		return v.misuse("-o cannot be combined with -through and -not: count files hold all samples")
	}
	return nil
}

// chooseEach opens runs one by one; those in which nothing is selected are left out. What there is to be
// said of them was said before.
func (v *invocation) chooseEach(dirs []string) ([]*path.Selection, error) {
	var each []*path.Selection
	for _, dir := range dirs {
		one := *v
		one.dirs, one.warnings = []string{dir}, io.Discard
		_, selected, err := one.choose()
		v.stamped = one.stamped
		var none *path.NoSamples
		if errors.As(err, &none) {
			v.warn("%s is left out: %v", dir, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		each = append(each, selected)
	}
	return each, nil
}

// diffHead writes the lines about one set, with its name before each, and its total.
func (v *invocation) diffHead(side diffSide, whole path.Side) error {
	var head bytes.Buffer
	if err := report.Head(&head, side.runs.Summary(), side.selected.Samples(), side.selected.Limits()); err != nil {
		return err
	}
	for line := range strings.Lines(head.String()) {
		fmt.Fprintf(&v.out, "# %s: %s", side.name, strings.TrimPrefix(line, "# "))
	}
	total := (time.Duration(whole.Weight) * time.Microsecond).Round(time.Millisecond).String()
	if s, unit, _ := gticks(side.runs); s == 1 {
		total = fmt.Sprint(whole.Weight, " ", unit)
	}
	fmt.Fprintf(&v.out, "# %s: in all %s\n", side.name, total)
	return nil
}

// gticks says how weights are written: what to multiply them by, their unit, and the number
// of decimals.
func gticks(runs *path.Runs) (scale float64, unit string, decimals int) {
	for _, r := range runs.Data() {
		if r.Packed.Len() > 0 && r.Header.Unit != resource.Microsecond {
			return 1, visible.Text(report.Units(r.Header.Unit)), 0
		}
	}
	return 1e-6, "s", 3
}

const notDistinguishable = "not distinguishable"

// diffTotal says whether the whole became more or less.
func (v *invocation) diffTotal(c *path.Comparison, runs *path.Runs) {
	each, chance := "", "by sampling alone"
	if c.Repeated {
		each = fmt.Sprintf(" a run (%d and %d runs)", c.RunsA, c.RunsB)
		chance = fmt.Sprintf("p %.3f, %.1f df", c.Total.Welch.P, c.Total.Welch.Freedom)
	}
	verdict := notDistinguishable
	if c.Total.Distinguishable {
		verdict = "less in B"
		if c.Total.Difference() > 0 {
			verdict = "more in B"
		}
	}
	relative := 0.0 // also of nothing that is nothing still
	if d := c.Total.Difference(); d != 0 {
		relative = d / c.Total.ShareA
	}
	s, unit, decimals := gticks(runs)
	fmt.Fprintf(&v.out, "# A %.*f ±%.*f %s, B %.*f ±%.*f %s%s: %+.1f%%, %s (%s)\n", decimals, s*c.Total.ShareA, decimals, s*c.Total.ErrorA, unit,
		decimals, s*c.Total.ShareB, decimals, s*c.Total.ErrorB, unit, each, 100*relative, verdict, chance)
}

// diffRows writes the changes.
func (v *invocation) diffRows(c *path.Comparison) {
	known := c.Known
	welch := ""
	if c.Repeated {
		welch = ", and by Welch's t test of the runs at 5%"
	}
	fmt.Fprintf(&v.out, "# %d of %d differ by more than two standard deviations%s\n", known, known+c.Rest.Number, welch)
	shown := c.Changes
	if !v.listing.whole {
		shown = c.Changes[:known]
	}
	all := len(shown)
	if v.Rows > 0 && v.Rows < len(shown) {
		shown = shown[:v.Rows]
	}
	var room calltree.Room
	if full := slices.IndexFunc(shown, func(c path.Change) bool { return !room.Take(c.Path.Depth()) }); full >= 0 {
		shown = shown[:full]
	}
	hidden := all - len(shown)
	width := len("deviations")
	if len(shown) > known {
		width = len(notDistinguishable)
	}
	if len(shown) > 0 {
		v.diffTitle(c, width)
	}
	for i := range shown {
		v.diffRow(c, &shown[i], width)
	}
	if hidden > 0 {
		fmt.Fprintf(&v.out, "# %d more not shown\n", hidden)
	}
	if rest := &c.Rest; rest.Number > 0 && !v.listing.whole {
		of := "%.2f%% of A and %.2f%% of B"
		scale := 100.0
		if v.compared.times {
			of, scale = "%.3f s of A and %.3f s of B", 1e-6
		}
		fmt.Fprintf(&v.out, "# %s: %d, with "+of+" (-all shows them)\n", notDistinguishable, rest.Number, scale*rest.ShareA, scale*rest.ShareB)
	}
}

// diffTitle writes the titles of the columns.
func (v *invocation) diffTitle(c *path.Comparison, width int) {
	if v.compared.times {
		fmt.Fprintf(&v.out, "# change s              A s                B s   %*s", width, "deviations")
	} else {
		fmt.Fprintf(&v.out, "# change         A         B   %*s", width, "deviations")
	}
	if c.Repeated {
		fmt.Fprintf(&v.out, "   %6s   %5s", "p", "df")
	}
	fmt.Fprintln(&v.out)
}

// diffRow writes a change.
func (v *invocation) diffRow(c *path.Comparison, change *path.Change, width int) {
	verdict := fmt.Sprintf("%*.1f", width, change.Deviations)
	if !change.Distinguishable {
		verdict = fmt.Sprintf("%*s", width, notDistinguishable)
	}
	if v.compared.times {
		const s = 1e-6
		fmt.Fprintf(&v.out, "%+10.3f   %7.3f ±%-7.3f   %7.3f ±%-7.3f   %s", s*change.Difference(), s*change.ShareA, s*change.ErrorA,
			s*change.ShareB, s*change.ErrorB, verdict)
	} else {
		fmt.Fprintf(&v.out, "%+7.2f%%   %6.2f%%   %6.2f%%   %s", 100*change.Difference(), 100*change.ShareA, 100*change.ShareB, verdict)
	}
	if c.Repeated {
		fmt.Fprintf(&v.out, "   %6.3f   %5.1f", change.Welch.P, change.Welch.Freedom)
	}
	label := change.Label
	if label == "" {
		label = strings.Join(change.Path.Names(), " <- ")
	}
	fmt.Fprintf(&v.out, "   %s\n", visible.Text(label))
}

// writeChanges writes the count files of what was gained, and of what was lost.
func (v *invocation) writeChanges(c *path.Comparison, a, b *path.Runs) error {
	more, less := newCountWriter(v, b), newCountWriter(v, a)
	weight := float64(c.A.Weight) / float64(c.A.Samples) // of a sample
	for i := range c.Changes {
		change := &c.Changes[i]
		if !change.Distinguishable && !v.listing.whole {
			continue
		}
		w, at := more, change.InB
		if change.Difference() < 0 {
			w, at = less, change.InA
		}
		samples := uint64(math.Round(math.Abs(change.Difference()) * float64(c.A.Samples)))
		for j, n := range apportion(samples, at) {
			if n > 0 {
				w.add(&at[j], n, uint64(math.Round(float64(n)*weight)))
			}
		}
	}
	if len(more.piles)+len(less.piles) == 0 {
		return errors.New("-o: nothing to write: no change is distinguishable; -all includes all changes")
	}
	for _, side := range []struct {
		*countWriter
		suffix, what string
	}{{more, ".more", "gained"}, {less, ".less", "lost"}} {
		if len(side.piles) == 0 {
			v.warn("nothing %s: there is no %s%s", side.what, v.counts, side.suffix)
			continue
		}
		if err := side.writeAll(v.counts + side.suffix); err != nil {
			return err
		}
	}
	return nil
}

// apportion divides samples among instructions in proportion to theirs, without a
// rest: those with the largest remainders are rounded up.
func apportion(samples uint64, among []path.Instruction) []uint64 {
	var whole uint64
	for i := range among {
		whole += uint64(among[i].Samples)
	}
	parts := make([]uint64, len(among))
	if whole == 0 {
		return parts
	}
	order := make([]int, len(among))
	remainder := make([]float64, len(among))
	rest := samples
	for i := range among {
		exact := float64(samples) * float64(among[i].Samples) / float64(whole)
		parts[i] = min(uint64(exact), rest)
		rest -= parts[i]
		order[i], remainder[i] = i, exact-float64(parts[i])
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(remainder[j], remainder[i]) })
	for _, i := range order[:min(rest, uint64(len(order)))] {
		parts[i]++
	}
	return parts
}
