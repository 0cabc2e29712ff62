package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A constant is a name of a header's and its value.
type constant struct {
	name  string
	value uint64
}

// A table is made of the constants whose names match, less those omitted: other names of the same values, and what is no
// value but a mask or a bound.
type table struct {
	name  string // of the Go variable
	match string // a regular expression, of the whole name
	omit  string // regular expressions of whole names, between spaces
	last  string // names, between spaces, that go last, in their order: where strace shows them
	more  string // NAME=VALUE, between spaces: of the kernel's source, in no header for programs
	bits  bool   // flags, not numbers: those of several bits go before those they contain
}

// A group of tables is of headers that can be included together.
type group struct {
	headers []string
	tables  []table
	alone   string // names, between spaces, that are Go constants of their own: golang.org/x/sys/unix lacks them
}

// constants is the file of all tables.
func constants() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, head, "the headers of the kernel and the C library")
	for _, g := range groups {
		made, err := g.made()
		if err != nil {
			return "", err
		}
		for i, t := range g.tables {
			fmt.Fprintf(&b, "var %s = []constant{\n", t.name)
			for _, c := range made[i] {
				fmt.Fprintf(&b, "\t{%q, %#x},\n", c.name, c.value)
			}
			b.WriteString("}\n\n")
		}
	}
	for _, g := range groups {
		alone := strings.Fields(g.alone)
		values, err := g.values(alone)
		if err != nil {
			return "", err
		}
		for _, name := range alone {
			fmt.Fprintf(&b, "const %s = %#x\n", camel(name), values[name])
		}
	}
	text, err := format.Source([]byte(b.String()))
	return string(text), err
}

// camel is a header's name as Go has it: FUTEX_WAIT is futexWait.
func camel(name string) string {
	words := strings.Split(strings.ToLower(name), "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

// made are the constants of each of the group's tables, in order.
func (g group) made() ([][]constant, error) {
	names, err := g.defined()
	if err != nil {
		return nil, err
	}
	chosen := make([][]string, len(g.tables))
	var all []string
	for i, t := range g.tables {
		match, err := regexp.Compile("^(?:" + t.match + ")$")
		if err != nil {
			return nil, err
		}
		omit, err := regexp.Compile("^(?:" + strings.Join(strings.Fields(t.omit), "|") + ")$")
		if err != nil {
			return nil, err
		}
		for _, m := range names {
			if match.MatchString(m) && !omit.MatchString(m) {
				chosen[i] = append(chosen[i], m)
			}
		}
		if len(chosen[i]) == 0 && t.more == "" {
			return nil, fmt.Errorf("%s: no constant matches %s", t.name, t.match)
		}
		all = append(all, chosen[i]...)
	}
	values, err := g.values(all)
	if err != nil {
		return nil, err
	}
	made := make([][]constant, len(g.tables))
	var wrong []error
	for i, t := range g.tables {
		for _, name := range chosen[i] {
			made[i] = append(made[i], constant{name, values[name]})
		}
		for _, m := range strings.Fields(t.more) {
			name, text, _ := strings.Cut(m, "=")
			value, err := strconv.ParseUint(text, 0, 64)
			if err != nil {
				return nil, err
			}
			made[i] = append(made[i], constant{name, value})
		}
		last := strings.Fields(t.last)
		slices.SortFunc(made[i], func(a, b constant) int {
			if c := cmp.Compare(slices.Index(last, a.name), slices.Index(last, b.name)); c != 0 {
				return c
			}
			if t.bits && a.value != b.value && a.value != 0 && b.value != 0 {
				if c := cmp.Compare(bits.TrailingZeros64(a.value), bits.TrailingZeros64(b.value)); c != 0 {
					return c
				}
				return cmp.Compare(bits.OnesCount64(b.value), bits.OnesCount64(a.value))
			}
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.name, b.name))
		})
		for j := 1; j < len(made[i]); j++ {
			if a, b := made[i][j-1], made[i][j]; a.value == b.value {
				wrong = append(wrong, fmt.Errorf("%s: %s and %s are both %#x: omit one", t.name, a.name, b.name, a.value))
			}
		}
	}
	return made, errors.Join(wrong...)
}

// source is a C program of the group's headers and a text.
func (g group) source(text string) string {
	var b strings.Builder
	b.WriteString("#define _GNU_SOURCE\n")
	for _, h := range g.headers {
		fmt.Fprintf(&b, "#include <%s>\n", h)
	}
	return b.String() + text
}

var (
	macro      = regexp.MustCompile(`(?m)^#define ([A-Z_]\w*) `)
	enumerator = regexp.MustCompile(`(?m)(?:^|[{,])\s*([A-Z_][A-Z0-9_]*)\s*(?:=[^,}]*)?(?:,|\s*\}|$)`)
)

// defined are the names of the headers' constants: macros without parameters, and of enumerations.
func (g group) defined() ([]string, error) {
	macros, err := compiler(g.source(""), "-E", "-dM", "-")
	if err != nil {
		return nil, err
	}
	text, err := compiler(g.source(""), "-E", "-P", "-")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range append(macro.FindAllSubmatch(macros, -1), enumerator.FindAllSubmatch(text, -1)...) {
		names = append(names, string(m[1]))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// values are those of macros, as the compiler computes them.
func (g group) values(names []string) (map[string]uint64, error) {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var b strings.Builder
	b.WriteString("int printf(const char *, ...);\nint main(void)\n{\n")
	for _, n := range names {
		fmt.Fprintf(&b, "\tprintf(\"%s %%llu\\n\", sizeof(%s) < 8 ? (unsigned long long)(unsigned)(%s) : (unsigned long long)(%s));\n", n, n, n, n)
	}
	b.WriteString("}\n")
	program := filepath.Join(dir, "values")
	if _, err := compiler(g.source(b.String()), "-w", "-o", program, "-"); err != nil {
		return nil, err
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		return nil, err
	}
	values := map[string]uint64{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if values[name], err = strconv.ParseUint(value, 10, 64); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// compiler runs the C compiler on a source.
func compiler(source string, args ...string) ([]byte, error) {
	cmd := exec.Command("gcc", append([]string{"-x", "c"}, args...)...)
	cmd.Stdin = strings.NewReader(source)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("gcc %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return out, nil
}
