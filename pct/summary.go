package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/contexts"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

func summaryCommands() []command {
	flags := slices.DeleteFunc(slices.Clone(callFlags), func(name string) bool {
		return name == "g FRAMES" || name == "by FIELD" || name == "i INTERVAL"
	})
	return []command{{
		name:    "summary",
		summary: "In words: what ran, where the time went, what is not known",
		details: `
Half a page: what was executed, how it was sampled, the few call paths with a
significant share, what could be saved there at most, who waits, the functions
and lines that do the work, sampled values, changes over time, and what is
missing. Call paths are found as in section 4.4 of the 1993 paper: from the
function with most samples to its callers, while one has a large part.
`,
		flags: flags, example: "/tmp/pct/forms.4711",
		run: (*invocation).summarize,
	}}
}

// maxContexts is how many of them fit in half a page.
const maxContexts = 5

// summarize finds the facts of a summary, and writes it.
func (v *invocation) summarize() error {
	runs, selected, c, err := v.calls(path.Location)
	if err != nil {
		return err
	}
	t := c.Groups[0].Tree
	whole := t.Whole()
	found := contexts.Find(t, contexts.Options{Name: frameName, Least: contexts.Least(whole.Samples), Most: maxContexts})
	o := &report.Overview{
		Runs: runs.Summary(), Limits: selected.Limits(), Samples: whole.Samples, Weight: whole.Weight, Callers: calls(runs),
		Rest: share(found.Rest, whole), Unnamed: unnamed(t),
	}
	o.Wall, o.Separate = wallTime(runs)
	o.Attached, o.Imported = slices.ContainsFunc(runs.Data(), attached), slices.ContainsFunc(runs.Data(), isImported)
	for _, r := range v.Refinements {
		o.Limits = append(o.Limits, "call paths "+r.String())
	}
	for i, context := range found.List {
		of := overviewContext(&context, whole, hotLines(t, found, i))
		of.Waiters = waiters(t, found, i)
		o.Contexts = append(o.Contexts, of)
	}
	if len(runs.Fields()) > 0 && len(v.Refinements) == 0 { // which the table of values knows nothing of
		if o.Values, err = selected.Tabulate(nil, nil, path.Options{}); err != nil {
			return err
		}
	}
	o.Phases = phasesOf(c, t, found)
	return report.Summary(&v.out, o)
}

// frameName tells functions apart; all code of an object that has no names is one.
func frameName(f *calltree.Frame) string {
	if f.Function == "" && f.Object != "" {
		return filepath.Base(f.Object) + " (no symbols)"
	}
	return f.Name
}

func share(part, of calltree.Weight) float64 {
	if of.Weight == 0 {
		return 0
	}
	return float64(part.Weight) / float64(of.Weight)
}

// unknownCaller stands for the callers that a path lacks.
const unknownCaller = "?"

// sole is the part of a path's samples from which a caller is its only one.
const sole = 0.95

func overviewContext(c *contexts.Context, whole calltree.Weight, lines []report.Share) report.OverviewContext {
	out := report.OverviewContext{
		Path: c.Path, Share: share(c.Weight, whole), Fresh: share(c.Fresh, whole), Itself: c.Itself,
		Others: share(c.Function.Minus(c.Weight), whole), Callers: len(c.Callers), Lines: lines,
	}
	if len(out.Path) > 1 && out.Path[0] == unknownCaller {
		out.Path = out.Path[1:]
	}
	if len(c.Callers) > 0 && c.Callers[0].Name != unknownCaller && share(c.Callers[0].Weight, c.Fresh) >= sole {
		out.Caller, out.Callers = c.Callers[0].Name, 1
	}
	for _, b := range c.Bodies {
		if part := share(b.Weight, whole); share(b.Weight, c.Fresh) >= notable {
			out.Bodies = append(out.Bodies, report.Share{Name: b.Name, Share: part})
		}
	}
	return out
}

// notable is the part of a context from which a function or line in it is told.
const notable = 0.1

// shares are sums by name as parts of a whole, the largest first, without those below least.
func shares(sums map[string]calltree.Weight, whole calltree.Weight, least uint64) []report.Share {
	var all []report.Share
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if sums[name].Weight >= max(1, least) {
			all = append(all, report.Share{Name: name, Share: share(sums[name], whole)})
		}
	}
	slices.SortStableFunc(all, func(a, b report.Share) int { return cmp.Compare(b.Share, a.Share) })
	return all
}

// hotLines are the source lines where the samples of a context are.
func hotLines(t *calltree.Tree, found *contexts.Contexts, context int) []report.Share {
	sums := map[string]calltree.Weight{}
	for node, w := range t.Self {
		if node == 0 || int(found.Of[node]) != context {
			continue
		}
		if f := &t.Frames[t.Nodes[node].Frame]; f.File != "" && f.Line > 0 {
			at := fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
			sums[at] = sums[at].Plus(w)
		}
	}
	return shares(sums, found.Whole, uint64(notable*float64(found.List[context].Fresh.Weight)))
}

// nameless reports whether a function has no name, but at most OBJECT+0xADDRESS by which
// the translator tells it from others.
func nameless(f *calltree.Frame) bool {
	return f.Function == "" || strings.HasPrefix(f.Function, filepath.Base(f.Object)+"+0x")
}

// unnamed are the objects that samples are in of whose functions no name is known.
func unnamed(t *calltree.Tree) []report.Share {
	const least = 0.01
	sums := map[string]calltree.Weight{}
	for node, w := range t.Self {
		if node > 0 && w.Samples > 0 {
			if f := &t.Frames[t.Nodes[node].Frame]; f.Object != "" && nameless(f) {
				name := filepath.Base(f.Object)
				sums[name] = sums[name].Plus(w)
			}
		}
	}
	whole := t.Whole()
	return shares(sums, whole, uint64(least*float64(whole.Weight)))
}

// apart is the pause from which runs that follow each other were made one by one.
const apart = time.Second

// wallTime is the real time that the runs took, 0 unknown, without the pauses between those
// that were made one by one; separate is the number of these.
func wallTime(runs *path.Runs) (took time.Duration, separate int) {
	all := slices.Clone(runs.Data())
	all = slices.DeleteFunc(all, func(r *data.Run) bool { return r.Meta.Start.IsZero() || r.Meta.End.IsZero() })
	slices.SortStableFunc(all, func(a, b *data.Run) int { return a.Meta.Start.Compare(b.Meta.Start) })
	ends := map[string]time.Time{} // of each tree: pauses in it belong to the run
	for _, r := range all {
		if at := r.Meta.TreeDir(r.Dir); at != "" && r.Meta.End.After(ends[at]) {
			ends[at] = r.Meta.End
		}
	}
	var last time.Time
	for _, r := range all {
		end := r.Meta.End
		if at := ends[r.Meta.TreeDir(r.Dir)]; at.After(end) {
			end = at
		}
		start := r.Meta.Start
		switch {
		case separate == 0 || start.Sub(last) >= apart:
			separate++
		default:
			start = last
		}
		if end.After(start) {
			took += end.Sub(start)
			last = end
		}
	}
	if separate == 0 {
		return runs.Span(), 1
	}
	return took, separate
}

// attached reports whether a run was of a program that was there before and went on.
func attached(r *data.Run) bool { return r.Meta.State == "detached" || r.Meta.Status == "detached" }

func isImported(r *data.Run) bool { return r.Meta.Collector == "pct import" }
