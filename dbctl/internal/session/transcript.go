package session

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/profilecollection/pct/dbctl/internal/tracee"
)

// transcript keeps what happened, a line each, for dbctl -replay:
//
//	> LINE      to the debugger
//	< LINE      from it
//	event LINE  offered to the machine
//	step EVENT -> ORDERS       of the state of all processes, as package tracee writes them
//	answer COMMAND OUTPUT      to a script's command, both quoted as in Go
//	value FUNCTION EXPRESSION VALUE|-   of an EVAL, - for no value
//
// Each line is written at once, so that it's there after a crash.
type transcript struct {
	mu sync.Mutex
	w  *bufio.Writer
}

const transcriptHeader = "# dbctl transcript 1"

func newTranscript(w io.Writer) *transcript {
	t := &transcript{w: bufio.NewWriter(w)}
	t.line("%s", transcriptHeader)
	return t
}

func (t *transcript) line(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.w, format+"\n", args...)
	t.w.Flush()
}

func (t *transcript) wire(toDebugger bool, line []byte) {
	sign := "<"
	if toDebugger {
		sign = ">"
	}
	t.line("%s %s", sign, line)
}

func (t *transcript) event(line string) { t.line("event %s", line) }

func (t *transcript) answer(command, output string) {
	t.line("answer %s %s", strconv.Quote(command), strconv.Quote(output))
}

func (t *transcript) value(function, expression, value string, ok bool) {
	quoted := "-"
	if ok {
		quoted = strconv.Quote(value)
	}
	t.line("value %s %s %s", strconv.Quote(function), strconv.Quote(expression), quoted)
}

// step keeps an event of the tree of processes, and what it ordered.
func (t *transcript) step(ev tracee.Event, orders []tracee.Order) {
	t.line("step %s", tracee.Line(ev, orders))
}
