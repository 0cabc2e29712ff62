package data

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/object"
)

// Pointers are named as the data say, or by the symbols of the files that ran, and of no others.
func TestPointees(t *testing.T) {
	dir := t.TempDir()
	program, source := filepath.Join(dir, "program"), filepath.Join(dir, "program.cc")
	check(t, os.WriteFile(source, []byte("namespace ns { int table[4] = { 1 }; }\nint twice(int n) { return 2 * n; }\nint main() { return twice(ns::table[0]); }\n"), 0o600))
	if out, err := exec.Command("g++", "-O0", "-Wl,--build-id", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := object.Open(program)
	check(t, err)
	defer f.Close()
	symbols, err := f.Symbols()
	check(t, err)
	at := map[string]elf.Symbol{}
	for _, s := range symbols {
		at[s.Name] = s
	}
	const bias = 0x10000
	table, twice := at["_ZN2ns5tableE"].Value+bias, at["_Z5twicei"].Value+bias
	p := &pointees{given: map[uint64]string{8: "given+4"}, objects: []Object{{}, {Path: program, BuildID: f.BuildID(), Bias: bias}}}
	for _, c := range []struct{ got, want string }{
		{p.Data(table), "ns::table"}, {p.Data(table + 8), "ns::table+8"},
		{p.Function(twice), "twice(int)"}, {p.Data(twice + 1), "twice(int)+1"}, {p.Data(8), "given+4"}, {p.Data(0), ""}, {p.Data(1<<64 - 1), ""},
		{(&pointees{objects: []Object{{Path: program, Bias: bias}}, start: time.Now().Add(time.Hour)}).Data(table), "ns::table"},
		{(&pointees{objects: []Object{{Path: program, Bias: bias}}, start: time.Now().Add(-time.Hour)}).Data(table), ""},
		{(&pointees{objects: []Object{{Path: program, BuildID: "ab12", Bias: bias}}}).Data(table), ""},
		{(&pointees{objects: []Object{{Path: filepath.Join(dir, "absent"), BuildID: "ab12"}}}).Data(table), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
