package translators

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/profilecollection/pct/translators/internal/coproc"
)

// A Request asks for the source coordinates of one address.
type Request struct {
	Object  string // path of the ELF file
	Vaddr   uint64 // ELF virtual address
	BuildID string // hexadecimal; "": whatever the file is
}

// Serve is the translator's end of the protocol: it answers each request of in
// by what translate says, on out, until the end of in or an error of translate,
// which it returns. No locations stand for unknown. A line that is no request is
// answered as unknown, so that the lines keep their order, and described on
// complain; Serve then returns ErrRequests at the end.
func Serve(in io.Reader, out, complain io.Writer, translate func(Request) ([]Location, error)) error {
	each := func(batch []Request, answers [][]Location) error {
		var err error
		answers[0], err = translate(batch[0])
		return err
	}
	return serve(in, out, complain, each, 1)
}

// maxBatch bounds the requests of a batch, and so what is held of them in memory.
const maxBatch = 64 << 10

// ServeBatches is Serve for a translator that is the quicker the more requests it
// sees at once. It is given as many as have come, and enters its answers into
// answers, which has as many elements as batch. It must be done with a batch well
// before the client's Timeout.
func ServeBatches(in io.Reader, out, complain io.Writer, translate func(batch []Request, answers [][]Location) error) error {
	return serve(in, out, complain, translate, maxBatch)
}

// A line is one line of the input.
type line struct {
	request Request
	wrong   error // why it is no request
}

// patience is how long serve waits for more requests of a batch. The other side
// is likely to be writing, a pipe's worth at a time.
const patience = time.Millisecond

func serve(in io.Reader, out, complain io.Writer, translate func([]Request, [][]Location) error, most int) error {
	input, done := make(chan []line), make(chan struct{})
	defer close(done)
	var failed error // of reading; to be looked at when input is closed
	go func() {
		defer close(input)
		failed = readRequests(in, min(most, 1024), input, done)
	}()
	w := newAnswerer(out)
	var bad error
	for n := 1; ; {
		lines, ok := gather(input, most)
		if !ok {
			break
		}
		batch := make([]Request, 0, len(lines))
		for i, l := range lines {
			if l.wrong == nil {
				batch = append(batch, l.request)
				continue
			}
			bad = ErrRequests
			fmt.Fprintf(complain, "line %d: %v\n", n+i, l.wrong)
		}
		n += len(lines)
		answers := make([][]Location, len(batch))
		if len(batch) > 0 {
			if err := translate(batch, answers); err != nil {
				return errors.Join(err, w.end())
			}
		}
		if !w.write(lines, answers) {
			return w.end()
		}
		// One that may die over a request has then given all answers before it.
		if most == 1 && !w.write(nil, nil) {
			return w.end()
		}
	}
	if err := w.end(); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return bad
}

// An answerer writes the answers of a batch while the next one is translated.
type answerer struct {
	batches chan answered
	failed  chan error // what went wrong, once; nil at the end
}

// answered is a batch with the answers to those of its lines that are requests.
type answered struct {
	lines   []line
	answers [][]Location
}

func newAnswerer(out io.Writer) *answerer {
	a := &answerer{make(chan answered), make(chan error, 1)}
	go func() { a.failed <- a.run(out) }()
	return a
}

// write has a batch written: it returns when that before it is, false where that failed.
func (a *answerer) write(lines []line, answers [][]Location) bool {
	select {
	case a.batches <- answered{lines, answers}:
		return true
	case err := <-a.failed:
		a.failed <- err
		return false
	}
}

// end waits until all is written and returns what went wrong.
func (a *answerer) end() error {
	close(a.batches)
	return <-a.failed
}

func (a *answerer) run(out io.Writer) error {
	w := bufio.NewWriterSize(out, 64<<10)
	var text []byte
	for batch := range a.batches {
		next := 0
		for _, l := range batch.lines {
			var frames []Location
			if l.wrong == nil {
				frames = batch.answers[next]
				next++
			}
			text = appendAnswer(text[:0], frames)
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// gather returns the next lines, at most so many and at least one; false at the
// end of the input.
func gather(input <-chan []line, most int) ([]line, bool) {
	lines, ok := <-input
	if most == 1 {
		return lines, ok
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	for ok && len(lines) < most {
		select {
		case more, open := <-input:
			if !open {
				return lines, true // the next call sees the end
			}
			lines = append(lines, more...)
			wait.Reset(patience)
		case <-wait.C:
			return lines, true
		}
	}
	return lines, ok
}

// readRequests sends the lines of in, a few at a time, until its end or until done.
func readRequests(in io.Reader, most int, to chan<- []line, done <-chan struct{}) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var lines []line
	send := func() bool {
		if len(lines) == 0 {
			return true
		}
		select {
		case to <- lines:
			lines = nil
			return true
		case <-done:
			return false
		}
	}
	for n := 1; ; n++ {
		if r.Buffered() == 0 || len(lines) >= most {
			if !send() {
				return nil
			}
		}
		text, err := coproc.ReadLine(r)
		if err == io.EOF && text == "" {
			send()
			return nil
		}
		if err != nil && err != io.EOF {
			send()
			return fmt.Errorf("request %d: %w", n, err)
		}
		var l line
		l.request, l.wrong = parseRequest(text)
		lines = append(lines, l)
	}
}

// ErrRequests: some lines were not requests.
var ErrRequests = errors.New("some lines were not requests")
