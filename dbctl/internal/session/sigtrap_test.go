package session

import "testing"

func TestCause(t *testing.T) {
	const trace = 2 // TRAP_TRACE
	for name, test := range map[string]struct {
		sigtrap
		want cause
	}{
		"of a process":                                            {sigtrap{code: userSent}, trapUnknown},
		"of a process to a stepped thread":                        {sigtrap{code: userSent, steps: true}, trapUnknown},
		"of a process behind a breakpoint":                        {sigtrap{code: userSent, here: true, was: true}, trapUnknown},
		"of a process while a breakpoint is passed":               {sigtrap{code: userSent, passed: true}, trapUnknown},
		"a breakpoint of the program":                             {sigtrap{code: kernelSent}, trapUnknown},
		"a watchpoint":                                            {sigtrap{code: trace, watches: true}, trapWatched},
		"of a process where there are watchpoints":                {sigtrap{code: userSent, watches: true}, trapUnknown},
		"of the program where there are watchpoints":              {sigtrap{code: kernelSent, watches: true}, trapUnknown},
		"a trap of the program":                                   {sigtrap{code: trace}, trapUnknown},
		"a breakpoint":                                            {sigtrap{code: kernelSent, here: true, was: true}, trapMet},
		"a breakpoint, stepped to":                                {sigtrap{code: kernelSent, here: true, was: true, steps: true}, trapMet},
		"a breakpoint behind another one":                         {sigtrap{code: kernelSent, here: true, was: true, passed: true}, trapMet},
		"a clock's":                                               {sigtrap{code: kernelSent, here: true, was: true, counts: true}, trapCounted},
		"a probe's":                                               {sigtrap{code: kernelSent, here: true, was: true, probes: true}, trapProbed},
		"a probe's and a clock's":                                 {sigtrap{code: kernelSent, here: true, was: true, probes: true, counts: true}, trapCounted},
		"a probe's, of a child that borrows":                      {sigtrap{code: kernelSent, here: true, was: true, probes: true, lent: true}, trapParents},
		"the parent's":                                            {sigtrap{code: kernelSent, here: true, was: true, lent: true}, trapParents},
		"one that is gone":                                        {sigtrap{code: kernelSent, was: true}, trapLate},
		"one that is gone, stepped to":                            {sigtrap{code: kernelSent, was: true, steps: true}, trapStepped},
		"a step":                                                  {sigtrap{code: trace, steps: true}, trapStepped},
		"a step over a breakpoint":                                {sigtrap{code: trace, steps: true, passed: true}, trapStepped},
		"a step behind a breakpoint":                              {sigtrap{code: trace, steps: true, here: true, was: true}, trapStepped},
		"a step that was given up":                                {sigtrap{code: trace, late: true}, trapPassed},
		"a step that was given up for another":                    {sigtrap{code: trace, late: true, steps: true}, trapPassed},
		"a breakpoint, while a step that was given up is to come": {sigtrap{code: kernelSent, late: true, here: true, was: true}, trapMet},
		"of a process, while a step that was given up is to come": {sigtrap{code: userSent, late: true}, trapUnknown},
		"on the way over a breakpoint":                            {sigtrap{code: trace, passed: true}, trapPassed},
	} {
		if got := test.cause(); got != test.want {
			t.Errorf("%s: cause %d, want %d", name, got, test.want)
		}
	}
}
