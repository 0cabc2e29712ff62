package session

import "testing"

func TestReadCounted(t *testing.T) {
	for kind, want := range map[string]counted{
		"alloc":                  {resource: "alloc", unit: "byte"},
		"calls:f":                {resource: "calls:f", unit: "call", function: "f"},
		"calls:libc.so.6:malloc": {resource: "calls:libc.so.6:malloc", unit: "call", library: "libc.so.6", function: "malloc"},
		"calls:ns::S::add":       {resource: "calls:ns::S::add", unit: "call", function: "ns::S::add"},
		"calls:lib.so:ns::add":   {resource: "calls:lib.so:ns::add", unit: "call", library: "lib.so", function: "ns::add"},
		"calls:":                 {},
		"calls:::":               {},
		"calls:lib:":             {},
		"perf":                   {},
	} {
		got, ok := readCounted(kind)
		if ok != (want.resource != "") || ok && got != want {
			t.Errorf("%s: %+v, %v", kind, got, ok)
		}
	}
}
