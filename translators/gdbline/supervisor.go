package gdbline

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/profilecollection/pct/translators"
)

// maxFailures is how many workers may fail one after the other.
const maxFailures = 3

// A supervisor answers requests by a worker, and has another where one fails.
type supervisor struct {
	argv     []string
	timeout  time.Duration
	stderr   io.Writer
	worker   *translators.Client // nil: to be started
	failures int                 // in a row
	objects  translators.Objects
}

// supervise answers the requests of stdin. It fails where workers do nothing else.
func supervise(o options, stdin io.Reader, stdout, stderr io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s := supervisor{
		argv:    []string{filepath.Join(filepath.Dir(self), "pct-gdbline"), "-worker", "-gdb", o.gdb, "-debug-dir", o.debugDir, fmt.Sprintf("-network=%t", o.network)},
		timeout: o.timeout,
		stderr:  stderr,
		objects: translators.Objects{Program: "pct-gdbline", Complain: stderr},
	}
	err = translators.Serve(stdin, stdout, stderr, s.translate)
	if s.worker != nil {
		s.worker.Close()
	}
	return err
}

// translate answers a request by the worker. Where that fails the answer is
// unknown; where workers do nothing else, an error.
func (s *supervisor) translate(q translators.Request) ([]translators.Location, error) {
	if !s.objects.Usable(q) {
		return nil, nil
	}
	answers, err := s.ask(q)
	if err == nil {
		s.failures = 0
		return answers[0], nil
	}
	s.worker = nil
	if s.failures++; s.failures == maxFailures {
		return nil, err
	}
	fmt.Fprintf(s.stderr, "pct-gdbline: %s 0x%x: %v\n", q.Object, q.Vaddr, err)
	return nil, nil
}

func (s *supervisor) ask(q translators.Request) ([][]translators.Location, error) {
	if s.worker == nil {
		w, err := translators.Start(s.argv)
		if err != nil {
			return nil, err
		}
		w.Timeout = s.timeout
		s.worker = w
	}
	return s.worker.Translate(q.Object, []uint64{q.Vaddr})
}
