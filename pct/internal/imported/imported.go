// Package imported reads the profiles of other collectors and writes them as run
// directories: folded stacks (a;b;c 12), profiles of pprof, and what perf script
// prints. Names of functions, files and lines come with them.
package imported

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Options say how a file is read.
type Options struct {
	Name     string        // of the file, for its process and for errors
	Resource string        // the event or the sample type to take, "" the usual one; of folded stacks, what they count
	Period   time.Duration // CPU time that one of a folded stack's number stands for, 0 none
}

// Profile is what was read of a file.
type Profile struct {
	Format   string   // what it was: folded stacks, pprof or perf script
	Warnings []string // sentences about what was left out

	table     *table
	resource  string
	unit      string
	period    time.Duration // 0 unknown
	start     time.Time     // zero unknown
	end       time.Time     // zero unknown
	clock     string
	processes []*process
	lost      uint64
	notes     []string
}

// Samples returns how many samples the profile has.
func (p *Profile) Samples() uint64 {
	var n uint64
	for _, process := range p.processes {
		for i := range process.samples {
			n += process.samples[i].count
		}
	}
	return n
}

// Resource returns what the profile's weights measure, and in which unit.
func (p *Profile) Resource() (name, unit string) { return p.resource, p.unit }

// A process has a run directory.
type process struct {
	pid      int    // 0 unknown
	name     string // of its program
	exe      string // path of the executable, "" unknown
	commands []int32
	samples  []sample
}

// sample is one sample or several.
type sample struct {
	node    int32
	thread  uint32
	command int32         // index into the names of commands, where a process has several
	time    time.Duration // since the start
	weight  uint64
	count   uint64
	timed   bool
	partial bool
	fields  []field
}

type field struct{ name, value string }

// window is how much of a file is looked at to tell what it is.
const window = 1 << 18

// Read reads a file of any of the formats, which it tells by its contents; it may be
// compressed by gzip. Where a part can't be understood, the whole records before it
// are returned together with the error, which says the line or the byte.
func Read(r io.Reader, o Options) (*Profile, error) {
	in := bufio.NewReaderSize(r, window)
	first, err := in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	if len(first) == 0 {
		return nil, fmt.Errorf("%s is empty", o.Name)
	}
	if bytes.Equal(first, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: gzip: %w", o.Name, err)
		}
		in = bufio.NewReaderSize(z, window)
	}
	begin, err := in.Peek(window)
	if len(begin) == 0 {
		if err == io.EOF {
			return nil, fmt.Errorf("%s is empty", o.Name)
		}
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	switch {
	case foreign(begin) != "":
		return nil, fmt.Errorf("%s %s", o.Name, foreign(begin))
	case isBinary(begin) || isLegacy(begin):
		return readPprof(in, o)
	case isPerf(begin):
		return readPerf(in, o)
	case isFolded(begin):
		return readFolded(in, o)
	}
	return nil, fmt.Errorf("%s has none of the known formats: folded stacks, profiles of pprof, or the output of perf script", o.Name)
}

// foreign says what a file is that is known, but not read here.
func foreign(begin []byte) string {
	for _, f := range []struct{ magic, what string }{
		{"PERFILE2", "is a perf.data file: import what `perf script -F +pid -i FILE` prints"},
		{"PCTpaths", "belongs to a run directory, which all reports read as it is"},
		{"PCTcount", "is a count file, which all reports read as it is"},
		{"gmon", "is a gmon.out file: pct gprof -gmon reads it"},
		{"\x7fELF", "is a program or a library, no profile"},
	} {
		if bytes.HasPrefix(begin, []byte(f.magic)) {
			return f.what
		}
	}
	return ""
}

// isBinary reports whether what a file begins with is no text: a control character
// other than those of white space is in its first bytes.
func isBinary(begin []byte) bool {
	const enough = 512
	for _, c := range begin[:min(len(begin), enough)] {
		if c < '\t' || c > '\r' && c < ' ' && c != 0x1b {
			return true
		}
	}
	return false
}

// isLegacy reports whether a file is one of the texts that gperftools wrote, which the
// package profile reads.
func isLegacy(begin []byte) bool {
	for _, word := range []string{"heap profile:", "heapz ", "--- contention", "--- heapz", "--- threadz", "--- Memory map"} {
		if bytes.HasPrefix(begin, []byte(word)) {
			return true
		}
	}
	return false
}

// contents are the first lines of a text without comments and empty ones; the last
// one, which may be cut, is left out if there are others.
func contents(begin []byte) []string {
	all := strings.Split(string(begin), "\n")
	if len(all) > 1 && len(begin) == window {
		all = all[:len(all)-1]
	}
	var lines []string
	for _, line := range all {
		if line = strings.TrimRight(line, " \t\r"); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// lines reads a text by lines.
type lines struct {
	in     *bufio.Reader
	name   string
	number int  // of the line that was read last
	torn   bool // it had no end
}

// longest bounds a line, in bytes.
const longest = 1 << 28

// next returns the next line without its end, io.EOF after the last one.
func (l *lines) next() (string, error) {
	var text []byte
	for {
		part, err := l.in.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > longest:
			l.number++
			return "", l.error("is longer than %d bytes", longest)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && len(text) == 0:
			return "", io.EOF
		case err == io.EOF:
			l.torn = true
		case err != nil && err != io.EOF:
			return "", fmt.Errorf("%s: after line %d: %w", l.name, l.number, err)
		}
		l.number++
		return strings.TrimRight(string(text), "\r\n"), nil
	}
}

// error says what is wrong with the line that was read last.
func (l *lines) error(format string, args ...any) error {
	return fmt.Errorf("%s: line %d "+format, append([]any{l.name, l.number}, args...)...)
}

// shown is a text as an error shows it.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	return fmt.Sprintf("%q", s)
}
