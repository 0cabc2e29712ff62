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
A table of the fields, and the most frequent values of those that are text.
`,
		flags:   []string{"expr", "by FIELD", "i INTERVAL", "window", "where", "tree", "raw", "O FILE"},
		example: "-expr n -raw /tmp/pct/hier-test.4711 | int-hist",
		run: func(v *invocation) error {
			runs, selected, err := v.choose()
			if err != nil {
				return err
			}
			if v.raw && v.By != "" {
				return v.misuse("-raw prints values, which cannot be split by -by; -expr %s prints those of %s, too", v.By, v.By)
			}
			if v.raw {
				return v.rawValues(runs, selected)
			}
			columns, err := selected.Tabulate(v.fields, v.Options)
			if err != nil {
				return err
			}
			if err := report.Head(&v.out, runs.Summary(), selected.Samples(), selected.Limits()); err != nil {
				return err
			}
			return report.Table(&v.out, columns)
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
		if missing == 1 {
			return fmt.Errorf("the only sample has no value of %s", name)
		}
		return fmt.Errorf("none of the %d samples has a value of %s", missing, name)
	}
	if missing > 0 {
		v.warn("%s: %d of %d samples have no value", name, missing, missing+printed)
	}
	return nil
}
