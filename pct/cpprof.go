package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/report"
)

// significant is the default threshold of call path profiles.
const significant = 0.01

// recursionHelp is what all profiles have in common that count with descendants.
const recursionHelp = `
A sample counts once in a row, also in recursive programs. docs/CALLPATHS.md
defines what is counted.
`

// selectionHelp ends the details of all of them.
const selectionHelp = `
Fractions are of the samples that -where, -window, -through and -not select. The
last line counts rows omitted by -threshold (default 0.01) and -n. -by prints a
profile for each value. -g call distinguishes functions by call site.
`

// cpprofCommands are the profiles of CPPROF: Hall and Goldberg 1993.
func cpprofCommands() []command {
	flags := append([]string{"e", "n ROWS", "threshold"}, callFlags...)
	root := `
ROOT is the name of a function, in C++ also without parameters and namespace, or
a pattern with * and ?; all matching functions are roots.
`
	return []command{
		{
			name:    "fn",
			summary: "Function profile: each function with all that it called",
			details: `
"0.8632 db_get_property [530]" means that 0.8632 of the resource was used while
db_get_property was on the stack, in 530 samples. Begin here; continue with pct
up and pct down for functions with large fractions.
` + recursionHelp + selectionHelp,
			flags: flags, least: significant,
			example: "/tmp/pct/forms.4711",
			run:     (*invocation).functionProfile,
		},
		{
			name:    "body",
			summary: "Body profile: each function by itself",
			details: `
"0.8632 db_read_record [530]" means that 0.8632 of the resource was used in the
code of db_read_record itself, in 530 samples.
` + selectionHelp,
			flags: flags, least: significant,
			example: "-where 'n > 1000' /tmp/pct/forms.4711",
			run:     (*invocation).bodyProfile,
		},
		{
			name:    "down",
			summary: "Downward call path profile: what ROOT called, and what that called", operands: "ROOT [DIR]...",
			details: `
"0.68012 (main uniquify_db qsort) [1820]" means that 0.68012 of the resource was
used by qsort and all that it called, when called by uniquify_db, called by
main. Rows are all call paths from the outermost call of ROOT on a stack
inwards.
` + root + recursionHelp + selectionHelp,
			flags: flags, least: significant,
			example: "main -g call /tmp/pct/process_db.4711",
			run:     func(v *invocation) error { return v.callPathProfile(report.DownwardProfile, (*calltree.Tree).Downward) },
		},
		{
			name:    "up",
			summary: "Upward call path profile: who called ROOT, and who called them", operands: "ROOT [DIR]...",
			details: `
"0.6873 (address_information db_get_property) [422]" means that 0.6873 of the
resource was used by db_get_property and all that it called, when called by
address_information. Rows are all call paths from the innermost call of ROOT on
a stack outwards.
` + root + recursionHelp + selectionHelp,
			flags: flags, least: significant,
			example: "db_read_record /tmp/pct/forms.4711",
			run:     func(v *invocation) error { return v.callPathProfile(report.UpwardProfile, (*calltree.Tree).Upward) },
		},
		{
			name:    "tree",
			summary: "Sample tree profile: all call paths from the outermost frames",
			details: `
A row is a function with its fraction, below its caller and indented by two
blanks more. Recursive calls are separate rows.
` + selectionHelp,
			flags: flags, least: significant,
			example: "-threshold 5% /tmp/pct/forms.4711",
			run:     (*invocation).treeProfile,
		},
	}
}

func (v *invocation) functionProfile() error {
	return v.eachGroup(func(t *calltree.Tree, head report.CallHead, style report.CallStyle) error {
		return report.Functions(&v.out, report.FunctionProfile, t, t.Functions(), head, style)
	})
}

func (v *invocation) bodyProfile() error {
	return v.eachGroup(func(t *calltree.Tree, head report.CallHead, style report.CallStyle) error {
		return report.Functions(&v.out, report.BodyProfile, t, t.Bodies(), head, style)
	})
}

