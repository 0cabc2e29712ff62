package main

func disasmCommands() []command {
	var all []command
	for _, suffix := range []string{"", percentSuffix} {
		all = append(all, command{
			name:    "disasm" + suffix,
			summary: "Machine code with sample counts in the margin",
			details: `
Prints functions with 1% of the samples or more (-threshold), the hottest first:
the surroundings of instructions with 1% of the function's samples, with source
lines between. A sample is at the instruction about to be executed; often the
one before took the time. With % at the end of the report's name, the margin has
shares. -gcov adds executions of each line and cycles per execution; the program
must be built with gcc --coverage and do the same work.
`,
			flags: []string{"e", "window", "where", "tree", "n FUNCTIONS", "threshold", "all", "sym", "source", "gcov", "clock",
				"O FILE", "translator"},
			least:   defaultHot,
			example: "-sym worker /tmp/pct/hier-test.*",
			run:     func(v *invocation) error { return v.disasm(suffix != "") },
		})
	}
	return all
}

func (v *invocation) disasm(percent bool) error {
	runs, selected, t, end, err := v.instructions()
	if err != nil {
		return err
	}
	defer end()
	l, err := v.newListing(runs, selected, percent)
	if err != nil {
		return err
	}
	runs.Changed = nil // the listing says what of which object is missing
	found, err := selected.Instructions(t)
	if err != nil {
		return err
	}
	if err := v.listingHead(l, runs, selected); err != nil {
		return err
	}
	return l.Disassemble(&v.out, t, found, v.listing.pattern, v.Rows)
}
