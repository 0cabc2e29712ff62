package main

import (
	"slices"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

func pathsCommand() command {
	return command{
		name:    "paths",
		summary: "Call paths with their shares, the hottest first",
		details: `
"67.6%   worker <- dispatch_2 <- main" means that worker, called by dispatch_2,
called by main, has that share of the selected samples. Inlined functions are
frames. "?" stands for missing callers of a truncated path. Ten or more equal
frames in a row are one with their number: "ack ×2003 <- main"; so are functions
that call each other in turn: "(even <- odd) ×500".

With -calls, for data of profile -calls:
"50.1%   2   523.6 ±0.4 ms   c <- a <- main": c and all that it called have that
share in this context; samples saw two calls, and one cost so much on average.
"3 of 100.0 ±0.2 ms; others < 2 ms: 150 ±12 ms": two or more samples saw each of
three calls, with that mean; each other call took less than two periods, all
together 150 ms. "-" is unknown, as for inlined functions, signal handlers and
calls by unknown callers. docs/CALLPATHS.md defines the figures.
`,
		flags: []string{"args", "calls", "unfolded", "l", "g FRAMES", "past-main", "templates", "e", "by FIELD", "i INTERVAL", "window", "where", "through", "not", "r RESOURCE",
			"members", "tree", "n ROWS", "threshold", "O FILE", "translator", "vmlinux", "after-run", "place", "unrated"},
		example: "-l3 -where 'n > 1000000' /tmp/pct/hier-test.4711",
		run: func(v *invocation) error {
			style := report.Style{Errors: v.errors, Colour: v.terminal, Whole: v.unfolded}
			for _, other := range []string{"by", "calls", "g", "past-main", "templates"} {
				if v.Arguments && v.given[other] {
					return v.misuse("-args cannot be combined with -%s: frames are functions up to main, with their arguments", other)
				}
			}
			if v.Activations {
				return v.activationReport(style)
			}
			named := v.PastMain && (v.Granularity == path.Address || v.Granularity == path.Object)
			return v.profile((*path.Selection).Paths, !named, style)
		},
	}
}

// profile makes a report on frames: its head and its rows. The translator is
// only run where functions matter.
func (v *invocation) profile(
	compute func(*path.Selection, path.Translator, path.Options) (*path.Profile, error),
	functions bool, style report.Style,
) error {
	runs, selected, err := v.choose()
	if err != nil {
		return err
	}
	if v.Total && !calls(runs) {
		v.warn("-total: these samples have no callers; each counts for its function and those into which it was inlined")
	}
	innermost := v.command.granularity != nil && !v.Total
	t, end, err := v.startTranslator(functions, needs(v.Granularity, innermost)...)
	if err != nil {
		return err
	}
	defer end()
	p, err := compute(selected, t, v.Options)
	if err != nil {
		return err
	}
	limits := selected.Limits()
	if len(v.Refinements) > 0 {
		v.warnUnknown(p.Frames)
		if p.Samples == 0 {
			return errNothingLeft
		}
		for _, r := range v.Refinements {
			limits = append(limits, "call paths "+r.String())
		}
	}
	if v.quickfix {
		elsewhere, err := report.Quickfix(&v.out, p, style)
		if elsewhere > 0 {
			v.warn("%.1f%% are in code without line numbers", 100*elsewhere)
		}
		return err
	}
	if err := report.Head(&v.out, v.ofRun(runs.Summary()), p.Samples, limits); err != nil {
		return err
	}
	if err := report.Resource(&v.out, callHead(runs, "")); err != nil {
		return err
	}
	if style.Errors {
		if err := report.Unsampled(&v.out, runs.Summary(), false); err != nil {
			return err
		}
	}
	if p.Bare {
		v.out.WriteString("# no arguments: no function in the samples has debug data (cc -g)\n")
	}
	if err := v.endHead(runs.Summary().Samples); err != nil {
		return err
	}
	if err := report.Profile(&v.out, p, style); err != nil {
		return err
	}
	switch {
	case v.command.name == "paths":
		return report.Scattered(&v.out, p, v.Options.Rows)
	case innermost && calls(runs):
		return report.Called(&v.out, runs.Summary().Resource)
	}
	return nil
}

// calls reports whether any sample has a caller: those of count files have none.
func calls(runs *path.Runs) bool {
	return slices.ContainsFunc(runs.Data(), func(r *data.Run) bool {
		return slices.ContainsFunc(r.Nodes, func(n data.Node) bool { return n.Parent != 0 })
	})
}

// startTranslator starts the translator that was asked for, none if functions do not
// matter, or the default one with arguments; the function returned ends it.
func (v *invocation) startTranslator(functions bool, arguments ...string) (path.Translator, func(), error) {
	if !functions {
		return nil, func() {}, nil
	}
	client, err := startTranslator(v.translator, arguments...)
	if err != nil {
		return nil, nil, err
	}
	return client, func() { client.Close() }, nil
}

// choose opens the runs and takes the samples that were asked for.
func (v *invocation) choose() (*path.Runs, *path.Selection, error) {
	dirs := v.dirs
	if v.tree {
		all, warnings, err := new(path.Reader).Descendants(v.dirs)
		if err != nil {
			return nil, nil, err
		}
		v.warnAll(warnings)
		dirs = all
	}
	runs, err := v.open(dirs)
	if err != nil {
		return nil, nil, err
	}
	v.warnAll(runs.Warnings)
	runs.Changed = v.warnOnce
	if v.translator == "" {
		runs.Stamped = v.stampedTranslator
	}
	if v.vmlinux != "" {
		if err := runs.UseKernel(v.vmlinux); err != nil {
			return nil, nil, err
		}
	}
	selected, err := runs.Select(v.window, v.where)
	if err == nil {
		v.warnAll(selected.Warnings)
		if v.wantsCallers() && !calls(runs) && counted(runs) {
			v.warnOnce(noCallers)
		}
	}
	return runs, selected, err
}

// counted reports whether all samples are of count files: elsewhere, those of a short run may
// all be in functions that nothing calls.
func counted(runs *path.Runs) bool {
	return !slices.ContainsFunc(runs.Data(), func(r *data.Run) bool { return r.Packed.Len() > 0 && len(r.Counts) == 0 })
}

// noCallers says why a report on call paths is flat.
const noCallers = "these samples have no callers: profile -paths and profile -gdb sample call paths"

// wantsCallers reports whether the report is on whole call paths, and doesn't say itself what
// it lacks without callers.
func (v *invocation) wantsCallers() bool {
	switch v.command.name {
	case "body", "gprof", "summary":
		return false
	case "diff":
		return v.compared.paths && v.Levels != 1 || len(v.Refinements) > 0
	}
	return slices.Contains(v.command.flags, "through") && v.Levels != 1
}
