package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

func diffCommand() command {
	return command{
		name:    "diff",
		summary: "What changed from A to B, and whether that is more than chance",
		details: `
A and B are count files, runs, or with -- between them sets of these: A... -- B... .
Each line is the change of a function's share in percentage points, the share in A
and in B, and how many standard deviations the change is: those that it would have by
chance if nothing had changed. Up to two of them it is called not distinguishable.
Of functions that did not change one in 22 is beyond that by chance all the same.

With -o OUT, what functions gained becomes the data OUT.more, and what they lost
OUT.less: directories of count files, which all reports read. Their samples are as
many as the change of share is of the samples of A, at the addresses where the
function has its samples in B, or in A. Only what is distinguishable is in them, unless
-all is given.
`,
		flags:   []string{"by GRANULARITY", "all", "o OUT", "templates", "window", "where", "tree", "n ROWS", "O FILE", "translator", "vmlinux"},
		example: "-by line /tmp/pct/prog.4711 /tmp/pct/prog.4712",
		run:     (*invocation).diff,
	}
}

// A diffSide is one of the two sets that are compared.
type diffSide struct {
	name     string
	runs     *path.Runs
	selected *path.Selection
}

func (v *invocation) diff() error {
	a, b := diffSide{name: "A"}, diffSide{name: "B"}
	first := v.firstSet
	switch {
	case first == len(v.dirs):
		return v.misuse("nothing stands behind --: A... -- B...")
	case first == 0 && len(v.dirs) != 2:
		return v.misuse("want A and B, two files or runs, or A... -- B...; there are %d names", len(v.dirs))
	case first == 0:
		first = 1
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
	}
	if x, y := a.runs.Summary().Resource, b.runs.Summary().Resource; x != y {
		return fmt.Errorf("%s was measured in A and %s in B, which can't be compared", x, y)
	}
	t, end, err := v.startTranslator(v.Granularity != path.Address && v.Granularity != path.Object, needs(v.Granularity, true)...)
	if err != nil {
		return err
	}
	defer end()
	c, err := path.Compare(a.selected, b.selected, t, v.Options)
	if err != nil {
		return err
	}
	if v.counts != "" {
		if err := v.writeChanges(c, a.runs, b.runs); err != nil {
			return err
		}
	}
	for _, side := range []diffSide{a, b} {
		if err := v.diffHead(side); err != nil {
			return err
		}
	}
	v.diffRows(c)
	return nil
}

// diffHead writes the lines about one set, with its name before each, and its total.
func (v *invocation) diffHead(side diffSide) error {
	var head bytes.Buffer
	if err := report.Head(&head, side.runs.Summary(), side.selected.Samples(), side.selected.Limits()); err != nil {
		return err
	}
	for line := range strings.Lines(head.String()) {
		fmt.Fprintf(&v.out, "# %s: %s", side.name, strings.TrimPrefix(line, "# "))
	}
	total := time.Duration(side.selected.Weight()) * time.Microsecond
	fmt.Fprintf(&v.out, "# %s: in all %v\n", side.name, total.Round(time.Millisecond))
	return nil
}

const notDistinguishable = "not distinguishable"

// diffRows writes the changes.
func (v *invocation) diffRows(c *path.Comparison) {
	known := slices.IndexFunc(c.Changes, func(c path.Change) bool { return !c.Distinguishable })
	if known < 0 {
		known = len(c.Changes)
	}
	fmt.Fprintf(&v.out, "# %d of %d differ by more than two standard deviations\n", known, len(c.Changes))
	shown := c.Changes
	if !v.listing.whole {
		shown = c.Changes[:known]
	}
	hidden := 0
	if v.Rows > 0 && v.Rows < len(shown) {
		hidden = len(shown) - v.Rows
		shown = shown[:v.Rows]
	}
	width := len("deviations")
	if len(shown) > known {
		width = len(notDistinguishable)
	}
	if len(shown) > 0 {
		fmt.Fprintf(&v.out, "# change         A         B   %*s\n", width, "deviations")
	}
	for _, change := range shown {
		verdict := fmt.Sprintf("%*.1f", width, change.Deviations)
		if !change.Distinguishable {
			verdict = notDistinguishable
		}
		fmt.Fprintf(&v.out, "%+7.2f%%   %6.2f%%   %6.2f%%   %s   %s\n",
			100*change.Difference(), 100*change.ShareA, 100*change.ShareB, verdict, report.Printable(change.Label))
	}
	if hidden > 0 {
		fmt.Fprintf(&v.out, "# %d more not shown\n", hidden)
	}
	if rest := c.Changes[known:]; len(rest) > 0 && !v.listing.whole {
		var inA, inB float64
		for _, change := range rest {
			inA += change.ShareA
			inB += change.ShareB
		}
		fmt.Fprintf(&v.out, "# %s: %d, with %.2f%% of A and %.2f%% of B (-all shows them)\n", notDistinguishable, len(rest), 100*inA, 100*inB)
	}
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
		return errors.New("-o: there is nothing to write, as nothing is distinguishable; -all takes all that differs")
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
