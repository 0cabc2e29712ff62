package main

import (
	"fmt"
	"strings"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

func valuesCommand() command {
	return command{
		name:    "values",
		summary: "The values of expressions of profile -expr",
		details: `
A table of the fields: how many samples have a value, how many different ones
there are, and of numbers the least, the median, the mean, what 99% do not
exceed, and the greatest. There is no mean where it says little: where it is
farther from the median than half of the values are from each other
("heavy-tailed"), or where the values form two heaps ("bimodal"). Below it are a
histogram of numbers, and the most frequent of other values with their share of
the samples (and of what was measured, if that differs).

With -by path: the values on each call path, the hottest first. Each sample
counts for its whole call path, or with -l for the innermost frames. For data of
profile -calls there is also the cost of those calls of the innermost function
that two samples or more saw, and its correlation with the median of the values.
`,
		flags: []string{"expr", "by PART", "l", "g FRAMES", "past-main", "templates", "i INTERVAL", "window", "where", "r RESOURCE", "tree", "raw", "members",
			"n ROWS", "threshold", "O FILE", "translator", "vmlinux"},
		example: "-expr n -by path -l2 /tmp/pct/hier-test.4711",
		run: func(v *invocation) error {
			runs, selected, err := v.choose()
			if err != nil {
				return err
			}
			switch {
			case v.raw && v.By == path.ByPath:
				return v.misuse("-raw prints values, which cannot be split by call paths")
			case v.raw && v.By != "":
				return v.misuse("-raw prints values, which cannot be split by -by; -expr %s prints those of %s, too", v.By, v.By)
			case v.raw:
				return v.rawValues(runs, selected)
			}
			if !runs.ByPaths(v.Options) {
				for _, name := range []string{"l", "g", "past-main", "templates", "threshold"} {
					if v.given[name] {
						return v.misuse("-%s is for -by path", name)
					}
				}
			}
			t, end, err := v.startTranslator(runs.ByPaths(v.Options), needs(v.Granularity, false)...)
			if err != nil {
				return err
			}
			defer end()
			columns, err := selected.Tabulate(t, v.fields, v.Options)
			if err != nil {
				return err
			}
			if err := report.Head(&v.out, runs.Summary(), selected.Samples(), selected.Limits()); err != nil {
				return err
			}
			if runs.ByPaths(v.Options) {
				cut := func(rows int, share float64) bool { return (v.Rows == 0 || rows < v.Rows) && share >= v.Threshold }
				return report.ByPath(&v.out, columns, cut, runs.Data()[0].Header.Unit, report.Style{Colour: v.terminal})
			}
			return report.Table(&v.out, columns, v.Rows, runs.Summary().Resource)
		},
	}
}

// oneLine keeps a value on its line, and its columns apart.
var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

// rawValues prints the values of the fields of a sample on one line, separated
// by tabs. Samples that lack one of them are counted on standard error.
func (v *invocation) rawValues(runs *path.Runs, selected *path.Selection) error {
	fields := v.fields
	if len(fields) == 0 {
		fields = runs.Fields()
		if len(fields) != 1 {
			return &misuse{fmt.Sprintf("values -raw: which field? Say it with -expr; there are %d: %s",
				len(fields), strings.Join(fields, ", "))}
		}
	}
	rows, missing, err := selected.Values(fields)
	if err != nil {
		return err
	}
	printed := 0
	for _, row := range rows {
		values := make([]string, len(row.Values))
		for i, value := range row.Values {
			values[i] = visible.Text(oneLine.Replace(value))
		}
		line := strings.Join(values, "\t") + "\n"
		for range row.Samples {
			v.out.WriteString(line)
		}
		printed += row.Samples
	}
	name := strings.Join(fields, ", ")
	if printed == 0 {
		why := ""
		if text := runs.Lacking(name); text != "" {
			why = ": " + text
		}
		if missing == 1 {
			return fmt.Errorf("the only sample has no value of %s%s", name, why)
		}
		return fmt.Errorf("none of the %d samples has a value of %s%s", missing, name, why)
	}
	if missing > 0 {
		v.warn("%s: %d of %d samples have no value", name, missing, missing+printed)
	}
	return nil
}
