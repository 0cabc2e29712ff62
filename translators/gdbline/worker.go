package gdbline

import (
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/cyrus-and/gdb"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/translators"
)

// chain is a Python function for gdb: chain(ADDRESS) prints a line
// "pct:NAME|FILE|LINE" for each function at the address, innermost first, with
// name and file in hexadecimal. (The library garbles what is not plain text, and
// panics on lines of 64 KB.)
//
//go:embed chain.py
var chain string

// A worker asks one gdb.
type worker struct {
	gdb    *gdb.Gdb
	python bool   // this gdb has Python: it can tell inlined functions
	object string // loaded now

	mu      sync.Mutex
	console strings.Builder // what gdb said to its user since the last command
}

func work(o options, stdin io.Reader, stdout, stderr io.Writer) error {
	// Where the library panics its message is enough for the supervisor's report.
	debug.SetTraceback("none")
	w, err := startWorker(o, stderr)
	if err != nil {
		return err
	}
	return translators.Serve(stdin, stdout, stderr, w.translate)
}

func startWorker(o options, stderr io.Writer) (*worker, error) {
	argv := []string{o.gdb, "--nx", "--quiet", "--interpreter=mi2",
		"-iex", "set auto-load off",
		"-iex", "set pagination off",
		"-iex", "set confirm off",
		// Not to take a file of the working directory for one of the same name.
		"-iex", "set directories $cdir",
	}
	if o.network {
		argv = append(argv, "-iex", "set debuginfod enabled on")
	} else {
		argv = append(argv, "-iex", "set debuginfod enabled off")
		os.Unsetenv("DEBUGINFOD_URLS") // for a gdb that doesn't know this setting
	}
	if o.debugDir != "" {
		argv = append(argv, "-iex", "set debug-file-directory "+o.debugDir)
	}
	// The library says nothing when gdb ends: its commands then wait for ever.
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	go func() {
		<-children
		fmt.Fprintln(stderr, "gdb ended")
		os.Exit(1)
	}()
	w := &worker{}
	var err error
	if w.gdb, err = gdb.NewCmd(argv, w.notify); err != nil {
		return nil, err
	}
	_, err = w.say("python exec(bytes.fromhex('" + hex.EncodeToString([]byte(chain)) + "').decode())")
	if _, refused := err.(refusal); refused {
		return w, nil
	}
	w.python = true
	return w, err
}

// notify is called by the library for all that is no reply, on its goroutine.
func (w *worker) notify(n map[string]any) {
	if text, ok := n["payload"].(string); ok && n["type"] == "console" {
		w.mu.Lock()
		w.console.WriteString(text)
		w.mu.Unlock()
	}
}

// A refusal is gdb's answer to a command that it can't do. Any other error of a
// command means that there is no gdb any more.
type refusal string

func (r refusal) Error() string { return string(r) }

// send runs an MI command and returns its results.
func (w *worker) send(operation string, arguments ...string) (map[string]any, error) {
	reply, err := w.gdb.Send(operation, arguments...)
	if err != nil {
		return nil, fmt.Errorf("gdb ended: %w", err)
	}
	results, _ := reply["payload"].(map[string]any)
	if reply["class"] == "error" {
		message, _ := results["msg"].(string)
		return nil, refusal(message)
	}
	return results, nil
}

// say runs a command of gdb's own language and returns what it printed.
func (w *worker) say(command string) (string, error) {
	w.mu.Lock()
	w.console.Reset()
	w.mu.Unlock()
	_, err := w.send("interpreter-exec", "console", command)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.console.String(), err
}

// translate answers one request. What gdb refuses to tell is unknown.
func (w *worker) translate(q translators.Request) ([]translators.Location, error) {
	frames, err := w.ask(q)
	if _, refused := err.(refusal); refused {
		return nil, nil
	}
	return frames, err
}

