package report

import (
	"fmt"
	"io"

	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/internal/visible"
)

// Called writes, below what was measured at single places, where to look for callers, if the resource is counted
// in functions that are called for it: all of it is in these.
func Called(w io.Writer, name string) error {
	switch resource.FoundAt(name) {
	case resource.InCalled:
		_, err := fmt.Fprintf(w, "# %s is counted in the functions that are called: pct paths, summary and -total tell of their callers\n", visible.Text(name))
		return err
	case resource.AtReason:
		_, err := fmt.Fprintln(w, "# a wait is at its reason, not at a place in the program: pct paths, summary and -total tell where")
		return err
	}
	return nil
}

// Resource writes a # line that names what was sampled in place of CPU time, and the gticks
// between two samples. Of CPU time the line above it tells the rate: nothing is written.
func Resource(w io.Writer, head CallHead) error {
	if head.Resource == resource.CPU || head.Resource == "" {
		return nil
	}
	every := ""
	if head.Interval > 0 {
		every = ", sampled every " + plural(int(head.Interval), "gtick")
	}
	_, err := fmt.Fprintf(w, "# resource: %s%s (1 gtick = 1 %s)\n", visible.Text(head.Resource), every, visible.Text(head.Unit))
	return err
}
