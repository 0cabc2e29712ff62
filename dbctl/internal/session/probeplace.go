package session

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/unwind"
)

// A probe of a line has a breakpoint in each function that has code of it.

// linesHere are the lines that are probed at an address.
type linesHere struct {
	object string
	places []string
}

// linePlace is a line of a source file, as PROBE is given it.
var linePlace = regexp.MustCompile(`^(.+):([1-9][0-9]*)$`)

// lineOf is the file and the line that a probe is of.
func lineOf(place string) (file string, line int, ok bool) {
	m := linePlace.FindStringSubmatch(place)
	if m == nil {
		return "", 0, false
	}
	line, err := strconv.Atoi(m[2])
	return m[1], line, err == nil
}

// searchLine probes the code of a line in an object.
func (ps *probes) searchLine(o *unwind.Object, want *probe) {
	file := ps.fileOf(o)
	if file == nil || !isObject(o.Path, want.object) {
		return
	}
	source, line, _ := lineOf(want.place)
	var places []debuginfo.Place
	next := 0
	file.guarded(func() {
		if file.data != nil {
			places, next = file.data.LinePlaces(source, line)
		}
	})
	if next != 0 && (want.next == 0 || next < want.next) {
		want.next = next
	}
	for _, place := range places {
		if !ps.exists(o, place.Function) {
			continue
		}
		want.found = true
		at := ps.point(place.Addr + o.Bias)
		if at.lines == nil {
			at.lines = &linesHere{object: filepath.Base(o.Path)}
		}
		if !slices.Contains(at.lines.places, want.place) {
			at.lines.places = append(at.lines.places, want.place)
		}
	}
}

// passes is a thread at the code of lines.
func (ps *probes) passes(th *thread, here *linesHere) {
	for _, place := range here.places {
		th.due = append(th.due, &probeEvent{word: probeWords[atLine], of: functionName{object: here.object}, place: place, changes: ps.changes})
	}
}

// noLine says that a line has no code.
func (ps *probes) noLine(want *probe, where string) string {
	file, _, _ := lineOf(want.place)
	text := fmt.Sprintf("there is no code of %s in %s", want.place, where)
	if want.next != 0 {
		text += fmt.Sprintf(": the next line that has some is %s:%d", file, want.next)
	}
	return text
}
