package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
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
	readable map[string]bool     // by object and build-id
}

// supervise answers the requests of stdin. It fails where workers do nothing else.
func supervise(o options, stdin io.Reader, stdout, stderr io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s := supervisor{
		argv:     []string{self, "-worker", "-gdb", o.gdb, "-debug-dir", o.debugDir},
		timeout:  o.timeout,
		stderr:   stderr,
		readable: map[string]bool{},
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
	if !s.check(q) {
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

// check says whether the object of q is an ELF file and the build asked for;
// where it is not, it says so on stderr, once.
func (s *supervisor) check(q translators.Request) bool {
	key := q.Object + "\t" + q.BuildID
	ok, known := s.readable[key]
	if known {
		return ok
	}
	// What stands in brackets, as [vdso], is memory of no file.
	if !strings.HasPrefix(q.Object, "[") {
		err := checkObject(q)
		if ok = err == nil; !ok {
			fmt.Fprintf(s.stderr, "pct-gdbline: %v\n", err)
		}
	}
	s.readable[key] = ok
	return ok
}

func checkObject(q translators.Request) error {
	f, err := elf.Open(q.Object)
	if pathError := (*fs.PathError)(nil); errors.As(err, &pathError) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", q.Object, err)
	}
	defer f.Close()
	if id := translators.BuildID(f); q.BuildID != "" && id != strings.ToLower(q.BuildID) {
		return fmt.Errorf("%s: another build than was profiled: its build-id is %s, not %s", q.Object, id, q.BuildID)
	}
	return nil
}
