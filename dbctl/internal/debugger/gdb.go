package debugger

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// ShowSignal is the signal by which a debugger is told that a thread stands
// still: it answers with a Tick, and delivers nothing.
const ShowSignal = "SIGURG"

// GDB is gdb 10 or later, spoken to in MI3, non-stop and asynchronous.
//
// What makes it fast enough to sample with: standard output is redirected to
// itself, which buffers what gdb otherwise writes a character at a time; the
// catchpoint by which it's told of stops is silent and prints a word; no object's symbols are read unless a
// script asks for names. What makes it harmless: the system root is a folder
// that doesn't exist, so gdb finds no dynamic linker in which to put the
// breakpoint that would kill the process if gdb died.
func GDB() *Table {
	return &Table{
		Name:        "gdb",
		Args:        []string{"-nx", "-nh", "-q", "-iex", "set auto-load off", "--interpreter=mi3"},
		Memory:      16 << 20, // some 3 MB of its own as it's made
		Copied:      true,
		Setup:       setup(),
		Unshared:    buffered(),
		Version:     "-gdb-version",
		Supported:   supported,
		Connect:     connect,
		Continue:    func(thread int) string { return fmt.Sprintf("-exec-continue --thread %d", thread) },
		Threads:     "-thread-info",
		ReadThreads: readThreads,
		// gdb evaluates all watchpoints anew, which fails while the selected thread runs.
		Symbols:  func(thread int, path string, bias uint64) string { return command(thread, addSymbols(path, bias)) },
		Command:  command,
		Resumes:  resumes,
		Running:  func(message string) bool { return strings.HasSuffix(message, "is running.") },
		Hardware: hardware,
		Watches:  func(text string) bool { return watches.MatchString(strings.TrimSpace(text)) },

		WatchBySteps:  "-gdb-set can-use-hw-watchpoints 0",
		Ended:         endedThread.MatchString,
		NoThreadLocal: func(message string) bool { return strings.HasPrefix(message, "Cannot find thread-local ") },
		Evaluate: func(thread int, cfa uint64, expr string) []string {
			return []string{
				// Not by --thread: gdb would go back to where it was.
				fmt.Sprintf("-thread-select %d", thread),
				console(fmt.Sprintf("select-frame address %#x", cfa)),
				"-data-evaluate-expression " + quote(expr),
			}
		},
		Frames:     func(thread int) string { return fmt.Sprintf("-stack-list-frames --thread %d", thread) },
		ReadFrames: readFrames,
		EvaluateAt: func(thread, level int, expr string) []string {
			return []string{fmt.Sprintf("-data-evaluate-expression --thread %d --frame %d %s", thread, level, quote(expr))}
		},
		Value:  func(r *mi.Record) string { return r.Str("value") },
		Decode: decode,
	}
}

func addSymbols(path string, bias uint64) string {
	return fmt.Sprintf("add-symbol-file %s -o %#x", quotePath(path), bias)
}

// The bell tells our own lines from what a program or a script prints: of the
// control characters, gdb's printf knows \a and few others.
const (
	tickWord  = "\atick "
	tickAlias = "__t"
	tick      = `printf "\atick %d\n", $_thread`
)

// buffered has standard output written a buffer at a time.
func buffered() []string {
	return []string{
		console("set logging file /proc/self/fd/1"),
		console("set logging redirect on"),
		console("set logging enabled on"),
	}
}

func setup() []string {
	commands := append(buffered(), // first, for all that follows
		"-gdb-set mi-async on",
		"-gdb-set non-stop on",
		"-gdb-set sysroot /nonexistent",
		"-gdb-set auto-solib-add off",
		"-gdb-set confirm off",
		"-gdb-set pagination off",
		"-gdb-set width 0",
		"-gdb-set style enabled off",
		"-gdb-set breakpoint pending on",
		"-gdb-set detach-on-fork on",
		"-gdb-set follow-fork-mode parent",
		"-gdb-set unwindonsignal on",
		"-gdb-set libthread-db-search-path /nonexistent",
		// A debugger that is killed must leave no thread in the copy of an
		// instruction.
		"-gdb-set displaced-stepping off",
		"-gdb-set dcache line-size 256",
		// Signals are not gdb's affair, but for the one by which it's told that a
		// thread stands still. At each stop it tells of the catchpoint with its
		// whole list of commands: a short name for a long one saves a quarter of
		// its time.
		console("handle all nostop noprint pass"),
		console("handle SIGTRAP stop print nopass"),
		console("handle "+ShowSignal+" nostop noprint nopass"),
		console("alias -- "+tickAlias+" = "+tick),
		console("catch signal "+ShowSignal),
		fmt.Sprintf(`-break-commands 1 "silent" %q`, tickAlias),
	)
	return commands
}

