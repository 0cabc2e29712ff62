package report

import (
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/path"
)

// Where a note says that a part of the time is in no sample, errors are told to be of the rest, and how
// much that is if it is known. Costs lack samples that were lost, too.
func TestUnsampled(t *testing.T) {
	const note = "user-mode samples only at this rate; add -k for the kernel"
	for _, c := range []struct {
		summary path.Summary
		costs   bool
		want    string
	}{
		{path.Summary{Programs: 1, Asked: 1000, Got: 900}, true, ""},
		{path.Summary{Programs: 1, Asked: 1000, Got: 900, Notes: []string{note}}, true,
			"# cost/call is time in user mode; ± is the error of sampling alone (the samples stand for 90% of the CPU time)\n"},
		{path.Summary{Programs: 1, Asked: 1000, Got: 900, Notes: []string{"another", note}}, false,
			"# ± is the error of sampling alone: time in the kernel is in no share (the samples stand for 90% of the CPU time)\n"},
		{path.Summary{Samples: 90, Lost: 10}, true, "# cost/call lacks the samples that were lost, 10% of all\n"},
		{path.Summary{Samples: 90, Lost: 10}, false, ""},
		{path.Summary{Samples: 9999, Lost: 1}, true, "# cost/call lacks the samples that were lost, less than 0.1% of all\n"},
		{path.Summary{Samples: 999, Lost: 1, Notes: []string{note}}, true,
			"# cost/call lacks the samples that were lost, 0.1% of all\n# cost/call is time in user mode; ± is the error of sampling alone\n"},
		{path.Summary{Programs: 2, Asked: 1000, Got: 900, Notes: []string{note}}, false, "# ± is the error of sampling alone: time in the kernel is in no share\n"},
		{path.Summary{Programs: 1, Asked: 1000, Notes: []string{note}}, false, "# ± is the error of sampling alone: time in the kernel is in no share\n"},
	} {
		var out strings.Builder
		if err := Unsampled(&out, c.summary, c.costs); err != nil || out.String() != c.want {
			t.Errorf("%+v: %v, %q; want %q", c.summary, err, out.String(), c.want)
		}
	}
}
