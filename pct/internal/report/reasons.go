package report

import (
	"fmt"
	"strings"
)

// Frames that are no functions, which collectors of real time put above the function that a thread was
// in: why it was off the processor.
const (
	preempted = "[preempted]"
	stopped   = "[stopped]"
	blocked   = "[blocked]"
	blockedIn = "[blocked in "
)

// waiting is what a function did in the time of such a frame, "" if the frame is a function.
func waiting(frame string) string {
	what, in := strings.CutPrefix(strings.TrimSuffix(frame, "]"), blockedIn)
	switch {
	case frame == preempted:
		return "could run and had no processor"
	case frame == stopped:
		return "was stopped, as by ^Z or a debugger"
	case frame == blocked:
		return "waited"
	case in && strings.HasPrefix(what, "a "):
		return "waited in " + what
	case in:
		return "waited in the system call " + what
	}
	return ""
}

// saved says what could be saved in a context at most.
func (o *Overview) saved(c *OverviewContext) string {
	if c.Path[len(c.Path)-1] == preempted {
		return "Other threads had the processors: that is a matter of what else ran, more than of this place."
	}
	return fmt.Sprintf("At most %s can be saved there.", percentage(c.Fresh))
}

// The functions in which interpreters execute programs, by the language.
var interpreterLoops = map[string]string{
	"_PyEval_EvalFrameDefault": "Python",
	"PyEval_EvalFrameEx":       "Python",
	"luaV_execute":             "Lua",
	"Perl_runops_standard":     "Perl",
	"Perl_runops_debug":        "Perl",
	"execute_ex":               "PHP",
	"vm_exec_core":             "Ruby",
	"rb_vm_exec":               "Ruby",
	"bcEval":                   "R",
	"TEBCresume":               "Tcl",
}

// loop says of a context that ends in an interpreter's loop what calls of it are, "" if it doesn't.
func loop(c *OverviewContext) string {
	last := c.Path[len(c.Path)-1]
	language := interpreterLoops[last]
	if language == "" {
		return ""
	}
	return fmt.Sprintf(" %s is the loop in which %s programs are executed: that much of the time passes in what they do, "+
		"but in which of their functions only a profiler of %s can tell.", last, language, language)
}
