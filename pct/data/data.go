// Package data is the run directory: what a collector writes about one process
// and every report is made from. docs/FORMAT.md specifies the files.
//
// A run directory PROG.PID holds
//
//	meta         text, key=value: what ran, when, and how it was sampled
//	paths.NAME   binary: the calling context tree and the samples of a resource, see Writer;
//	             or the library's tree of counts
//	values.NAME  binary, of the library: values of samples in paths.NAME
//	tree         text, only with the first process of a run: all its processes, see TreeWriter
//	OBJECT       binary: samples in one mapped object, see Counts
//	tables       text, only with the first process of a run: what a dbctl script counted, see ReadTables
//	kernel.syms  text: symbols of the kernel, see ReadKernelSymbols
//	names        names of the addresses, see ReadNames
//	NAME         text, whatever an OUT(NAME) of a dbctl script wrote
//
// Life cycle: a collector makes the directory with Create, writes meta with the
// state "running", appends to paths.NAME, and rewrites meta at the end with another
// state. All files can be read at any instant by another process; a collector
// that is killed loses at most the sample that it was writing.
package data

import (
	"fmt"
	"time"
)

// The ids of one paths file. They are given out from 1 upwards; 0 is none and,
// for a node, the root of the calling context tree.
type (
	ObjectID uint32
	NodeID   uint32
	FieldID  uint32
	ThreadID uint32
)

// Header says how the samples of a paths file were taken.
type Header struct {
	Resource string        // what the weights measure, "cpu"
	Unit     string        // of a weight, "µs"
	Clock    string        // the sampling clock, "perf", "itimer", "poll"
	Period   time.Duration // mean time between two samples
	Start    time.Time     // origin of Sample.Time
	Interval uint64        // gticks, in Unit, from one sample to the next, 0 unknown
}

// Object is a file, or another piece of memory that holds code, mapped into the
// process.
type Object struct {
	Path    string
	BuildID string // lower-case hex, "" if it has none
	Kind    byte   // 0 file, 1 vDSO, 2 anonymous memory, 3 kernel
	Start   uint64 // first mapped address
	End     uint64 // first address after it
	Bias    uint64 // run-time address minus ELF virtual address

	// Translator is the command that a count file is stamped with, "" the default
	// one. It is not kept in a paths file.
	Translator string
}

// Node is a calling context: an instruction, called from its parent.
type Node struct {
	Parent NodeID   // the caller, 0 for an outermost frame
	Object ObjectID // 0: in no known object
	Vaddr  uint64   // ELF virtual address; run-time address where Object is 0
}

// Sample is one reading of the clock, or several at the same node of which only
// their number is known.
type Sample struct {
	Time    time.Duration // since Header.Start
	CPU     time.Duration // CPU time of the process so far, 0 unknown
	Thread  uint32        // kernel thread id
	Node    NodeID        // innermost frame, 0 if there was no call path
	Weight  uint64        // in Header.Unit, of all of them
	Count   uint64        // how many they are, from 1; to a Writer 0 is 1, too
	Partial bool          // the call path does not reach its outermost frame
	Untimed bool          // they are from a counter or other data without times: Time, CPU and Thread mean nothing
	Fields  []FieldValue
}

// Place is an instruction in an object.
type Place struct {
	Object ObjectID // 0: in no known object
	Vaddr  uint64   // as in Node
}

// Name is what is known of one function activation at a place.
type Name struct {
	Function string // "" unknown
	File     string // of the source, "" unknown
	Line     int    // 0 unknown
}

// FieldValue is the value of a debugger expression, taken at the sample.
type FieldValue struct {
	Field FieldID
	Value string
}

// Truncated says that a file has a tail that is not whole records, or lacks one: its
// writer was killed or is just writing, or the file was damaged. What stands
// before the tail was read and is good.
type Truncated struct {
	Path   string
	Offset int64 // where the tail starts
	Size   int64 // of the file
	Why    string
}

func (t *Truncated) Error() string {
	return fmt.Sprintf("%s: %s at byte %d of %d; the data before it were read", t.Path, t.Why, t.Offset, t.Size)
}
