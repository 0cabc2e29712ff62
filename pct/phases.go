package main

import (
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

func phasesCommand() command {
	return command{
		name:    "phases",
		summary: "The weight over time: slices with the heaviest function of each",
		details: `
A row is a slice of time: the -window option that selects it, its share, and the
heaviest function, or with -l 3 call path, with its share of the slice. Time
starts with the run, or with the first process of its tree.
`,
		flags: []string{"l", "g GRANULARITY", "past-main", "templates", "cpu", "n SLICES", "i LENGTH", "by FIELD", "window", "where", "r RESOURCE", "tree",
			"O FILE", "translator", "vmlinux"},
		example: "-n 10 /tmp/pct/gzip.4711",
		run: func(v *invocation) error {
			if v.Levels == 0 {
				v.Levels = 1
			}
			runs, selected, err := v.choose()
			if err != nil {
				return err
			}
			named := v.PastMain && (v.Granularity == path.Address || v.Granularity == path.Object)
			t, end, err := v.startTranslator(!named)
			if err != nil {
				return err
			}
			defer end()
			p, err := selected.Phases(t, v.Options, v.cpu)
			if err != nil {
				return err
			}
			v.warnAll(p.Warnings)
			if err := report.Head(&v.out, runs.Summary(), selected.Samples(), selected.Limits()); err != nil {
				return err
			}
			return report.Phases(&v.out, p)
		},
	}
}
