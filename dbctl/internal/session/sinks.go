package session

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// pipeBacklog is how many bytes may wait for a filter that does not read. What
// comes beyond is dropped and counted: a filter never stops a program.
const pipeBacklog = 64 << 20

// gatherTime is how long texts are gathered for a filter, and gatherSize how many bytes at most: a filter that is woken
// for each line takes the processor from what is traced.
const (
	gatherTime = 2 * time.Millisecond
	gatherSize = 64 << 10
)

// sinks are the outputs of one process: files of its run directory, and the
// filters, which all processes of a run share.
type sinks struct {
	open    func(name string) (io.WriteCloser, error) // a file of the run directory
	files   map[string]io.WriteCloser
	filters *filters
}

func newSinks(open func(string) (io.WriteCloser, error), f *filters) *sinks {
	return &sinks{open: open, files: make(map[string]io.WriteCloser), filters: f}
}

// write appends a text, as whole lines, to an OUT or a PIPE.
func (s *sinks) write(to machine.Sink, text string) error {
	if to.Kind == machine.Var || to.Kind == machine.Field {
		return nil
	}
	if text == "" || text[len(text)-1] != '\n' {
		text += "\n"
	}
	if to.Kind == machine.Pipe {
		return s.filters.write(to.Arg, text)
	}
	f := s.files[to.Arg]
	if f == nil {
		var err error
		if f, err = s.open(to.Arg); err != nil {
			return fmt.Errorf("cannot write the output %q: %w", to.Arg, err)
		}
		s.files[to.Arg] = f
	}
	if _, err := io.WriteString(f, text); err != nil {
		return fmt.Errorf("cannot write the output %q: %w", to.Arg, err)
	}
	return nil
}

// close closes the files; the filters go on.
func (s *sinks) close() {
	for name, f := range s.files {
		f.Close()
		delete(s.files, name)
	}
}

// filters are the shell commands of PIPE sinks, each started once.
type filters struct {
	stdout, stderr io.Writer
	mu             sync.Mutex
	running        map[string]*filter
}

func newFilters(stdout, stderr io.Writer) *filters {
	return &filters{stdout: stdout, stderr: stderr, running: make(map[string]*filter)}
}

// filter is one of them. What it has not read yet waits in a queue.
type filter struct {
	cmd     *exec.Cmd
	stdin   *os.File
	mu      sync.Mutex
	some    sync.Cond
	queue   []byte
	closed  bool
	dropped int
	done    chan struct{}
}

func (fs *filters) write(command, text string) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f := fs.running[command]
	if f == nil {
		var err error
		if f, err = fs.start(command); err != nil {
			return fmt.Errorf("cannot start the filter %q: %w", command, err)
		}
		fs.running[command] = f
	}
	f.put(text)
	return nil
}

func (fs *filters) start(command string) (*filter, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f := &filter{cmd: exec.Command("/bin/sh", "-c", command), stdin: w, done: make(chan struct{})}
	f.some.L = &f.mu
	f.cmd.Stdin, f.cmd.Stdout, f.cmd.Stderr = r, fs.stdout, fs.stderr
	// Not as a child of the tracing thread, which would take its status.
	started := make(chan error)
	go func() { started <- f.cmd.Start() }()
	if err := <-started; err != nil {
		w.Close()
		return nil, err
	}
	go f.feed()
	return f, nil
}

func (f *filter) put(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue)+len(text) > pipeBacklog {
		f.dropped++
		return
	}
	f.queue = append(f.queue, text...)
	f.some.Signal()
}

// feed writes the queue until it is closed, then the filter's end of file.
func (f *filter) feed() {
	defer close(f.done)
	defer f.stdin.Close()
	for {
		f.mu.Lock()
		for len(f.queue) == 0 && !f.closed {
			f.some.Wait()
		}
		if len(f.queue) < gatherSize && !f.closed {
			f.mu.Unlock()
			time.Sleep(gatherTime)
			f.mu.Lock()
		}
		now := f.queue
		f.queue = nil
		f.mu.Unlock()
		if len(now) == 0 {
			return
		}
		if _, err := f.stdin.Write(now); err != nil {
			return // the filter has ended; its status tells
		}
	}
}

// close gives each filter its end of file and waits for it to end. It returns
// what went wrong, a line each.
func (fs *filters) close() []string {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	var wrong []string
	for command, f := range fs.running {
		f.mu.Lock()
		f.closed = true
		f.some.Signal()
		f.mu.Unlock()
		<-f.done
		if err := f.cmd.Wait(); err != nil {
			wrong = append(wrong, fmt.Sprintf("the filter %q ended with %v", command, err))
		}
		if f.dropped > 0 {
			wrong = append(wrong, fmt.Sprintf("the filter %q read too slowly: %d lines were dropped", command, f.dropped))
		}
	}
	clear(fs.running)
	return wrong
}
