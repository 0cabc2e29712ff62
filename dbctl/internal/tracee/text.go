package tracee

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Events and orders are written as JSON, in which every enum has its name.

// between separates an event from its orders in a line.
const between = " -> "

// Line is an event and what Step ordered, as a line of a record.
func Line(ev Event, orders []Order) string {
	if orders == nil {
		orders = []Order{}
	}
	event, _ := json.Marshal(ev) // has nothing that can't be written
	ordered, _ := json.Marshal(orders)
	return string(event) + between + string(ordered)
}

// Repeat makes the step of a line. The error says if it orders something else than it did then.
func (t *Tree) Repeat(line string) error {
	event, orders, found := strings.Cut(line, between)
	if !found {
		return errors.New("no orders follow the event")
	}
	var ev Event
	if err := json.Unmarshal([]byte(event), &ev); err != nil {
		return err
	}
	if _, now, _ := strings.Cut(Line(ev, t.Step(ev)), between); now != orders {
		return fmt.Errorf("event %s: the orders are %s, and were %s", event, now, orders)
	}
	return nil
}

func name(list []string, i uint8) ([]byte, error) { return []byte(list[i]), nil }

func number[T ~uint8](to *T, list []string, text []byte) error {
	i := slices.Index(list, string(text))
	if i < 0 {
		return fmt.Errorf("tracee: %q is none of %q", text, list)
	}
	*to = T(i)
	return nil
}

var (
	kindNames = []string{
		"born", "signaled", "grouped", "trapped", "forked", "executed", "called", "ended",
		"launched", "seized", "announce", "decide", "resume", "owe", "want", "forgo", "release", "trap", "lost", "time",
		"missing", "found", "righted", "judged",
	}
	doNames   = []string{"restart", "interrupt", "listen", "detach", "put-right", "look", "judge", "tell"}
	wordNames = []string{
		"none", "thread-made", "thread-begins", "child-made", "child-begins", "child-gone", "child-passed", "renamed", "program",
		"signal", "passes", "stop", "call", "job-stopped", "job-continued", "repair", "set-registers", "replaced",
		"thread-gone", "stranger-gone",
	}
	errandNames   = []string{"none", "set-back", "begin", "halt", "sample", "visit", "registers"}
	paceNames     = []string{"onward", "step", "calls"}
	forkNames     = []string{"plain", "in-trap"}
	decisionNames = []string{"undecided", "follow", "drop"}
)

func (k Kind) MarshalText() ([]byte, error)     { return name(kindNames, uint8(k)) }
func (d Do) MarshalText() ([]byte, error)       { return name(doNames, uint8(d)) }
func (w Word) MarshalText() ([]byte, error)     { return name(wordNames, uint8(w)) }
func (e Errand) MarshalText() ([]byte, error)   { return name(errandNames, uint8(e)) }
func (p Pace) MarshalText() ([]byte, error)     { return name(paceNames, uint8(p)) }
func (f Fork) MarshalText() ([]byte, error)     { return name(forkNames, uint8(f)) }
func (d Decision) MarshalText() ([]byte, error) { return name(decisionNames, uint8(d)) }

func (k *Kind) UnmarshalText(b []byte) error     { return number(k, kindNames, b) }
func (d *Do) UnmarshalText(b []byte) error       { return number(d, doNames, b) }
func (w *Word) UnmarshalText(b []byte) error     { return number(w, wordNames, b) }
func (e *Errand) UnmarshalText(b []byte) error   { return number(e, errandNames, b) }
func (p *Pace) UnmarshalText(b []byte) error     { return number(p, paceNames, b) }
func (f *Fork) UnmarshalText(b []byte) error     { return number(f, forkNames, b) }
func (d *Decision) UnmarshalText(b []byte) error { return number(d, decisionNames, b) }