// connect takes the process that a server on a Unix socket holds. It comes
// after setup, which has chosen non-stop already. gdb takes all that follows
// for the socket's name, quotes too.
func connect(socket string) []string {
	return []string{"-target-select extended-remote " + socket}
}

var versionNumber = regexp.MustCompile(`GNU gdb.*?((\d+)\.\d+)`)

func supported(text string) error {
	m := versionNumber.FindStringSubmatch(text)
	if m == nil {
		return errors.New("it does not say that it is GNU gdb")
	}
	if major, _ := strconv.Atoi(m[2]); major < 10 {
		return fmt.Errorf("it is version %s, and 10 is the oldest that works", m[1])
	}
	return nil
}

// console wraps a command of gdb's own language.
func console(text string) string { return "-interpreter-exec console " + quote(text) }

// command wraps one for a thread. Those that only resume have MI words, which
// answer with less text.
func command(thread int, text string) string {
	text = strings.TrimSpace(text)
	option := fmt.Sprintf(" --thread %d", thread)
	if thread == 0 {
		option = "" // there is no process any more
	}
	if text == "continue" || text == "c" || text == "fg" {
		return "-exec-continue" + option
	}
	if strings.HasPrefix(text, "-") {
		word, rest, _ := strings.Cut(text, " ")
		return word + option + " " + rest
	}
	switch {
	case resumes(text) && !strings.HasSuffix(text, "&"):
		// In the foreground gdb would read nothing more until the thread stops.
		text += "&"
	case allBreakpoints.MatchString(text):
		// Ours are not the script's to delete.
		text += " 2-$bpnum"
	}
	return "-interpreter-exec" + option + " console " + quote(text)
}

// allBreakpoints are commands that without an argument mean all breakpoints.
var allBreakpoints = regexp.MustCompile(`^(d|del|delete|dis|disable|en|enable)( breakpoints)?$`)

var resuming = regexp.MustCompile(`^(-exec-(continue|step|next|finish|until|return|jump|step-instruction|next-instruction)\b.*|` +
	`(c|fg|cont|conti|continu|continue|s|st|ste|step|si|stepi|n|ne|nex|next|ni|nexti|fin|fini|finis|finish|u|unt|unti|until|advance|j|jump|sig|signal)\b.*)$`)

var endedThread = regexp.MustCompile(`^(Invalid thread id: \d+|Thread id: \d+ has terminated)$`)

func resumes(text string) bool { return resuming.MatchString(strings.TrimSpace(text)) }

// onlyHardware are commands that break without a change of the code, or for a
// read, by all names that gdb knows them by, with what else there is.
var onlyHardware = []struct {
	command *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`^(hb(r(e(ak?)?)?)?\b|-break-insert\b.* -h\b)`), "break, which changes the code"},
	{regexp.MustCompile(`^thb(r(e(ak?)?)?)?\b`), "tbreak, which changes the code"},
	{regexp.MustCompile(`^([ra]w(a(t(ch?)?)?)?\b|-break-watch\b.* -[ra]\b)`), "watch, which stops when the value changes"},
}

// watches are commands that watch for writes, by all names that gdb knows them by.
var watches = regexp.MustCompile(`^(wa(t(ch?)?)?|-break-watch)\b`)

func hardware(text string) string {
	text = strings.TrimSpace(text)
	for _, o := range onlyHardware {
		if o.command.MatchString(text) {
			return o.instead
		}
	}
	return ""
}

// quote makes an MI c-string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quotePath makes one word of a file name, for gdb's own language.
func quotePath(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
