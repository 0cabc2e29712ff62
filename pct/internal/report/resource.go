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
		_, err := fmt.Fprintf(w, "# %s is counted in the called functions: pct paths, summary and -total show their callers\n", visible.Text(name))
		return err
	case resource.AtReason:
		_, err := fmt.Fprintln(w, "# a wait is counted at its reason: pct paths, summary and -total show where the program waits")
		return err
	}
	return nil
}

// Resource writes a # line that names what was sampled in place of CPU time, and how much of it is
// between two samples. Of CPU time the line above it tells the rate: nothing is written.
func Resource(w io.Writer, head CallHead) error {
	if head.Resource == resource.CPU || head.Resource == "" {
		return nil
	}
	what := visible.Text(head.Resource)
	if head.Interval > 0 {
		what += ", one sample per " + visible.Text(inUnits(head.Interval, head.Unit))
	} else {
		what += ", unit " + visible.Text(head.Unit)
	}
	_, err := fmt.Fprintf(w, "# resource: %s\n", what)
	return err
}

// inUnits is so much of a resource as people write it: "512 KiB", "10 ms", "10 faults", and of one fault "fault".
func inUnits(n uint64, unit string) string {
	switch {
	case unit == resource.Microsecond && n%1000 == 0:
		return fmt.Sprintf("%d ms", n/1000)
	case unit == resource.Byte && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case unit == resource.Byte && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	case unit == resource.Microsecond:
		return fmt.Sprintf("%d µs", n)
	case n == 1:
		return unit
	}
	return plural(int(n), unit)
}
