// Command pct makes reports from run directories. "pct -h" lists them.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Exit statuses.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

// A command is one report.
type command struct {
	name    string
	summary string   // a line
	details string   // for its own help, "" if there is no more to say
	flags   []string // names of those that it takes, of the table in flags.go
	least   float64  // default of -threshold
	example string   // of the arguments
	run     func(*invocation) error

	granularity *path.Granularity // of a flat profile
}

// commands are the reports in the order of the help.
func commands() []command {
	all := []command{pathsCommand()}
	all = append(all, flatCommands()...)
	all = append(all, annotateCommands()...)
	all = append(all, disasmCommands()...)
	return append(all, valuesCommand(), phasesCommand(), topCommand(), psCommand(), infoCommand(), sumCommand(), diffCommand())
}

// invocation is one run of a command.
type invocation struct {
	options
	command  command
	dirs     []string
	out      bytes.Buffer // the report; it is written when it is complete
	warnings io.Writer
	terminal bool      // the report goes to a terminal
	stdin    io.Reader // with stdout, of the reports that go on
	stdout   io.Writer

	warned  map[string]bool
	stamped map[string]*translators.Client // that count files want, by their commands
}

// warn writes a line to standard error.
func (v *invocation) warn(format string, args ...any) {
	fmt.Fprintf(v.warnings, "pct: "+format+"\n", args...)
}

func (v *invocation) warnAll(sentences []string) {
	for _, s := range sentences {
		v.warn("%s", s)
	}
}

// warnOnce writes a line to standard error unless it did so before.
func (v *invocation) warnOnce(sentence string) {
	if v.warned == nil {
		v.warned = map[string]bool{}
	}
	if !v.warned[sentence] {
		v.warned[sentence] = true
		v.warn("%s", sentence)
	}
}

// misuse is a wrong command line.
type misuse struct{ what string }

func (m *misuse) Error() string { return m.what }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	status, err := dispatch(args, stdin, stdout, stderr)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return status
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !strings.HasPrefix(line, " ") { // which continues the one before
			line = "pct: " + line
		}
		fmt.Fprintln(stderr, line)
	}
	var wrong *misuse
	if errors.As(err, &wrong) {
		return misused
	}
	return failed
}

func dispatch(args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	if len(args) == 0 {
		return failed, &misuse{"which report? (pct -h lists them)"}
	}
	verb := args[0]
	if strings.HasPrefix(verb, "--") {
		verb = verb[1:]
	}
	if verb == "-h" || verb == "-help" {
		_, err := io.WriteString(stdout, help())
		return succeeded, err
	}
	if verb == "-version" {
		_, err := fmt.Fprintf(stdout, "pct %s, run directories of version %d\n", version(), data.Version)
		return succeeded, err
	}
	for _, c := range commands() {
		if c.name != verb {
			continue
		}
		v := &invocation{command: c, warnings: stderr, stdin: stdin, stdout: stdout}
		if err := v.parse(args[1:]); err != nil {
			return failed, err
		}
		if v.help {
			_, err := io.WriteString(stdout, c.help())
			return succeeded, err
		}
		if err := v.meaningless(); err != nil {
			return failed, err
		}
		if len(v.dirs) == 0 {
			return failed, &misuse{fmt.Sprintf("%s: which run? Name a run directory; they are kept below %s", c.name, data.Root())}
		}
		defer v.endStamped()
		v.terminal = v.outFile == "" && isTerminal(stdout)
		if err := c.run(v); err != nil {
			return failed, err
		}
		return succeeded, v.deliver(stdout)
	}
	if strings.HasPrefix(verb, "-") {
		return failed, &misuse{fmt.Sprintf("unknown flag %s: the report's name comes first (pct -h lists them)", verb)}
	}
	return failed, &misuse{fmt.Sprintf("unknown report %s (pct -h lists them)", verb)}
}

// deliver writes the report to where it was wanted.
func (v *invocation) deliver(stdout io.Writer) error {
	if v.outFile != "" {
		return os.WriteFile(v.outFile, v.out.Bytes(), 0o666)
	}
	_, err := stdout.Write(v.out.Bytes())
	return err
}

// isTerminal reports whether w shows colours; NO_COLOR forbids them.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// version is that of the module, as the Go command found it when pct was built.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown version)"
}

func help() string {
	var b strings.Builder
	b.WriteString("usage: pct REPORT [FLAG]... DIR...\n\n" +
		"Makes a report from run directories, as profile and dbctl leave them below\n" +
		data.Root() + ", or from count files in them. Several are added up.\n\n")
	for _, c := range commands() {
		if !strings.HasSuffix(c.name, percentSuffix) {
			fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.summary)
		}
	}
	b.WriteString("\nWith % at the end, addr% line% sym% src% obj% annotate% disasm% give fractions\ninstead of numbers.\n" +
		"pct REPORT -h explains a report and its flags.\n\n" +
		"  -h        print this help\n" +
		"  -version  print the version\n\n" +
		"Example:\n  pct paths -l 3 /tmp/pct/gzip.4711\n")
	return b.String()
}

func (c command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: pct %s [FLAG]... DIR...\n\n%s.\n%s\n", c.name, c.summary, c.details)
	for _, f := range flagTable() {
		if c.takes(f) {
			summary := strings.ReplaceAll(f.summary, "\n", "\n"+strings.Repeat(" ", 23))
			fmt.Fprintf(&b, "  %-21s%s\n", strings.TrimSpace("-"+f.name+" "+f.value), summary)
		}
	}
	fmt.Fprintf(&b, "\nExample:\n  pct %s %s\n", c.name, c.example)
	return b.String()
}
