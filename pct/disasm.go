package main

func disasmCommands() []command {
	var all []command
	for _, suffix := range []string{"", percentSuffix} {
		all = append(all, command{
			name:    "disasm" + suffix,
			summary: "Machine code with the number of samples in a margin before each instruction",
			details: `
Shows the functions of 1% or more of the samples, hottest first, and of each what is
around the instructions of 1% or more of the function's; -threshold sets the first. The
lines of the source stand between, where they are known. An instruction is the one that
was about to be executed: what took the time is often the one before. With % at the end
of the report's name the number is the share of the weight. With -gcov, of a program
built with gcc --coverage and run on the same work, also how often each line was
executed, and the cycles of each line and instruction per execution of the line.
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