func (w *worker) ask(q translators.Request) ([]translators.Location, error) {
	if q.Object != w.object {
		w.object = ""
		if _, err := w.send("file-exec-and-symbols", q.Object); err != nil {
			return nil, err
		}
		w.object = q.Object
	}
	frames, err := w.frames(q.Vaddr)
	if err != nil {
		return nil, err
	}
	if len(frames) == 0 {
		frames = []translators.Location{{}}
	}
	if outermost := &frames[len(frames)-1]; outermost.Func == "" {
		outermost.Func, err = w.symbol(q.Vaddr)
	}
	return frames, err
}

// frames returns what the debug information tells of an address.
func (w *worker) frames(vaddr uint64) ([]translators.Location, error) {
	if !w.python {
		return w.disassemble(vaddr)
	}
	text, err := w.say("python chain(" + strconv.FormatUint(vaddr, 10) + ")")
	if err != nil {
		return nil, err
	}
	var frames []translators.Location
	for line := range strings.Lines(text) {
		line, ours := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "pct:")
		fields := strings.Split(line, "|")
		if !ours || len(fields) != 3 {
			continue
		}
		name, err1 := hex.DecodeString(fields[0])
		file, err2 := hex.DecodeString(fields[1])
		number, err3 := strconv.Atoi(fields[2])
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
		frames = append(frames, location(string(name), string(file), number))
	}
	return frames, nil
}

// location makes a frame of what gdb says, in the form all translators use.
func location(name, file string, line int) translators.Location {
	if file != "" {
		file = path.Clean(file)
	}
	return translators.Location{Func: funcname.Demangle(withoutParameters(name)), File: file, Line: line}
}

// withoutParameters takes the parameters off a C++ name.
func withoutParameters(name string) string {
	s := strings.TrimSuffix(name, " const")
	if !strings.HasSuffix(s, ")") {
		return name
	}
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			if i == 0 || strings.HasSuffix(s[:i], "operator") || strings.HasSuffix(s[:i], "::") {
				return name // of the call operator, or (anonymous namespace)
			}
			return s[:i]
		}
	}
	return name
}

// disassemble returns function and line of an address from a gdb without Python,
// which can't tell inlined functions.
func (w *worker) disassemble(vaddr uint64) ([]translators.Location, error) {
	results, err := w.send("data-disassemble", "-s", fmt.Sprint(vaddr), "-e", fmt.Sprint(vaddr+1), "--", "5")
	if err != nil {
		return nil, err
	}
	list, _ := results["asm_insns"].([]any)
	for _, item := range list {
		// The library keeps the one that came last of several lines.
		source, _ := item.(map[string]any)
		if inner, ok := source["src_and_asm_line"].(map[string]any); ok {
			source = inner
		}
		file, _ := source["fullname"].(string)
		number, _ := source["line"].(string)
		line, _ := strconv.Atoi(number)
		insns, _ := source["line_asm_insn"].([]any)
		if len(insns) == 0 {
			continue
		}
		insn, _ := insns[0].(map[string]any)
		name, _ := insn["func-name"].(string)
		return []translators.Location{location(name, file, line)}, nil
	}
	return nil, nil
}

// symbol returns the function at an address as far as the symbols tell.
func (w *worker) symbol(vaddr uint64) (string, error) {
	text, err := w.say("info symbol " + strconv.FormatUint(vaddr, 10))
	if err != nil {
		return "", err
	}
	// NAME + OFFSET in section .text, or without the offset
	name, section, ok := strings.Cut(text, " in section ")
	if !ok || strings.HasPrefix(section, ".data") || strings.HasPrefix(section, ".bss") {
		return "", nil
	}
	if before, offset, ok := cutLast(name, " + "); ok {
		if _, err := strconv.Atoi(offset); err == nil {
			name = before
		}
	}
	stub := strings.HasSuffix(name, "@plt")
	name = funcname.Demangle(withoutParameters(strings.TrimSuffix(name, "@plt")))
	if stub {
		name += "@plt"
	}
	return name, nil
}

// cutLast is strings.Cut at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
