package resource

import (
	"strings"
	"testing"
)

// Resources are read as they are named, with the intervals that users of dd and perf write.
func TestParse(t *testing.T) {
	for text, want := range map[string]Resource{
		"cpu": {Name: "cpu"}, "user:1ms": {Name: "user", Interval: 1000}, "real:250us": {Name: "real", Interval: 250},
		"real:1s": {Name: "real", Interval: 1000000}, "cpu:0.5s": {Name: "cpu", Interval: 500000}, "real:250µs": {Name: "real", Interval: 250},
		"real:250\u03bcs": {Name: "real", Interval: 250}, "cpu:200000ns": {Name: "cpu", Interval: 200}, "io:1us": {Name: "io", Interval: 1},
		"faults:7": {Name: "faults", Interval: 7}, "faults:1k": {Name: "faults", Interval: 1000}, "cycles:2M": {Name: "cycles", Interval: 2000000},
		"cycles:.1K": {Name: "cycles", Interval: 100},
		"alloc":      {Name: "alloc"}, "alloc:1MB": {Name: "alloc", Interval: 1000000}, "alloc:1M": {Name: "alloc", Interval: 1 << 20},
		"alloc:1.5MiB": {Name: "alloc", Interval: 3 << 19}, "read:4k": {Name: "read", Interval: 4096}, "read:4K": {Name: "read", Interval: 4096},
		"write:4kB": {Name: "write", Interval: 4000}, "write:512B": {Name: "write", Interval: 512}, "alloc:2GB": {Name: "alloc", Interval: 2000000000},
		"fpe-inexact:3": {Name: "fpe-inexact", Interval: 3},
		"calls:f":       {Name: "calls:f"}, "calls:f:3": {Name: "calls:f", Interval: 3}, "calls:f:3k": {Name: "calls:f", Interval: 3000},
		"calls:libc.so.6:malloc:1000": {Name: "calls:libc.so.6:malloc", Interval: 1000}, "calls:/lib/x.so:f": {Name: "calls:/lib/x.so:f"},
		"page-faults:1k": {Name: "faults", Interval: 1000}, "cs": {Name: "switches"}, "task-clock:1ms": {Name: "cpu", Interval: 1000},
		"calls:cs":   {Name: "calls:cs"},
		"calls:a::b": {Name: "calls:a::b"}, "calls:a::b:5": {Name: "calls:a::b", Interval: 5},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if again, err := Parse(got.String()); err != nil || again != want {
			t.Errorf("%s: %s is %+v, %v", text, got.String(), again, err)
		}
	}
	for text, want := range map[string]string{
		"": "there is no resource", "x": "want one of alignment, alloc, ", "cpu:1us": "the minimum is 100µs", "cpu:100": "s, ms, us or ns",
		"mallocs": "did you mean alloc?", "cache_misses": "did you mean cache-misses?", "cpu-clock": "did you mean cpu?", "Fault": "did you mean faults?", "pagefaults": "did you mean faults?",
		"major": "did you mean major-faults?", "call:f": "did you mean calls:FUNCTION?", "offcpu:1ms": "did you mean real?", "nothing": "want one of alignment, ",
		"faults,alloc:1k": "give each its own -r, as in -r faults -r alloc",
		"cpu:x":           "such as 10ms", "real:1m": "such as 10ms", "io:100ns": "not an interval", "cpu:1ms:1ms": "not an interval",
		"faults:0": "not an interval", "faults:-1": "from 1", "faults:0.5": "not an interval", "faults:1.5": "not a whole number", "calls:f:2.5": "not a whole number", "faults:1kB": "k, M or G", "faults:1ms": "k, M or G", "faults:1e3": "k, M or G",
		"alloc:1XB": "KiB, MiB", "alloc:1ms": "KiB, MiB", "alloc:1KM": "KiB, MiB", "alloc:999999G": "too long", "alloc:.": "KiB, MiB", "alloc:many": "KiB, MiB",
		"calls": "the function is missing", "calls:": "the function is missing", "calls::": "the function is missing", "calls:5": "the function is missing", "calls:lib:": "the function is missing",
	} {
		if got, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %+v, %v; want %q", text, got, err, want)
		}
	}
}

// Aliases and what may be meant lead to resources that there are.
func TestOtherNames(t *testing.T) {
	for name, of := range aliases {
		if row(of) == nil || row(name) != nil {
			t.Errorf("%s is another name of %s", name, of)
		}
	}
	for name, of := range kin {
		for word := range strings.FieldsFuncSeq(of, func(r rune) bool { return strings.ContainsRune(" ,", r) }) {
			kind, _, _ := strings.Cut(word, ":")
			if row(kind) == nil && word != "or" {
				t.Errorf("%s may mean %s", name, of)
			}
		}
		if _, err := Parse(name); err == nil {
			t.Errorf("%s is no resource", name)
		}
	}
}

func TestFunction(t *testing.T) {
	for name, want := range map[string][2]string{
		"calls:f": {"", "f"}, "calls:libc.so.6:malloc": {"libc.so.6", "malloc"}, "calls:a::b::c": {"", "a::b::c"}, "calls:libx.so:a::b": {"libx.so", "a::b"},
		"calls:/lib/x.so:f": {"/lib/x.so", "f"}, "calls:::f": {"", "::f"}, "calls:libx.so:(anonymousnamespace)::f": {"libx.so", "(anonymousnamespace)::f"},
		"calls:lib:": {"lib", ""}, "calls:": {}, "calls:::": {}, "calls": {}, "faults": {},
	} {
		if library, function := Function(name); [2]string{library, function} != want {
			t.Errorf("%s: %q, %q", name, library, function)
		}
	}
}
