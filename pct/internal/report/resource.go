package report

import (
	"fmt"
	"io"
)

// Resource writes a # line that names what was sampled in place of CPU time, and the gticks
// between two samples. Of CPU time the line above it tells the rate: nothing is written.
func Resource(w io.Writer, head CallHead) error {
	if head.Resource == "cpu" || head.Resource == "" {
		return nil
	}
	every := ""
	if head.Interval > 0 {
		every = ", sampled every " + plural(int(head.Interval), "gtick")
	}
	_, err := fmt.Fprintf(w, "# resource: %s%s (1 gtick = 1 %s)\n", Printable(head.Resource), every, Printable(head.Unit))
	return err
}
