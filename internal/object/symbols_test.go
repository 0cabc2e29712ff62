package object

import (
	"os"
	"path/filepath"
	"testing"
)

// assemble makes a program of assembly.
func assemble(t testing.TB, source string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	program, name := filepath.Join(dir, "program"), filepath.Join(dir, "program.S")
	if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, append([]string{"gcc", "-nostdlib", "-static", "-o", program, name}, args...)...)
	return program
}

// aliases has, of each function, names of which the first is the best.
const aliases = `
	.text
	.section .note.GNU-stack, "", @progbits
	.text
	.globl _start
	.type _start, @function
_start:	ret
	.size _start, 1
	.macro name bind name
	.\bind \name
	.type \name, @function
	.set \name, 1b
	.size \name, 8
	.endm
1:	.skip 8, 0x90	# fewer underscores count more than a global symbol
	name local plain
	name globl _plain
	name globl __a
1:	.skip 8, 0x90	# global before weak before local, whatever the letters
	name local a_local
	name weak b_weak
	name globl z_global
1:	.skip 8, 0x90
	name local c_local
	name weak z_weak
1:	.skip 8, 0x90	# then the letters
	name globl second
	name globl first
1:	.skip 8, 0x90	# an inner function ends, and the outer one goes on
	name globl outer
	.size outer, 24
1:	.skip 8, 0x90
	name globl inner
	.skip 8, 0x90
1:	.skip 8, 0x90	# one without a size ends where the next begins
	name globl unsized
	.size unsized, 0
	.skip 8, 0x90
label:	.skip 8, 0x90
	.globl versioned
	.type versioned, @function
versioned: .skip 8, 0x90
	.size versioned, 8
`

// All who ask for the name of an address get the same one.
func TestNames(t *testing.T) {
	f := open(t, assemble(t, aliases))
	symbols := ReadSymbols(nil, f)
	at := map[string]uint64{}
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		at[s.Name] = s.Value
	}
	for _, tt := range []struct {
		symbol string
		offset uint64
		want   string
	}{
		{"__a", 0, "plain"}, {"__a", 7, "plain"},
		{"b_weak", 3, "z_global"},
		{"c_local", 3, "z_weak"},
		{"second", 0, "first"},
		{"outer", 7, "outer"}, {"outer", 8, "inner"}, {"outer", 15, "inner"}, {"outer", 16, "outer"}, {"outer", 23, "outer"},
		{"unsized", 0, "unsized"}, {"unsized", 15, "unsized"},
		{"label", 1, "unsized"}, // which no function begins behind
		{"versioned", 7, "versioned"},
	} {
		if at[tt.symbol] == 0 {
			t.Fatalf("no symbol %s", tt.symbol)
		}
		y := symbols.Find(at[tt.symbol] + tt.offset)
		if y == nil || symbols.Name(y) != tt.want {
			t.Errorf("%s+%d: %+v, want %s", tt.symbol, tt.offset, y, tt.want)
		}
	}
	if y := symbols.Find(at["versioned"] + 8); y != nil {
		t.Errorf("behind the last function is %s", symbols.Name(y))
	}
	last := Symbol{}
	for _, y := range symbols.Functions {
		if y.Low < last.Low || y.Low == last.Low && CompareNames(symbolName(symbols.names, last.name), last.bind, symbolName(symbols.names, y.name), y.bind) > 0 {
			t.Errorf("%s comes before %s", symbols.Name(&last), symbols.Name(&y))
		}
		last = y
	}
}

// Whatever a file holds, its symbols are read to an end, and answer for any address.
func FuzzSymbols(f *testing.F) {
	small, err := os.ReadFile(assemble(f, aliases, "-Wl,-z,noseparate-code", "-Wl,--build-id"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small, uint64(0x400100))
	f.Add(small[:512], uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, vaddr uint64) {
		g, err := Parse("fuzzed", data)
		if err != nil {
			return
		}
		symbols := ReadSymbols(g)
		if y := symbols.Find(vaddr); y != nil && (vaddr < y.Low || vaddr >= y.High || symbols.Name(y) == "") {
			t.Errorf("%#x is in %+v", vaddr, y)
		}
		if y, ok := ReadPointees(g).Find(vaddr); ok != (y.Name != "") || y.Offset > vaddr {
			t.Errorf("%#x is in %+v", vaddr, y)
		}
		g.BuildID()
		g.FunctionSymbols()
		g.DynamicNames()
		g.GoSymbols()
		g.Executable(vaddr)
		g.Code(vaddr, vaddr+16)
		g.Load(make([]byte, 16), vaddr)
		g.Bias(vaddr, vaddr>>12)
		g.Extent()
		Finder{}.LinkedFiles(g)
		Finder{}.SupplementFiles(g)
	})
}
