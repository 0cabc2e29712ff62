// Command pct makes reports from run directories. "pct -h" lists them.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/profilecollection/pct/pct/data"
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
	example string   // of the arguments
	run     func(*invocation) error
}

// commands are the reports in the order of the help.
func commands() []command {
	all := []command{pathsCommand()}
	all = append(all, flatCommands()...)
	return append(all, valuesCommand(), infoCommand())
}

// invocation is one run of a command.
type invocation struct {
	options
	command  command
	dirs     []string
	out      bytes.Buffer // the report; it is written when it is complete
	warnings io.Writer
	terminal bool // the report goes to a terminal
}

// warn writes a line to standard error.
func (v *invocation) warn(format string, args ...any) {
	fmt.Fprintf(v.warnings, "pct: "+format+"\n", args...)
}

// misuse is a wrong command line.
type misuse struct{ what string }

func (m *misuse) Error() string { return m.what }

func run(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	status, err := dispatch(args, stdout, stderr)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return status
	}
	fmt.Fprintf(stderr, "pct: %v\n", err)
	var wrong *misuse
	if errors.As(err, &wrong) {
		return misused
	}
	return failed
}

func dispatch(args []string, stdout, stderr io.Writer) (int, error) {
	if len(args) == 0 {
		return failed, &misuse{"which report? (pct -h lists them)"}
	}
	verb := args[0]
	if verb == "-h" {
		_, err := io.WriteString(stdout, help())
		return succeeded, err
	}
	for _, c := range commands() {
		if c.name != verb {
			continue
		}
		v := &invocation{command: c, warnings: stderr}
		if err := v.parse(args[1:]); err != nil {
			return failed, err
		}
		if v.help {
			_, err := io.WriteString(stdout, c.help())
			return succeeded, err
		}
		if len(v.dirs) == 0 {
			return failed, &misuse{fmt.Sprintf("%s: which run? Name a run directory; they are kept below %s", c.name, data.Root())}
		}
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

func help() string {
	var b strings.Builder
	b.WriteString("usage: pct REPORT [FLAG]... DIR...\n\n" +
		"Makes a report from run directories, as profile and dbctl leave them below\n" +
		data.Root() + ". Several are added up.\n\n")
	for _, c := range commands() {
		if !strings.HasSuffix(c.name, percentSuffix) {
			fmt.Fprintf(&b, "  %-7s %s\n", c.name, c.summary)
		}
	}
	b.WriteString("\nWith % at the end, addr% line% sym% src% obj% give fractions instead of numbers.\n" +
		"pct REPORT -h explains a report and its flags.\n\n" +
		"Example:\n  pct paths -l 3 /tmp/pct/gzip.4711\n")
	return b.String()
}

func (c command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: pct %s [FLAG]... DIR...\n\n%s.\n%s\n", c.name, c.summary, c.details)
	for _, f := range flagTable() {
		if c.takes(f.name) {
			fmt.Fprintf(&b, "  %-21s%s\n", strings.TrimSpace("-"+f.name+" "+f.value), f.summary)
		}
	}
	fmt.Fprintf(&b, "\nExample:\n  pct %s %s\n", c.name, c.example)
	return b.String()
}
