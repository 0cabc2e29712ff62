// Command pct makes reports from run directories. "pct -h" lists them.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/translators"
)

func main() {
	// Most memory of a large report is arrays of numbers, which the garbage collector need not look into: to run it
	// often costs little, and keeps what is not used any more small beside what is.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit statuses.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

// A command is one report.
type command struct {
	name     string
	summary  string   // a line
	operands string   // what else it takes, "" for DIR...
	details  string   // for its own help, "" if there is no more to say
	flags    []string // names of those that it takes, of the table in flags.go
	least    float64  // default of -threshold
	example  string   // of the arguments
	run      func(*invocation) error

	granularity *path.Granularity // of a flat profile
}

// A group is commands of one purpose.
type group struct {
	title    string
	commands []command
}

// groups are all commands, in the order of the help.
func groups() []group {
	return []group{
		{"Where the time goes, and when", slices.Concat(
			summaryCommands(), []command{pathsCommand()}, flatCommands(), annotateCommands(), disasmCommands(),
			[]command{phasesCommand(), topCommand()})},
		{"Call path profiles, for data of profile -paths or -gdb", slices.Concat(
			cpprofCommands(), exploreCommands(), gprofCommands())},
		{"What changed", []command{diffCommand()}},
		{"Pictures, and files for other tools", slices.Concat(flameCommands(), pprofCommands(), exportCommands())},
		{"The runs and their data", slices.Concat(
			[]command{psCommand(), infoCommand(), keepCommand(), valuesCommand(), tablesCommand(), sumCommand()}, importCommands())},
	}
}

// commands are the commands of all groups.
func commands() []command {
	var all []command
	for _, g := range groups() {
		all = append(all, g.commands...)
	}
	return all
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
	opened  []opened                       // what the report is on
	stamped map[string]*translators.Cached // that count files want, by their commands
}

// warn writes a line to standard error.
func (v *invocation) warn(format string, args ...any) {
	complain(v.warnings, fmt.Sprintf(format, args...))
}

// complain writes what is wrong to standard error. Names and values of programs may be in it:
// they don't reach a terminal as they are.
func complain(stderr io.Writer, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, " ") { // which continues the one before
			line = "pct: " + line
		}
		fmt.Fprintln(stderr, visible.Text(line))
	}
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
	complain(stderr, err.Error())
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
	if verb == "help" && len(args) > 1 {
		verb, args = args[1], []string{args[1], "-h"}
	}
	if verb == "-h" || verb == "-help" || verb == "help" {
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
			if c.operands != "" {
				return failed, v.misuse("want %s", c.operands)
			}
			if err := v.newest(); err != nil {
				return failed, err
			}
		}
		defer v.endStamped()
		v.terminal = v.outFile == "" && isTerminal(stdout)
		if err := c.run(v); v.leftToProfile(err) {
			return failed, nil
		} else if err != nil {
			return failed, err
		}
		err := v.deliver(stdout)
		v.keepBehind()
		return succeeded, err
	}
	if strings.HasPrefix(verb, "-") {
		return failed, &misuse{fmt.Sprintf("unknown option %s: the report's name comes first (pct -h lists them)", verb)}
	}
	return failed, &misuse{fmt.Sprintf("unknown report %s%s (pct -h lists them)", verb, meant(verb))}
}

// newest takes the newest run where none is named, and says which that is.
func (v *invocation) newest() (err error) {
	if v.dirs, err = path.Newest(data.Root()); err != nil {
		return &misuse{v.command.name + ": " + err.Error()}
	}
	v.warn("%s", path.NewestText(v.dirs))
	return nil
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
