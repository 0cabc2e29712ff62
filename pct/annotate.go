package main

import (
	"bytes"
	"fmt"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/listing"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

// listingOptions are the flags of annotate and disasm alone.
type listingOptions struct {
	dir     string
	whole   bool
	pattern calltree.Pattern
	search  listing.Search
	gcov    []string
	hertz   float64 // 0: that of this machine
}

// defaultHot is the share from which a file or a function is hot.
const defaultHot = 0.01

func annotateCommands() []command {
	var all []command
	for _, suffix := range []string{"", percentSuffix} {
		all = append(all, command{
			name:    "annotate" + suffix,
			summary: "Source files with sample counts in the margin",
			details: `
Prints files with 1% of the samples or more (-threshold), the hottest first: the
surroundings of lines with 1% of the file's samples. -O writes copies of whole
files and a list of them, "index". With % at the end of the report's name, the
margin has shares. -gcov adds how often each line was executed and how many
cycles it takes each time; the program must be built with gcc --coverage and do
the same work.
`,
			flags: []string{"total", "e", "window", "where", "tree", "threshold", "all", "file", "source", "gcov", "clock",
				"O DIR", "translator", "vmlinux"},
			least:   defaultHot,
			example: "-file zip.c /tmp/pct/gzip.*",
			run:     func(v *invocation) error { return v.annotate(suffix != "") },
		})
	}
	return all
}

func (v *invocation) annotate(percent bool) error {
	runs, selected, t, end, err := v.instructions()
	if err != nil {
		return err
	}
	defer end()
	l, err := v.newListing(runs, selected, percent)
	if err != nil {
		return err
	}
	found, err := selected.Sources(t, v.Options)
	if err != nil {
		return err
	}
	if err := v.listingHead(l, runs, selected); err != nil {
		return err
	}
	if v.listing.dir == "" {
		return l.View(&v.out, found, v.listing.pattern)
	}
	head := bytes.Clone(v.out.Bytes())
	v.out.Reset()
	n, err := l.Copies(v.listing.dir, head, found, v.listing.pattern)
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("no source file with samples could be copied")
	}
	fmt.Fprintf(&v.out, "# %s has copies of source files: %d\n", visible.Text(v.listing.dir), n)
	return nil
}

// instructions opens the runs and the translator; the function returned ends it.
func (v *invocation) instructions() (*path.Runs, *path.Selection, path.Translator, func(), error) {
	runs, selected, err := v.choose()
	if err != nil {
		return nil, nil, nil, nil, err
	}
	t, end, err := v.startTranslator(true)
	return runs, selected, t, end, err
}

// newListing is what the flags say of a listing.
func (v *invocation) newListing(runs *path.Runs, selected *path.Selection, percent bool) (*listing.Listing, error) {
	l := &listing.Listing{
		Samples: selected.Samples(), Weight: selected.Weight(),
		Percent: percent, Errors: v.errors, Colour: v.terminal, Whole: v.listing.whole, Threshold: v.Threshold,
		Search: &v.listing.search,
		Warn:   func(sentence string) { v.warn("%s", sentence) },
	}
	if len(v.listing.gcov) == 0 {
		if v.listing.hertz > 0 {
			return nil, v.misuse("-clock needs -gcov")
		}
		return l, nil
	}
	if what := runs.Summary().Resource; what != resource.CPU && what != resource.Real {
		return nil, fmt.Errorf("the samples measure %s, of which there are no cycles: -gcov needs CPU time", what)
	}
	hertz, origin := v.listing.hertz, "-clock"
	if hertz == 0 {
		now, err := listing.Clock()
		if err != nil {
			return nil, err
		}
		hertz, origin = now, "this machine's now; -clock GHZ says another"
	}
	var err error
	l.Cycles, err = listing.ReadExecutions(v.listing.gcov, l.Search, hertz, origin)
	return l, err
}

func (v *invocation) listingHead(l *listing.Listing, runs *path.Runs, selected *path.Selection) error {
	summary := runs.Summary()
	if err := report.Head(&v.out, summary, selected.Samples(), selected.Limits()); err != nil {
		return err
	}
	return l.Head(&v.out, summary.Processes)
}
