package report

import (
	"fmt"
	"io"

	"github.com/profilecollection/pct/pct/internal/path"
)

// Unsampled writes, above columns with standard errors or costs, what these lack: samples that were lost, and
// time that no sample can show, so that errors are of sampling alone.
func Unsampled(w io.Writer, s path.Summary, costs bool) error {
	if costs && s.Lost > 0 {
		const negligible = 0.001
		part := float64(s.Lost) / (float64(s.Samples) + float64(s.Lost))
		text := percentage(part)
		if part < negligible {
			text = "less than 0.1%"
		}
		if _, err := fmt.Fprintf(w, "# cost/call lacks the samples that were lost, %s of all\n", text); err != nil {
			return err
		}
	}
	if !path.UserMode(s.Notes) {
		return nil
	}
	text := "± is the error of sampling alone: time in the kernel is in no share"
	if costs {
		text = "cost/call is time in user mode; ± is the error of sampling alone"
	}
	// Of several programs, those that were too short for a sample are not in the data.
	if s.Programs == 1 && s.Got > 0 && s.Asked > 0 && s.Got < s.Asked {
		text += fmt.Sprintf(" (the samples stand for %s of the CPU time)", percentage(s.Got/s.Asked))
	}
	_, err := fmt.Fprintf(w, "# %s\n", text)
	return err
}
