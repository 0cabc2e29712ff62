// Package wrapper makes a translator of a program that knows addresses of one object
// and is asked by lines: it runs one such program for each object, and fails, with
// what the program says on its standard error, where that dies, hangs, or answers
// anything but what is expected.
package wrapper

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/translators"
	"github.com/profilecollection/pct/translators/internal/coproc"
)

// A Tool is a program that is asked.
type Tool struct {
	Name    string // of our own command
	Program string // the program's name
	Usage   string // of our own command
	Args    func(object string) []string

	// Ask writes addresses, and the Answers of the same program read the frames of
	// each, one after the other, at the same time, so that no batch is too large.
	Ask     func(to io.Writer, vaddrs []uint64) error
	Answers func() Answers // called once for each program that is started
}

// Answers reads the frames of each address, by lines.
type Answers func(line func() (string, error), vaddrs []uint64) ([][]translators.Location, error)

// maxRunning bounds the programs that run at a time, each of which may hold much of
// its object in memory.
const maxRunning = 8

// Run is the command's main function.
func (t Tool) Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(t.Name, flag.ContinueOnError)
	program := flags.String("program", t.Program, "")
	network := flags.Bool("network", false, "")
	timeout := flags.Duration("timeout", 30*time.Second, "")
	if status, done := translators.Parse(flags, t.Usage, args, stdout, stderr, nil); done {
		return status
	}
	var err error
	if *program, err = exec.LookPath(*program); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", t.Name, err)
		return 1
	}
	w := &wrapper{
		Tool: t, program: *program, timeout: *timeout,
		env:     coproc.Environment(*network),
		objects: translators.Objects{Program: t.Name, Complain: stderr},
		running: map[string]*asked{},
	}
	err = translators.ServeBatches(stdin, stdout, stderr, w.translate)
	err = errors.Join(err, w.end())
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", t.Name, err)
		return 1
	}
	return 0
}

type wrapper struct {
	Tool
	program string
	timeout time.Duration
	env     []string
	objects translators.Objects
	running map[string]*asked // by object
}

// asked is a program that runs for an object.
type asked struct {
	*coproc.Process
	answers Answers
	object  *object.File // closed
}

// translate asks for each object of a batch once.
func (w *wrapper) translate(batch []translators.Request, answers [][]translators.Location) error {
	indices := map[string][]int{}
	var order []string
	for i, q := range batch {
		if !w.objects.Usable(q) {
			continue
		}
		if indices[q.Object] == nil {
			order = append(order, q.Object)
		}
		indices[q.Object] = append(indices[q.Object], i)
	}
	for _, object := range order {
		if err := w.object(object, indices[object], batch, answers); err != nil {
			return fmt.Errorf("%s: %w", object, err)
		}
	}
	return nil
}

// object answers the requests of the given indices, which are all for one object.
func (w *wrapper) object(object string, indices []int, batch []translators.Request, answers [][]translators.Location) error {
	p, err := w.start(object)
	if err != nil {
		return err
	}
	// These programs name the last function for what is behind it.
	indices = slices.DeleteFunc(indices, func(i int) bool { return !p.object.Executable(batch[i].Vaddr) })
	vaddrs := make([]uint64, len(indices))
	for n, i := range indices {
		vaddrs[n] = batch[i].Vaddr
	}
	if len(vaddrs) == 0 {
		return nil
	}
	p.SetWriteDeadline(time.Time{})
	asking := make(chan error, 1)
	go func() { asking <- w.Ask(p, vaddrs) }()
	lines := 0
	frames, err := p.answers(func() (string, error) {
		line, err := p.ReadLine(w.timeout)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			err = fmt.Errorf("no answer for %v", w.timeout)
		case err == io.EOF:
			err = fmt.Errorf("it ended after %d lines", lines)
		}
		lines++
		return line, err
	}, vaddrs)
	if err == nil && len(frames) != len(vaddrs) {
		err = fmt.Errorf("%d answers for %d addresses", len(frames), len(vaddrs))
	}
	if err != nil {
		p.SetWriteDeadline(time.Now())
		<-asking
		delete(w.running, object)
		return w.failure(p, err.Error())
	}
	if err := <-asking; err != nil {
		return w.failure(p, err.Error())
	}
	for n, i := range indices {
		answers[i] = frames[n]
	}
	return nil
}

// start returns the program that runs for an object.
func (w *wrapper) start(path string) (*asked, error) {
	if p := w.running[path]; p != nil {
		return p, nil
	}
	if len(w.running) == maxRunning {
		if err := w.end(); err != nil {
			return nil, err
		}
	}
	f, err := object.Open(path)
	if err != nil {
		return nil, err // it was readable a moment ago
	}
	defer f.Close()
	p := &asked{answers: w.Answers(), object: f}
	if p.Process, err = coproc.Start(append([]string{w.program}, w.Args(path)...), w.env); err != nil {
		return nil, err
	}
	w.running[path] = p
	return p, nil
}

// failure ends a program and says what was wrong with it.
func (w *wrapper) failure(p *asked, what string) error {
	if status := p.Reap(time.Second); status != "" {
		what += " (" + status + ")"
	}
	if said := p.Stderr(); said != "" {
		what += "; it says: " + said
	}
	return fmt.Errorf("%s: %s", w.Program, what)
}

// end ends all programs that run.
func (w *wrapper) end() error {
	var all error
	for object, p := range w.running {
		if status := p.Reap(w.timeout); status != "" {
			all = errors.Join(all, fmt.Errorf("%s: %s: %s", object, w.Program, status))
		}
	}
	clear(w.running)
	return all
}
