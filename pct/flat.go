package main

import (
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

// percentSuffix at the end of a report's name asks for fractions.
const percentSuffix = "%"

// flatCommands are the flat profiles, each in numbers of samples and, with % at
// the end of its name, in percent.
func flatCommands() []command {
	var all []command
	for _, of := range []struct {
		granularity path.Granularity
		name        string
		summary     string
		more        []string // flags that not all of them take
	}{
		{path.Address, "addr", "Instructions: OBJECT:0xADDRESS", nil},
		{path.Line, "line", "Source lines: FILE:LINE, or as sym where they are not known", []string{"templates", "vmlinux", "quickfix"}},
		{path.Symbol, "sym", "Functions: OBJECT:SYMBOL, or as addr where they are not known", []string{"templates", "vmlinux"}},
		{path.Source, "src", "Source files, or as obj where they are not known", []string{"vmlinux"}},
		{path.Object, "obj", "Objects: the executable and its libraries", nil},
	} {
		for _, suffix := range []string{"", percentSuffix} {
			all = append(all, command{
				name:    of.name + suffix,
				summary: of.summary,
				details: `
Each line is the number of samples found in one of them, and its name; hottest
first. With % at the end of the report's name the number is its share of the
weight. Addresses are those of the object file, as objdump shows them. DIR can be
a count file too: /tmp/pct/*/libc* is what all programs did in libc.
`,
				flags: append([]string{"total", "past-main", "e", "by FIELD", "i INTERVAL", "window", "where", "r RESOURCE", "tree",
					"n ROWS", "threshold", "O FILE", "translator", "after-run", "place", "unrated"}, of.more...),
				example:     "-n 20 /tmp/pct/gzip.*",
				granularity: &of.granularity,
				run: func(v *invocation) error {
					v.Granularity = of.granularity
					functions := v.Total && !v.PastMain || of.granularity != path.Address && of.granularity != path.Object
					style := report.Style{Counts: suffix == "", Errors: v.errors, Colour: v.terminal}
					return v.profile((*path.Selection).Flat, functions, style)
				},
			})
		}
	}
	return all
}
