package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
)

// profile has its report made with -after-run FILE and -place TEXT, and with -unrated where the
// run ended in the midst of an interval. The head then says by TEXT where the data are, and has a
// rate only where that is the one of the whole run. FILE gets what profile has to know, a line:
//
//	samples=N    the report is on so many samples
//	unmeasured=  no run measures the resource that was asked for, and nothing is said of that

// ofRun is the summary as it is in the head.
func (v *invocation) ofRun(s path.Summary) path.Summary {
	// Of several processes, those that were too short for a sample are not in the data.
	if v.afterRun != "" && (v.unrated || s.Processes > 1 || s.Programs > 1) {
		s.Got = 0
	}
	return s
}

// endHead writes what profile has in the head of its reports: where the data are.
func (v *invocation) endHead(samples int) error {
	if v.afterRun == "" {
		return nil
	}
	fmt.Fprintf(&v.out, "# data: %s\n", visible.Text(v.place))
	return v.tellProfile(fmt.Sprintf("samples=%d\n", samples))
}

// tellProfile writes a line for it.
func (v *invocation) tellProfile(line string) error {
	return os.WriteFile(v.afterRun, []byte(line), 0o600)
}

// leftToProfile reports whether profile knows what to say of an error.
func (v *invocation) leftToProfile(err error) bool {
	var other *path.OtherResource
	return v.afterRun != "" && errors.As(err, &other) && v.tellProfile("unmeasured=\n") == nil
}
