package translators

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/profilecollection/pct/translators/internal/coproc"
)

// Ask runs a program that knows nothing of the protocol: it writes the requests to
// the program's standard input, ends that, and returns the n lines that the program
// says. It may hold back its output until its input ends, as most filters do.
//
// A program that is silent for the time given while it owes lines, ends early, says
// more, or ends with another status than 0 is an *Error, and nothing of what it said
// is returned.
func Ask(argv []string, requests []byte, n int, timeout time.Duration) ([]string, error) {
	p, err := coproc.Start(argv, nil)
	if err != nil {
		return nil, fmt.Errorf("translator %s: %w", argv[0], err)
	}
	var writing sync.WaitGroup
	writing.Go(func() {
		p.Write(requests) // what goes wrong here shows in the answers
		p.CloseInput()
	})
	lines, what := readLines(p, n, timeout)
	patience := timeout
	if what != "" {
		// One that is ending of its own accord shall finish its last words.
		patience = min(timeout, time.Second)
		p.SetWriteDeadline(time.Now())
	}
	writing.Wait()
	from := time.Now()
	status := p.Reap(patience)
	switch late := time.Since(from) >= patience; {
	case what == "" && status != "" && late:
		what = fmt.Sprintf("it did not end within %v of the end of its input", timeout)
	case what == "":
		what = status
	case status != "" && !late:
		what += " (" + status + ")"
	}
	if what != "" {
		return nil, &Error{Argv: argv, What: what, Stderr: p.Stderr()}
	}
	return lines, nil
}

// readLines reads n lines and the end of the output, or says what is wrong.
func readLines(p *coproc.Process, n int, timeout time.Duration) (lines []string, what string) {
	for len(lines) < n {
		line, err := p.ReadLine(timeout)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, fmt.Sprintf("no answer for %v (%d of %d lines came)", timeout, len(lines), n)
		case err == io.EOF && (line == "" || len(lines)+1 < n):
			return nil, fmt.Sprintf("it ended after %d of %d lines", len(lines), n)
		case err != nil && err != io.EOF:
			return nil, err.Error()
		}
		lines = append(lines, line)
	}
	more, err := p.Drain(timeout)
	switch {
	case more > 0:
		return nil, fmt.Sprintf("it printed more than %d lines, one per request", n)
	case err != nil:
		return nil, fmt.Sprintf("it did not end within %v of the end of its input", timeout)
	}
	return lines, ""
}
