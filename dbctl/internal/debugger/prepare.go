package debugger

import (
	"strings"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/mi"
)

// prepare checks a debugger's version and sends it the commands of its setup.
// What it says to them is not kept.
func prepare(c *mi.Client, table *Table, setup []string, deadline time.Time) error {
	text, refused, err := exchange(c, deadline, table.Version)
	if err == nil {
		err = first(refused)
	}
	if err == nil {
		err = table.Supported(text)
	}
	if err != nil || len(setup) == 0 {
		return err
	}
	if _, refused, err = exchange(c, deadline, setup...); err != nil {
		return err
	}
	return first(refused)
}

// exchange sends commands, at least one, and reads their results.
func exchange(c *mi.Client, deadline time.Time, commands ...string) (console string, refused []error, err error) {
	if _, err := c.Send(commands...); err != nil {
		return "", nil, err
	}
	return results(c, deadline, commands...)
}

// first returns the first error, if there's any.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// results reads the results of commands that were sent. It returns what the
// console said meanwhile, and of each command nil or why it was refused.
func results(c *mi.Client, deadline time.Time, commands ...string) (console string, refused []error, err error) {
	var text strings.Builder
	for len(refused) < len(commands) {
		r, err := c.Next(deadline)
		if err != nil {
			return "", nil, err
		}
		switch {
		case r.Kind == mi.Console:
			text.WriteString(r.Text)
		case r.Kind == mi.Result && r.Class == "error":
			refused = append(refused, &mi.CommandError{Command: commands[len(refused)], Message: r.Str("msg")})
		case r.Kind == mi.Result:
			refused = append(refused, nil)
		}
	}
	return text.String(), refused, nil
}

// readAll has a debugger read objects.
func readAll(c *mi.Client, table *Table, objects []*Object) error {
	_, refused, err := exchange(c, time.Now().Add(time.Duration(len(objects))*learnTime), symbols(table, objects)...)
	for i := range refused {
		objects[i].Err = refused[i]
	}
	return err
}

func symbols(table *Table, objects []*Object) (commands []string) {
	for _, o := range objects {
		commands = append(commands, table.Symbols(0, o.Path, o.Bias))
	}
	return commands
}