func (v *invocation) treeProfile() error {
	return v.eachGroup(func(t *calltree.Tree, head report.CallHead, style report.CallStyle) error {
		return report.SampleTree(&v.out, t, head, style)
	})
}

// callPathProfile makes the profiles whose root is the first name.
func (v *invocation) callPathProfile(title string, profile func(*calltree.Tree, func(*calltree.Frame) bool, float64) *calltree.CallPaths) error {
	if err := v.rootFirst(); err != nil {
		return err
	}
	root, err := calltree.ParsePattern(v.dirs[0])
	if err != nil {
		return v.misuse("ROOT: %v", err)
	}
	v.dirs = v.dirs[1:]
	if len(v.dirs) == 0 {
		if err := v.newest(); err != nil {
			return err
		}
	}
	found := false
	var frames []calltree.Frame
	err = v.eachGroup(func(t *calltree.Tree, head report.CallHead, style report.CallStyle) error {
		frames = t.Frames
		p := profile(t, root.Among(t.Frames).Frame, style.Threshold)
		found = found || len(p.Rows) > 0 || p.Hidden > 0
		return report.CallPaths(&v.out, title, t, p, head, style)
	})
	switch {
	case err != nil || found:
		return err
	case v.warned[noCallers]:
		return fmt.Errorf("no sample is in function %s itself, and the samples have no callers; pct body lists the functions", root)
	}
	return noRoot(root, frames)
}

// rootFirst refuses a root after its run directories: there is one where the function should be,
// and none of a later name.
func (v *invocation) rootFirst() error {
	if _, err := os.Stat(v.dirs[0]); err != nil {
		return nil
	}
	for _, name := range v.dirs[1:] {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return v.misuse("the function comes before the run directories, as in pct %s %s %s", v.command.name, name, v.dirs[0])
		}
	}
	return nil
}

// suggestions is how many names are suggested for one that is not there.
const suggestions = 5

// noRoot says that no frame fits a pattern, and which names are like it.
func noRoot(root calltree.Pattern, frames []calltree.Frame) error {
	names := calltree.Nearest(frames, root.String(), suggestions)
	if len(names) == 0 {
		return fmt.Errorf("no sample has a function %s on its stack; pct fn lists the functions", root)
	}
	for i, name := range names {
		names[i] = visible.Text(name)
	}
	return fmt.Errorf("no sample has a function %s on its stack: did you mean %s? (pct fn lists all)", root, strings.Join(names, " or "))
}

// eachGroup writes the head and the profile of each group of samples.
func (v *invocation) eachGroup(write func(*calltree.Tree, report.CallHead, report.CallStyle) error) error {
	defer debug.SetGCPercent(debug.SetGCPercent(littleGarbage))
	runs, selected, c, err := v.calls(v.Granularity)
	if err != nil {
		return err
	}
	if err := report.Head(&v.out, runs.Summary(), selected.Samples(), selected.Limits()); err != nil {
		return err
	}
	style := report.CallStyle{Errors: v.errors, Rows: v.Rows, Threshold: v.Threshold}
	head := callHead(runs, "") // from here on nobody needs the samples, which are large
	head.Refined = v.Refinements
	for _, group := range c.Groups {
		head.Group = group.Name
		if err := write(group.Tree, head, style); err != nil {
			return err
		}
	}
	return nil
}

// callHead describes what was sampled. The interval is known if all runs have the same.
func callHead(runs *path.Runs, group string) report.CallHead {
	head := report.CallHead{Group: group}
	for _, r := range runs.Data() {
		if r.Packed.Len() == 0 {
			continue
		}
		interval := r.Header.Interval
		if interval == 0 && r.Header.Unit == resource.Microsecond {
			interval = uint64(r.Header.Period / time.Microsecond)
		}
		if head.Resource == "" {
			head.Resource, head.Unit, head.Interval = r.Header.Resource, r.Header.Unit, interval
		} else if head.Interval != interval {
			head.Interval = 0
		}
	}
	return head
}
