package syscalls

import (
	"fmt"
	"strconv"
)

// A failure is the name of an error and what the C library says of it.
type failure struct{ name, text string }

// restarts are the results with which the kernel restarts a call that a signal interrupted. No header for programs has
// them: a program never sees them, a tracer does.
var restarts = map[int64]failure{
	512: {"ERESTARTSYS", "To be restarted if SA_RESTART is set"},
	513: {"ERESTARTNOINTR", "To be restarted"},
	514: {"ERESTARTNOHAND", "To be restarted if no handler"},
	516: {"ERESTART_RESTARTBLOCK", "Interrupted by signal"},
}

// Known reports whether the result is: after Exit.
func (c *Call) Known() bool { return c.state == left }

// Result is what the kernel returned.
func (c *Call) Result() int64 { return c.result }

// Failed reports whether the call failed, or is to be restarted.
func (c *Call) Failed() bool { return c.state == left && c.failed() }

// Error is the name of the error, "" where there is none: ENOENT.
func (c *Call) Error() string {
	if c.Failed() {
		f, _ := failureOf(-c.result)
		return f.name
	}
	return ""
}

// failureOf is what is known of an error.
func failureOf(e int64) (f failure, ok bool) {
	if f, ok = restarts[e]; !ok && e >= 0 && e < int64(len(failures)) {
		f = failures[e]
	}
	return f, f.name != ""
}

// AppendResult appends the result as strace prints it.
func (c *Call) AppendResult(b []byte) []byte {
	if c.state != left {
		return append(b, '?')
	}
	if c.failed() {
		e := -c.result
		f, ok := failureOf(e)
		switch {
		case !ok:
			return fmt.Appendf(b, "-1 (errno %d)", e)
		case restarts[e].name != "":
			return fmt.Appendf(b, "? %s (%s)", f.name, f.text)
		}
		b = append(b, "-1 "...)
		b = append(b, f.name...)
		b = append(b, " ("...)
		b = append(b, f.text...)
		return append(b, ')')
	}
	switch c.as {
	case inHex:
		if c.result != 0 {
			b = append(b, "0x"...)
		}
		b = strconv.AppendUint(b, uint64(c.result), 16)
	case inOctal:
		b = appendMode(b, uint64(c.result))
	default:
		b = strconv.AppendInt(b, c.result, 10)
		b = append(b, c.opens...)
	}
	if len(c.extra) > 0 {
		b = append(b, " ("...)
		b = append(b, c.extra...)
		b = append(b, ')')
	}
	return b
}
