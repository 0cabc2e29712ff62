package session

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/machine"
	"github.com/profilecollection/pct/internal/object"
)

// evaluation is an EVAL of a script.
type evaluation struct {
	function, expression string
	shown                bool // its text is wanted now
}

// changes reports whether a text of a script has variables in it.
func changes(text string) bool { return strings.Contains(strings.ReplaceAll(text, "$$", ""), "$") }

// answerable tells, before a program runs, what a rule asks of it that can't be had: functions
// that it does not have, names in expressions where there is no debug data. What a
// program loads later can't be known: then it's said, and no error. A rule for programs of many
// names means those that have what it asks for.
func (t *tree) answerable(exe string, rule *machine.Exec, environ []string) error {
	evals := t.habit(rule).evals
	if len(evals) == 0 || !names(rule, exe) {
		return nil
	}
	main, err := readCode(exe)
	if err != nil || main.golang {
		return nil
	}
	all := []*code{main}
	paths, known := libraries(exe, environ)
	for _, path := range paths {
		t.debugData.of(path, "") // opened now, no stop has to wait for it
		if c, err := readCode(path); err == nil {
			all = append(all, c)
		}
	}
	known = known && !main.loads
	for _, e := range evals {
		m, err := newMatcher(e.function)
		if err != nil {
			continue
		}
		at := slices.IndexFunc(all, func(c *code) bool { return slices.ContainsFunc(c.functions, m.match) })
		switch {
		case at >= 0:
			if name := all[at].unknown(e.expression, all); name != "" {
				return fmt.Errorf("%s has no debug data, so %q in the expression %q is unknown: compile it with -g, or install its debug symbols (a package -dbgsym or -debuginfo)",
					all[at].path, name, e.expression)
			}
		case slices.ContainsFunc(all, func(c *code) bool { return c.mentions(e.function) }):
		case known:
			return fmt.Errorf("no function matches %q in %s and its libraries%s", e.function, exe, nearest(e.function, all))
		default:
			t.sayOnce("no function matches %q in %s, unless it loads one later%s", e.function, exe, nearest(e.function, all))
		}
	}
	return nil
}

// names reports whether a rule is for a program of this name alone.
func names(rule *machine.Exec, exe string) bool {
	prefix, _ := rule.Regex.LiteralPrefix()
	return prefix == "/"+filepath.Base(exe)
}

// code is what there is to know of a program or a library before it runs.
type code struct {
	path      string
	functions []string // symbols
	debug     string   // the file that has its debug data; "" if there is none
	golang    bool
	loads     bool // libraries, by dlopen
}

func readCode(path string) (*code, error) {
	f, err := object.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &code{path: path, golang: f.IsGo()}
	static, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, s := range slices.Concat(static, dynamic) {
		kind := elf.ST_TYPE(s.Info)
		switch {
		case s.Section == elf.SHN_UNDEF:
			c.loads = c.loads || s.Name == "dlopen" || s.Name == "dlmopen"
		case kind == elf.STT_FUNC || kind == elf.STT_OBJECT || kind == elf.STT_GNU_IFUNC:
			c.functions = append(c.functions, s.Name)
		}
	}
	if g := object.Installed().DebugFile(f); g != nil {
		c.debug = g.Path
		if g != f {
			g.Close()
		}
	}
	return c, nil
}

// mentions reports whether its debug data may have functions that match, inlined everywhere.
func (c *code) mentions(pattern string) bool {
	if c.debug == "" {
		return false
	}
	f, err := object.Open(c.debug)
	if err != nil {
		return true
	}
	defer f.Close()
	return mentions(f, pattern)
}

// mentions reports whether a file with debug data has the name of a function. Of a pattern that is no plain
// name it's supposed.
func mentions(f *object.File, pattern string) bool {
	if regexp.QuoteMeta(pattern) != pattern {
		return true
	}
	name := pattern[strings.LastIndex(pattern, ":")+1:]
	for _, section := range []string{"str", "info"} {
		if s := f.DebugSection(section); s != nil {
			if b := f.Contents(s); b == nil || bytes.Contains(b, []byte(name+"\x00")) {
				return true
			}
		}
	}
	return false
}

var (
	literals = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\$\w+|\b[0-9]\w*`)
	words    = regexp.MustCompile(`[A-Za-z_]\w*`)
	// inborn are the words that gdb knows without debug data.
	inborn = regexp.MustCompile(`^(?:int|char|long|short|unsigned|signed|float|double|void|bool|const|volatile|sizeof|u?int(?:8|16|32|64|128)_t|true|false)$`)
)

// unknown is a name in an expression that only debug data could tell of, and they are
// missing; "" if there is none.
func (c *code) unknown(expression string, all []*code) string {
	if c.debug != "" {
		return ""
	}
	for _, name := range words.FindAllString(literals.ReplaceAllString(expression, " "), -1) {
		if !inborn.MatchString(name) && !slices.ContainsFunc(all, func(c *code) bool { return slices.Contains(c.functions, name) }) {
			return name
		}
	}
	return ""
}

// libraries are those that a program is loaded with, by its dynamic linker itself; false if that
// does not say.
func libraries(exe string, environ []string) ([]string, bool) {
	interpreter, err := interpreterOf(exe)
	if errors.Is(err, errStatic) {
		return nil, true
	}
	if err != nil {
		return nil, false
	}
	const patience = 2 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, interpreter, "--list", exe)
	for _, pair := range environ {
		if strings.HasPrefix(pair, "LD_LIBRARY_PATH=") || strings.HasPrefix(pair, "LD_PRELOAD=") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	out, err := cmd.Output()
	if err != nil {
		return nil, false
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		if at := strings.IndexByte(line, '/'); at >= 0 {
			path, _, _ := strings.Cut(line[at:], " (0x")
			if _, after, found := strings.Cut(line, "=> /"); found {
				path, _, _ = strings.Cut("/"+after, " (0x")
			}
			paths = append(paths, strings.TrimSpace(path))
		}
	}
	return paths, true
}

var errStatic = errors.New("it is linked statically")

func interpreterOf(exe string) (string, error) {
	f, err := object.Open(exe)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if path := f.Interpreter(); path != "" {
		return path, nil
	}
	return "", errStatic
}

// lost are the registers that a call on x86-64 may change: in an outer frame the debugger shows those
// of the innermost.
var lost = regexp.MustCompile(`\$((?:[re]?[acd]x|[acd][lh]|[re]?[sd]i|[sd]il|r(?:8|9|10|11)[dwbl]?|[xyz]mm[0-9]+|st[0-7]?|eflags|mxcsr)\b)`)

// unsaved is a register in an expression that is only known in the innermost frame; "" if there is none.
func unsaved(expression string) string { return lost.FindString(expression) }
