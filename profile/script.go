package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/regular"
)

// script is what dbctl runs. Of its rules the first one counts that matches: those of the programs of which it is known
// now what is evaluated in them, those of patterns, and with -gdb one for all others.
func (o *options) script() string {
	var b strings.Builder
	byName := map[string][]int{} // executables and the numbers of their expressions
	programs := slices.Clone(o.program[:min(1, len(o.program))])
	for _, e := range o.expressions {
		if plainName.MatchString(e.program) {
			programs = append(programs, e.program)
		}
	}
	for _, program := range programs {
		if program == "" {
			continue
		}
		names := namesOf(program)
		for i, e := range o.expressions {
			if !e.matches(names) {
				continue
			}
			for _, name := range []string{names[0], names[len(names)-1]} {
				if !slices.Contains(byName[name], i) {
					byName[name] = append(byName[name], i)
				}
			}
		}
	}
	for _, name := range sortedKeys(byName) {
		slices.Sort(byName[name])
		o.rule(&b, `\Q`+name+`\E`, byName[name])
	}
	byPattern := map[string][]int{}
	for i, e := range o.expressions {
		if !plainName.MatchString(e.program) {
			byPattern[e.program] = append(byPattern[e.program], i)
		}
	}
	for _, pattern := range sortedKeys(byPattern) {
		name := pattern + `|\Q` + pattern + `\E`
		if _, err := regexp.Compile(nameRule(name)); err != nil {
			name = `\Q` + pattern + `\E`
		}
		o.rule(&b, name, byPattern[pattern])
	}
	if len(o.expressions) == 0 || o.gdb {
		o.rule(&b, ".*", nil)
	}
	return b.String()
}

func sortedKeys(m map[string][]int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// plainName is a program that is named, not described by a pattern.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.+-]*$`)

// matches reports whether an expression is about a program of these names.
func (e expression) matches(names []string) bool {
	if slices.Contains(names, e.program) {
		return true
	}
	pattern, err := regexp.Compile("^(?:" + e.program + ")$")
	return err == nil && slices.ContainsFunc(names, pattern.MatchString)
}

// nameRule matches executables by their base name.
func nameRule(name string) string { return `/(?:` + name + `)(?: \(deleted\))?$` }

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// rule writes what is done with executables of a name: the expressions of these numbers are evaluated.
func (o *options) rule(b *strings.Builder, name string, numbers []int) {
	fmt.Fprintf(b, "EXEC() \"%s\" {\n", escaped.Replace(nameRule(name)))
	b.WriteString("#include \"gdbprof_prologue.dbctl\"\n  PAT_GROUP(default) {\n" +
		"    PAT(1) \"^stopped signal=\\\"SIGVTALRM\\\"\" {\n")
	for _, i := range numbers {
		e := o.expressions[i]
		fmt.Fprintf(b, "      EVAL(%s, %s) | FIELD(\"%s\");\n", literal(e.function), literal(e.text), escaped.Replace(e.field))
	}
	sample := "SAMPLE()"
	if o.args {
		sample = "SAMPLE(args)"
	}
	b.WriteString("      " + sample + ";\n      \"continue\";\n    }\n#include \"gdbprof_epilogue.dbctl\"\n  }\n}\n")
}

// literal is a string of the dbctl language that means a text as it is.
func literal(text string) string {
	return `"` + strings.ReplaceAll(escaped.Replace(text), "$", "$$") + `"`
}

// namesOf are the names by which a pattern may know a program: as it was called, where the links lead, and for a script
// the same of its interpreter. The last one is the executable's, by which the kernel knows it.
func namesOf(program string) []string {
	names := []string{filepath.Base(program)}
	path, ok := executable(program)
	if !ok {
		return names
	}
	names = append(names, filepath.Base(path))
	for _, word := range interpreter(path) {
		if path, ok := executable(word); ok {
			names = append(names, filepath.Base(word), filepath.Base(path))
		}
	}
	return names
}

// executable is where a command is, by its links.
func executable(command string) (string, bool) {
	path, err := exec.LookPath(command)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	return path, err == nil
}

// interpreter are the words of a script's first line.
func interpreter(path string) []string {
	f, _, err := regular.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var head [256]byte
	n, _ := f.Read(head[:])
	line, is := strings.CutPrefix(string(head[:n]), "#!")
	if !is {
		return nil
	}
	line, _, _ = strings.Cut(line, "\n")
	return strings.Fields(line)
}
