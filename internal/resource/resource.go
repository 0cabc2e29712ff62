// Package resource is the table of what can be measured: names, units, intervals, who can measure
// each with which right, and how a report speaks of it.
//
// A resource is monotonic (section 2 of Hall and Goldberg, 1993): a program only ever uses more of
// it. One gtick is one unit of it. A collector takes a sample when an interval of gticks has been
// used.
//
// The collectors, profile and the reports read this table; the C library's part of it,
// collector/resources.h, is made from it.
package resource

//go:generate go run ./header ../../collector/resources.h

import (
	"strings"
	"time"
)

// Kind is a row of the table.
type Kind struct {
	Name     string // of Calls, a colon and a function follow it
	Unit     string // one gtick
	Interval uint64 // gticks between two samples unless told otherwise; 0: the clock's period
	Summary  string // what a command's help says of it; "" nothing

	Inside     Inside // how the library measures it in the program
	Kernel     Kernel // how the kernel counts it
	Breakpoint bool   // dbctl can count it, by breakpoints on functions
	PartOf     string // the library measures it or this one, whose samples have all of its own; "" any with it

	Found Found
}

// Inside is how libpct.so measures a resource in the program itself. The zero value: it can't.
type Inside struct {
	Source    Source
	Which     string // of several resources of one source: a constant of the C library
	Interrupt bool   // it makes system calls fail that wait: only for who asks for the library
}

// Source is what counts a resource in the program.
type Source int

const (
	NoSource   Source = iota
	Clock             // the clock: one resource in a run
	AllocCalls        // libpctalloc.so
	IOCalls           // libpctio.so
	Traps             // floating point exceptions that are unmasked
	Events            // a perf event of each thread
)

// Preload is the library that has to be preloaded beside libpct.so; "" none.
func (s Source) Preload() string {
	switch s {
	case AllocCalls:
		return "libpctalloc.so"
	case IOCalls:
		return "libpctio.so"
	}
	return ""
}

// Kernel is how the kernel counts a resource, for pct-ring.
type Kernel struct {
	Right  Right
	Type   uint32 // of the perf event, where that alone is needed
	Config uint64
}

// Right is what the kernel wants from a user for counting a resource in processes of his own.
type Right int

const (
	NoRight Right = iota // the kernel does not count it
	Own                  // perf_event_paranoid is 2 or less, or as Look
	Look                 // to look into the kernel: root, CAP_PERFMON, or perf_event_paranoid is 1 or less
	Trace                // as Look, and to read tracefs: root
	Probe                // to put in probes: root or CAP_PERFMON
)

// Found is where samples of a resource are found, which a report without callers has to tell.
type Found int

const (
	InCode   Found = iota // in the function that uses it
	InCalled              // in the functions that are called for it: their callers tell more
	AtReason              // time off the processor, at the reason for that
)

// Units that something depends on.
const (
	Microsecond = "µs"
	Byte        = "byte"
)

// Resources that something depends on.
const (
	CPU      = "cpu"
	User     = "user"
	Real     = "real"
	Alloc    = "alloc"
	Read     = "read"
	Write    = "write"
	Switches = "switches"
	Syscalls = "syscalls"
	Calls    = "calls"
)

// IsTime reports whether a gtick is a time.
func (k *Kind) IsTime() bool { return k.Unit == Microsecond }

// Of returns the row of a resource, as a user or the data name it; nil if there is none.
func Of(name string) *Kind {
	word, _, named := strings.Cut(name, ":")
	if named != (word == Calls) {
		return nil
	}
	return row(word)
}

func row(word string) *Kind {
	for i := range kinds {
		if kinds[i].Name == word {
			return &kinds[i]
		}
	}
	return nil
}

// All returns the rows of the table.
func All() []*Kind {
	all := make([]*Kind, len(kinds))
	for i := range kinds {
		all[i] = &kinds[i]
	}
	return all
}

// FoundAt is where samples of a resource are found; of one that the data of others name, in the code.
func FoundAt(name string) Found {
	if k := Of(name); k != nil {
		return k.Found
	}
	return InCode
}

// Function cuts the name of calls of a function: the library, "" if the function may be the
// program's, and the function. Without a function it's the name of something else. The colons in
// names of C++ come in pairs.
func Function(name string) (library, function string) {
	text, is := strings.CutPrefix(name, Calls+":")
	if !is || strings.Trim(text, ":") == "" {
		return "", ""
	}
	for i := 1; i < len(text); i++ {
		if text[i] == ':' && text[i-1] != ':' && (i+1 == len(text) || text[i+1] != ':') {
			return text[:i], text[i+1:]
		}
	}
	return "", text
}

// Resource is a resource with its interval, as it is asked for.
type Resource struct {
	Name     string // as in the table; calls:FUNCTION or calls:LIBRARY:FUNCTION
	Interval uint64 // gticks between two samples; 0: the table's
}

// Kind is its row.
func (r Resource) Kind() *Kind { return Of(r.Name) }

// IsTime reports whether a gtick is a time.
func (r Resource) IsTime() bool { return r.Kind().IsTime() }

// IsCalls reports whether a gtick is a call of a function.
func (r Resource) IsCalls() bool { return strings.HasPrefix(r.Name, Calls+":") }

// Shortest is the least time between two samples of a clock.
const Shortest = 100 * time.Microsecond
