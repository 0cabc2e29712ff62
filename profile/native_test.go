package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const twoFunctions = `
#include <string>
namespace ns {
	template<class T> __attribute__((noinline)) T sum(T n) { T s = 0; for (T i = 0; i < n; i++) s += i; return s; }
}
thread_local int mine = 3;
extern "C" __attribute__((noinline)) int work(int n, const char *name) { return n + name[0] + (int)ns::sum<long>(n) + mine; }
struct wide { char bytes[40000]; } all;
int main(int argc, char **argv) { return work(argc, argv[0]) == 0; }
`

// The library has the expressions that it can evaluate in all code of their functions; others are dbctl's.
func TestCompile(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "two.cc")
	if err := os.WriteFile(source, []byte(twoFunctions), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string]string{"plain": "-g", "static": "-g -static", "bare": "-g0", "stripped": "-g -s"} {
		args := append(strings.Fields(flags), "-O0", "-o", filepath.Join(dir, name), source)
		if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, tt := range []struct {
		program, spec, why string
	}{
		{"plain", "work@n", ""},
		{"plain", "work@name", ""},
		{"plain", "work@n * 2 + name[0]", ""},
		{"plain", "ns::sum@n", ""},
		{"plain", "work@nosuch", "No symbol"},
		{"plain", "work@n = 3", ""},
		{"plain", "work@mine", ""},
		{"plain", "work@all", "too large"},
		{"plain", "nosuch@n", "no such function"},
		{"plain", "wor.@n", ""},
		{"plain", "(work|ns::.*)@n", ""},
		{"plain", "ma.*@argc", "matches"},
		{"plain", ".*@n", "No symbol"},
		{"static", "work@n", "static"},
		{"bare", "work@n", "no debug data"},
		{"stripped", "work@n", "no debug data"},
	} {
		function, text, _ := strings.Cut(tt.spec, "@")
		o := &options{program: []string{filepath.Join(dir, tt.program)}, expressions: []expression{{program: tt.program, function: function, text: text, field: "v"}}}
		b, err := compile(o)
		switch {
		case tt.spec == "work@n = 3" && err == nil:
			t.Error("an assignment is compiled")
		case tt.spec == "work@n = 3":
		case tt.why == "" && (err != nil || len(b) == 0):
			t.Errorf("%s %s: %v", tt.program, tt.spec, err)
		case tt.why != "" && (err == nil || !strings.Contains(err.Error(), tt.why)):
			t.Errorf("%s %s: %v; want %s", tt.program, tt.spec, err, tt.why)
		}
	}
}
