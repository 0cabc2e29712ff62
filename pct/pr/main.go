// Package pr is the command pct-pr. It prints the samples of data files, an address a line, as numbers
// and labels that translators find. "pct-pr -h" explains.
package pr

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

const usage = `usage: pct-pr [OPTION]... [FILE]...
       pct-pr -stamp COMMAND FILE...

Prints a line for each sampled address: the number of samples, a tab, and the
label of the address. FILE is a count file, a run directory or its file paths;
default: the newest run. A translator, a co-process, finds the labels. Details:
man pct-pr

  -by GRANULARITY      label: addr, line (default), sym, src or obj
  -translator COMMAND  translator, words separated by blanks; default: that of
                       the stamp, else ` + translators.Default + `
  -req FORMAT          the translator reads a request of this form per address
                       and answers with one line, the label
  -lines N             with -req: an answer has N lines, joined by tabs
  -fmt FORMAT          form of the output (default '%c\t%l\n')
  -templates           show template arguments of functions
  -vmlinux FILE        kernel with debug data, for lines of the kernel
  -timeout TIME        how long a translator may be silent (default 1m)
  -stamp COMMAND       store the translator in count files ('': none)
  -h                   print this help

Formats: %a address in the object as 0x4a10, %x as 4a10, %d in decimal; %B
address at run time; %o path of the object, %O its base name, %b its build ID.
In -fmt also %c number of samples, %l label and, without -req, %f function, %F
source file, %L line. Fields may have a width: %-20f, %08x. \t, \n, \\ and %%
are a tab, a newline, \ and %. COMMAND may contain %o, %O, %b and %%: one per
object is run.

Examples:
  pct-pr -by sym /tmp/pct/gzip.4711 | sort -k2 | pct-merge | sort -nr
  pct-pr -translator 'addr2line -e %o' -req '%a\n' /tmp/pct/gzip.4711/gzip
`

// Exit statuses.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

// options are the command line.
type options struct {
	granularity path.Granularity
	by          bool // -by was given
	translator  string
	request     format // nil: the protocol of docs/TRANSLATORS.md
	lines       int
	output      format
	templates   bool
	timeout     time.Duration
	vmlinux     string
	stamp       *string // nil: print
	files       []string
	help        bool
}

// Run is the command.
func Run(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "pct-pr: %v (pct-pr -h explains)\n", err)
		return misused
	}
	p := printer{options: o, warn: func(err error) {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			fmt.Fprintf(stderr, "pct-pr: %s\n", line)
		}
	}}
	switch {
	case o.help:
		_, err = io.WriteString(stdout, usage)
	case o.stamp != nil:
		return stampAll(o.files, *o.stamp, p.warn)
	default:
		var text []byte
		if text, err = p.print(); err == nil {
			_, err = stdout.Write(text)
		}
	}
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		p.warn(err)
		return failed
	}
	return succeeded
}

// stampAll marks all files that can be.
func stampAll(files []string, command string, warn func(error)) int {
	status := succeeded
	for _, file := range files {
		if err := data.Stamp(file, command); err != nil {
			warn(err)
			status = failed
		}
	}
	return status
}

// A flag is written -name VALUE or -name=VALUE, anywhere on the command line.
type flag struct {
	name  string
	value bool // one follows
	set   func(o *options, value string) error
}

func flags() []flag {
	return []flag{
		{"by", true, func(o *options, s string) (err error) {
			o.by = true
			o.granularity, err = path.ParseGranularity(s)
			return
		}},
		{"translator", true, func(o *options, s string) error { o.translator = s; return nonempty(s) }},
		{"req", true, func(o *options, s string) (err error) { o.request, err = parseFormat(s, requestVerbs); return }},
		{"lines", true, func(o *options, s string) (err error) {
			if o.lines, err = strconv.Atoi(s); err != nil || o.lines < 1 {
				err = fmt.Errorf("want a number from 1, not %q", s)
			}
			return
		}},
		{"fmt", true, func(o *options, s string) (err error) {
			o.output, err = parseFormat(s, requestVerbs+outputVerbs)
			return
		}},
		{"templates", false, func(o *options, _ string) error { o.templates = true; return nil }},
		{"timeout", true, func(o *options, s string) (err error) { o.timeout, err = path.ParseTime(s); return }},
		{"vmlinux", true, func(o *options, s string) error { o.vmlinux = s; return nil }},
		{"stamp", true, func(o *options, s string) error { o.stamp = &s; return nil }},
		{"h", false, func(o *options, _ string) error { o.help = true; return nil }},
		{"help", false, func(o *options, _ string) error { o.help = true; return nil }},
	}
}

func nonempty(command string) error {
	if len(strings.Fields(command)) == 0 {
		return errors.New("no command")
	}
	return nil
}

// parse reads the command line and says what is wrong with it.
func parse(args []string) (options, error) {
	o := options{granularity: path.Line, timeout: translators.DefaultTimeout}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			o.files = append(o.files, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			o.files = append(o.files, arg)
			continue
		}
		name, value, glued := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		f := find(name)
		switch {
		case f == nil:
			return o, fmt.Errorf("unknown option %s", arg)
		case !f.value && glued:
			return o, fmt.Errorf("-%s takes no value", name)
		case f.value && !glued:
			if i++; i == len(args) {
				return o, fmt.Errorf("-%s needs a value", name)
			}
			value = args[i]
		}
		if err := f.set(&o, value); err != nil {
			return o, fmt.Errorf("-%s: %w", name, err)
		}
	}
	return o, o.check()
}

func find(name string) *flag {
	for _, f := range flags() {
		if f.name == name {
			return &f
		}
	}
	return nil
}

// check finds what does not go together, and fills in the defaults.
func (o *options) check() error {
	switch {
	case o.help:
		return nil
	case len(o.files) == 0 && o.stamp != nil:
		return errors.New("-stamp needs count files")
	case o.stamp != nil && o.request != nil:
		return errors.New("-stamp and -req cannot be combined: -stamp prints nothing")
	case o.request == nil && o.lines > 0:
		return errors.New("-lines needs -req")
	case o.request != nil && (o.by || o.templates || o.vmlinux != ""):
		return errors.New("-by, -templates and -vmlinux cannot be combined with -req, whose answer is the label")
	case o.request != nil && o.output.uses("fFL"):
		return errors.New("-fmt: %f, %F and %L cannot be combined with -req; use %l")
	case o.timeout == 0:
		return errors.New("-timeout: want more than 0")
	}
	o.lines = max(1, o.lines)
	if o.output == nil {
		o.output, _ = parseFormat(`%c\t%l\n`, requestVerbs+outputVerbs)
	}
	return nil
}
