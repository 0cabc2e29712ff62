package mi

import (
	"errors"
	"fmt"
	"strings"
)

// ErrTimeout says that the deadline passed; the debugger may answer later.
var ErrTimeout = errors.New("the debugger did not answer in time")

// ErrWoken says that Wake was called.
var ErrWoken = errors.New("woken")

// ErrLineTooLong says that a line of more than 16 MB was left out. The lines
// after it are read as ever.
var ErrLineTooLong = errors.New("the debugger wrote a line of more than 16 MB, which is ignored")

// Died says that the debugger ended.
type Died struct {
	Status string // "exit 1", "signal SIGKILL", or what else is known
	Stderr string // the last 4 KB that it wrote to its standard error
}

func (e *Died) Error() string {
	s := "the debugger ended (" + e.Status + ")"
	if t := strings.TrimSpace(e.Stderr); t != "" {
		s += ": " + t
	}
	return s
}

// CommandError is the debugger's refusal of a command (^error).
type CommandError struct {
	Command string // as it was sent, without its token
	Message string
}

func (e *CommandError) Error() string { return e.Command + ": " + e.Message }

// NotMI says that the program at the other end speaks no MI.
type NotMI struct {
	Line string // the beginning of what it said
}

func (e *NotMI) Error() string {
	return fmt.Sprintf("no debugger: it does not speak gdb/MI but says %.80q (is --interpreter=mi3 among its arguments?)", e.Line)
}
