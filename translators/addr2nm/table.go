package addr2nm

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/profilecollection/pct/internal/object"
)

// A table is the symbols of an object as text, sorted by address, one a line:
// sixteen hexadecimal digits, a blank, and the name of the function that begins
// there, or nothing where data begin. It is searched as it is.
type table []byte

const digits = 16

// newTable makes a table of the symbols that nm printed, nil where there is no
// function among them.
func newTable(symbols []symbol) table {
	slices.SortStableFunc(symbols, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(b.kind, a.kind), object.CompareNames([]byte(a.name), a.bind, []byte(b.name), b.bind))
	})
	var t table
	inCode := false
	for i, s := range symbols {
		switch {
		case i > 0 && symbols[i-1].addr == s.addr:
		case s.kind == code:
			t = fmt.Appendf(t, "%016x %s\n", s.addr, s.name)
			inCode = true
		case inCode:
			t = fmt.Appendf(t, "%016x \n", s.addr)
			inCode = false
		}
	}
	return t
}

// find returns the function of the greatest address that is not above vaddr, "" if
// there is none, or if data begin between.
func (t table) find(vaddr uint64) string {
	name := ""
	for low, high := 0, len(t); low < high; {
		// The line around the middle.
		from := low + bytes.LastIndexByte(t[low:low+(high-low)/2], '\n') + 1
		to := from + bytes.IndexByte(t[from:], '\n') + 1
		addr, err := strconv.ParseUint(string(t[from:from+digits]), 16, 64)
		if err != nil {
			return ""
		}
		if addr <= vaddr {
			name = string(t[from+digits+1 : to-1])
			low = to
		} else {
			high = from
		}
	}
	return name
}

// valid says whether t is a table, whatever a file has held.
func (t table) valid() bool {
	for line := range bytes.Lines(t) {
		if len(line) < digits+2 || line[digits] != ' ' || line[len(line)-1] != '\n' {
			return false
		}
	}
	return true
}
