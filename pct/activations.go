package main

import (
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

// activationReport makes the report of pct paths -calls.
func (v *invocation) activationReport(style report.Style) error {
	runs, selected, err := v.choose()
	if err != nil {
		return err
	}
	t, end, err := v.startTranslator(true)
	if err != nil {
		return err
	}
	defer end()
	o := v.Options
	if !v.given["threshold"] {
		o.Threshold = significant
	}
	a, err := selected.Activations(t, o)
	if err != nil {
		return err
	}
	v.warnUncounted(a.Uncounted)
	if err := report.Head(&v.out, v.ofRun(runs.Summary()), selected.Samples(), selected.Limits()); err != nil {
		return err
	}
	if err := report.Resource(&v.out, callHead(runs, "")); err != nil {
		return err
	}
	if err := report.Unsampled(&v.out, runs.Summary(), true); err != nil {
		return err
	}
	if err := report.Corrections(&v.out, a); err != nil {
		return err
	}
	if err := v.endHead(runs.Summary().Samples); err != nil {
		return err
	}
	return report.Activations(&v.out, a, style)
}

// warnUncounted tells which runs have no counts.
func (v *invocation) warnUncounted(dirs []string) {
	for _, dir := range dirs {
		v.warn("%v", &path.NotCounted{Dir: dir})
	}
}

// uncountable refuses what -calls can't be split or limited by: the calls of a whole context
// are counted, of its function.
func (v *invocation) uncountable() error {
	if v.Granularity != path.Symbol && v.Granularity != path.Call {
		return v.misuse("-calls counts calls of functions: it cannot be combined with -g addr, line, src and obj")
	}
	for _, flag := range []string{"by", "l", "through", "not", "window"} {
		if v.given[flag] {
			return v.misuse("-calls counts calls of whole call paths in whole runs: it cannot be combined with -%s", flag)
		}
	}
	return nil
}
