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
		{path.Line, "line", "Source lines: FILE:LINE, else as sym", []string{"templates", "vmlinux", "quickfix"}},
		{path.Symbol, "sym", "Functions: OBJECT:SYMBOL, else as addr", []string{"templates", "vmlinux"}},
		{path.Source, "src", "Source files, else as obj", []string{"vmlinux"}},
		{path.Object, "obj", "Objects: the executable and its libraries", nil},
	} {
		for _, suffix := range []string{"", percentSuffix} {
			all = append(all, command{
				name:    of.name + suffix,
				summary: of.summary,
				details: `
A row is a number of samples, or with % at the end of the report's name a share,
and a name; the hottest first. Addresses are those in the object file, as in
objdump. DIR can be a count file: /tmp/pct/*/libc* is libc in all programs.
`,
				flags: append([]string{"total", "past-main", "e", "by FIELD", "i INTERVAL", "window", "where", "r RESOURCE", "members", "tree",
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
