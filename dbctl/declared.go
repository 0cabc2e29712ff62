package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Options behind a script's name set what the script SETs at file level: -e openat is -D e=openat of a script with
// SET(e, "all"). One that is "no" takes no value: -T is -D T=yes.

// switchedOff is the value of a variable that an option switches on.
const (
	switchedOff = "no"
	switchedOn  = "yes"
)

// declared are the variables that the script SETs at file level; of none, if it cannot be read: that is told when it is
// to be run.
func (o *options) declared() map[string]string {
	if o.sets != nil || o.script == "" || o.script == "-" {
		return o.sets
	}
	o.sets = make(map[string]string)
	src, err := o.source(nil)
	if err != nil {
		return o.sets
	}
	program, err := src.load(o)
	if err != nil {
		return o.sets
	}
	for _, set := range program.Sets {
		o.sets[set.Name] = set.Value
	}
	return o.sets
}

// scriptOption sets a variable of the script by an option; known is false if the script has none of that name.
func (o *options) scriptOption(name, value string, glued bool, rest []string) (left []string, known bool, err error) {
	before, known := o.declared()[name]
	switch {
	case !known:
		return rest, false, nil
	case glued:
	case before == switchedOff:
		value = switchedOn
	case len(rest) == 0:
		return nil, true, fmt.Errorf("-%s needs a value", name)
	default:
		value, rest = rest[0], rest[1:]
	}
	o.vars[name] = value
	return rest, true, nil
}

// describe prints what the script says of itself: the comment that it begins with.
func (o *options) describe(w io.Writer) error {
	src, err := o.source(nil)
	if err != nil {
		return err
	}
	said := false
	for line := range strings.Lines(string(src.text)) {
		text, comment := strings.CutPrefix(line, "#")
		if !comment || strings.HasPrefix(text, "include") {
			break
		}
		said = true
		fmt.Fprint(w, strings.TrimPrefix(text, " "))
	}
	if !said {
		return errors.New(src.name + " does not begin with a comment that describes it")
	}
	return nil
}
