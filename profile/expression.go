package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An expression is one -expr: what is evaluated in the innermost activation of a function, in programs of a name, and
// the shell command that reads the values.
type expression struct {
	program, function, text string
	field                   string // of the samples
	filter                  string
}

// oneLine makes a line of a text.
var oneLine = strings.NewReplacer("\n", " ")

// addExpression takes in PROG@FUNCTION@EXPRESSION and its filter.
func (o *options) addExpression(spec, filter string) error {
	line := oneLine.Replace(spec)
	words := strings.SplitN(line, "@", 3)
	if len(words) < 3 || words[0] == "" || words[1] == "" || words[2] == "" {
		return misusef("-expr %s: want PROG@FUNCTION@EXPRESSION, such as 'hier-test@worker@n'", spec)
	}
	e := expression{program: words[0], function: words[1], text: words[2], filter: oneLine.Replace(filter)}
	e.field = strings.Join(strings.Fields(e.text), " ")
	if slices.ContainsFunc(o.expressions, func(other expression) bool { return other.field == e.field }) {
		e.field = fmt.Sprintf("%s_%d", e.field, len(o.expressions)+1)
	}
	// The syntax of patterns is that of Go, as dbctl has it.
	if _, err := regexp.Compile(e.function); err != nil {
		return misusef("-expr %s: bad regular expression: %s", line, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	o.expressions = append(o.expressions, e)
	return nil
}

// filter has an expression's values read by its filter, and reports whether that was done.
func (r *report) filter(e expression) bool {
	pct, err := find("pct")
	if err != nil {
		r.stderr.Write([]byte("profile: " + err.Error() + "\n"))
		return false
	}
	values := exec.Command(pct, append([]string{"values", "-raw", "-expr", e.field}, r.dirs...)...)
	values.Stderr = os.Stderr
	from, err := values.StdoutPipe()
	if err != nil {
		return false
	}
	shell := exec.Command("sh", "-c", e.filter)
	shell.Stdin, shell.Stderr = from, os.Stderr
	if r.out != nil {
		shell.Stdout = r.out
	}
	shell.Env = os.Environ()
	// Where filters are: in the tree that was built, or as they are installed.
	if here, err := ownDirectory(); err == nil {
		dirs := []string{filepath.Join(here, ".."), filepath.Join(here, "../../bin"), here, os.Getenv("PATH")}
		shell.Env = append(shell.Env, "PATH="+strings.Join(dirs, ":"))
	}
	if err := values.Start(); err != nil {
		return false
	}
	err = shell.Start()
	from.Close() // so that it ends if the filter does not read all
	if err == nil {
		err = shell.Wait()
	}
	values.Wait()
	return err == nil
}
