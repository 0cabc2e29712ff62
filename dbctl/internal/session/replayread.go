package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/dbctl/internal/tracee"
)

// BadTranscript says what is wrong with a transcript.
type BadTranscript struct {
	Line    int // which, from 1; 0: none in particular
	Message string
}

func (e *BadTranscript) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// Truncated says that a transcript ends before the program does, as one of a
// dbctl that was killed; everything before its end is sound.
type Truncated struct{ Line int }

func (e *Truncated) Error() string {
	return fmt.Sprintf("the transcript is truncated after line %d: its dbctl was killed, or is still running", e.Line)
}

// scene is an event of a transcript and what follows it up to the next: the
// first has none.
type scene struct {
	event   string
	answers []*answer
	raw     []string // lines of the debugger that it wrote unasked
}

// answer is what a command printed or an EVAL gave.
type answer struct {
	kind string // "answer" or "value"
	key  []string
	text string
	ok   bool
	used bool
}

// take returns the first answer of that kind to these words that was not taken
// yet, nil if there is none.
func (s *scene) take(kind string, key ...string) *answer {
	for _, a := range s.answers {
		if !a.used && a.kind == kind && slices.Equal(a.key, key) {
			a.used = true
			return a
		}
	}
	return nil
}

// readTranscript gives the scenes of a transcript to play, in order, until it
// ends or play returns an error.
func readTranscript(from io.Reader, play func(*scene) error) error {
	t := &transcriptReader{in: bufio.NewReaderSize(from, 64<<10), scene: &scene{}, traced: tracee.New()}
	if err := t.header(); err != nil {
		return err
	}
	for {
		line, err := t.line()
		if err != nil {
			return t.end(err, play)
		}
		word, rest, _ := strings.Cut(line, " ")
		if word == "event" {
			if err := play(t.scene); err != nil {
				return err
			}
			t.scene, t.unasked, t.ended = &scene{event: rest}, 0, rest == "eof"
			continue
		}
		if err := t.record(word, rest); err != nil {
			if err := play(t.scene); err != nil {
				return err
			}
			return &BadTranscript{t.n, err.Error()}
		}
	}
}

// transcriptReader reads one transcript.
type transcriptReader struct {
	in      *bufio.Reader
	n       int // lines read
	scene   *scene
	traced  *tracee.Tree
	unasked int  // length of scene.raw when the last command was sent
	ended   bool // the last event was the last that there is
}

// line returns the next whole line. The error is io.EOF at the end, and
// io.ErrUnexpectedEOF within a line.
func (t *transcriptReader) line() (string, error) {
	line, err := t.in.ReadString('\n')
	if err == nil {
		t.n++
		return line[:len(line)-1], nil
	}
	if err == io.EOF && line != "" {
		err = io.ErrUnexpectedEOF
	}
	return line, err
}

func (t *transcriptReader) header() error {
	const name = "# dbctl transcript "
	line, err := t.in.Peek(len(name))
	if err != nil && err != io.EOF {
		return fmt.Errorf("cannot read the transcript: %w", err)
	}
	if string(line) != name {
		return &BadTranscript{0, "not a transcript of dbctl -record"}
	}
	first, err := t.line()
	switch {
	case err != nil:
		return t.end(err, func(*scene) error { return nil })
	case first != transcriptHeader:
		return &BadTranscript{0, fmt.Sprintf("the transcript is of version %s, and this dbctl reads version %s",
			strings.TrimPrefix(first, name), strings.TrimPrefix(transcriptHeader, name))}
	}
	return nil
}

// end plays the last scene and judges how the transcript ends.
func (t *transcriptReader) end(err error, play func(*scene) error) error {
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("cannot read the transcript: %w", err)
	}
	if e := play(t.scene); e != nil {
		return e
	}
	if err == io.ErrUnexpectedEOF || !t.ended {
		return &Truncated{t.n}
	}
	return nil
}

// record adds a line to the scene.
//
// What the debugger wrote between a command and the record of its answer was
// read by whoever waited for that answer, and is no raw line for a script.
func (t *transcriptReader) record(word, rest string) error {
	s := t.scene
	switch word {
	case "step":
		return t.traced.Repeat(rest)
	case ">":
		t.unasked = len(s.raw)
	case "<":
		if r := mi.Parse([]byte(rest)); r.Kind != mi.Prompt {
			s.raw = append(s.raw, rest)
		}
	case "answer", "value":
		words, err := unquoteWords(rest)
		if err != nil {
			return err
		}
		want := map[string]int{"answer": 2, "value": 3}[word]
		if len(words) != want {
			return fmt.Errorf("%s needs %d words, and has %d", word, want, len(words))
		}
		last := words[want-1]
		a := &answer{kind: word, text: last.text, ok: last.quoted}
		for _, w := range words[:want-1] {
			a.key = append(a.key, w.text)
		}
		s.answers = append(s.answers, a)
		s.raw = s.raw[:min(t.unasked, len(s.raw))]
	default:
		return fmt.Errorf("unknown kind of line %q", word)
	}
	return nil
}

// transcriptWord is quoted as in Go, or "-" alone.
type transcriptWord struct {
	text   string
	quoted bool
}

func unquoteWords(s string) ([]transcriptWord, error) {
	var words []transcriptWord
	for s != "" {
		if s == "-" {
			return append(words, transcriptWord{}), nil
		}
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return nil, errors.New("quoted text is missing or damaged")
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, errors.New("quoted text is damaged")
		}
		words = append(words, transcriptWord{text, true})
		s = strings.TrimPrefix(s[len(quoted):], " ")
	}
	return words, nil
}
