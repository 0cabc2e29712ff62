package addr2line

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profilecollection/pct/translators"
)

// A language is a program of testdata, what it is compiled with, and what names of
// its functions have to be among the answers.
type language struct {
	name    string
	sources []string
	build   func(t *testing.T, dir, program string)
	own     string   // pattern of the symbols of its own functions
	names   []string // with debug information, inlined ones included
	symbols []string // when that is stripped
}

func compile(argv ...string) func(t *testing.T, dir, program string) {
	return func(t *testing.T, dir, program string) {
		t.Helper()
		cmd := exec.Command(argv[0], append(argv[1:], "-o", program)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", argv, err, out)
		}
	}
}

var languages = []language{
	{
		name: "C", sources: []string{"chain.c", "include/square.h"}, build: compile("gcc", "-O2", "-g", "-Iinclude", "chain.c"),
		own:     `^(mix|each|biased|text|main)\b`,
		names:   []string{"main", "mix", "cube", "square", "each", "biased", "text"},
		symbols: []string{"main", "mix", "each", "text"},
	},
	{
		name: "C++", sources: []string{"names.cc"}, build: compile("g++", "-O2", "-g", "names.cc"),
		own: `^(main$|_ZN5outer|_ZL5local|_Z7largest)`,
		names: []string{"main", "outer::v2::Counter::add", "outer::v2::Counter::twice", "outer::(anonymous namespace)::hidden_inlined",
			"outer::v2::Counter::operator|=", "largest<int>", "local"},
		symbols: []string{"main", "outer::v2::Counter::add", "largest<int>", "local"},
	},
	{
		name: "Fortran", sources: []string{"heat.f90"}, build: compile("gfortran", "-O2", "-g", "heat.f90"),
		own:     `^(MAIN__|main|outside_|__grid_MOD_)`,
		names:   []string{"heat", "main", "outside", "grid::cell_warm", "grid::energy", "grid::energy::part"},
		symbols: []string{"MAIN__", "main", "outside_", "grid::cell_warm", "grid::energy"},
	},
	{
		name: "Ada", sources: []string{"ada/work.adb", "ada/shapes.adb", "ada/shapes.ads"},
		build:   compile("gnatmake", "-q", "-O2", "-g", "ada/work.adb"),
		own:     `^(_ada_work|main|shapes__(area|grow|inner__twice|Oadd))$`,
		names:   []string{"work", "main", "shapes.area", "shapes.area.square", "shapes.grow", "shapes.inner.twice", `shapes."+"`},
		symbols: []string{"work", "main", "shapes.area", "shapes.grow", "shapes.inner.twice", `shapes."+"`, `shapes."="`, "shapes___elabb"},
	},
	{
		name: "Rust", sources: []string{"tree.rs"}, build: compile("rustc", "-O", "-g", "tree.rs"),
		own: `^_ZN4tree|tree..shapes..Square.*4area17h|28__rust_begin_short_backtrace17h`,
		names: []string{"tree::main", "tree::mix", "tree::step", "tree::shapes::largest",
			"<tree::shapes::Square as tree::shapes::Area>::area", "std::sys::backtrace::__rust_begin_short_backtrace"},
		symbols: []string{"tree::main", "tree::mix", "tree::shapes::largest", "<tree::shapes::Square as tree::shapes::Area>::area",
			"std::sys::backtrace::__rust_begin_short_backtrace"},
	},
	{
		name: "Rust, v0 names", sources: []string{"tree.rs"},
		build: compile("rustc", "-O", "-g", "-C", "symbol-mangling-version=v0", "tree.rs"),
		own:   `^_R.*_4tree(3mix|4main|6shapes7largest)|^_RNvX.*4Area4area$`,
		names: []string{"tree::main", "tree::mix", "tree::step", "tree::shapes::largest::<tree::shapes::Square>",
			"<tree::shapes::Square as tree::shapes::Area>::area"},
		symbols: []string{"tree::main", "tree::mix", "tree::shapes::largest::<tree::shapes::Square>",
			"<tree::shapes::Square as tree::shapes::Area>::area"},
	},
	{
		name: "Go", sources: []string{"tree.go.txt"},
		build: func(t *testing.T, dir, program string) {
			t.Helper()
			if err := os.Rename(filepath.Join(dir, "tree.go.txt"), filepath.Join(dir, "tree.go")); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("go", "build", "-o", program, "tree.go")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		},
		own: `^main\.`,
		names: []string{"main.main", "main.double", "main.(*square).area", "main.each", "main.main.func1", "main.main.func2",
			"main.largest[go.shape.*uint8]"},
		symbols: []string{"main.main", "main.(*square).area", "main.each", "main.main.func2", "main.largest[go.shape.*uint8]"},
	},
}

// compiled returns the program of a language.
func (l language) compiled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, s := range l.sources {
		copyFile(t, filepath.Join("testdata", s), filepath.Join(dir, s))
	}
	program := filepath.Join(dir, "program")
	l.build(t, dir, program)
	return program
}

// Functions and lines of every instruction of a program's own functions, inlined
// ones included, are those that addr2line or gdb tells; without lines and without symbols what
// is left is right as well.
func TestLanguages(t *testing.T) {
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			program := l.compiled(t)
			vaddrs := l.instructions(t, program)
			ours := translate(t, program, vaddrs)
			wantNames(t, ours, l.names)
			if l.name == "Go" { // whose lines addr2line doesn't read
				againstGdb(t, program, vaddrs, ours)
			} else {
				newReference(t, program, program).compare(vaddrs, ours)
			}

			lines := program + ".lines"
			command(t, "", "strip", "--strip-debug", "-o", lines, program)
			wantNames(t, translate(t, lines, starts(t, program)), l.symbols)

			stripped := program + ".stripped"
			command(t, "", "strip", "-o", stripped, program)
			if l.name == "Go" {
				wantGoTable(t, vaddrs, translate(t, stripped, vaddrs), ours)
				return
			}
			for i, frames := range translate(t, stripped, vaddrs) {
				if len(frames) != 1 || !regexp.MustCompile(`^program\.stripped\+0x[0-9a-f]+$|^main$`).MatchString(frames[0].Func) {
					t.Errorf("stripped: 0x%x is %v, %v with all", vaddrs[i], frames, ours[i])
				}
			}
		})
	}
}

// wantGoTable holds what is known of a stripped Go program against what its debug data say: the line of
// the instruction, and the function that it is in.
func wantGoTable(t *testing.T, vaddrs []uint64, stripped, whole [][]translators.Location) {
	t.Helper()
	for i, frames := range stripped {
		outer := whole[i][len(whole[i])-1]
		if len(frames) != 1 || frames[0].Func != outer.Func || frames[0].Line != whole[i][0].Line || frames[0].File != whole[i][0].File {
			t.Errorf("stripped: 0x%x is %v, %v with all", vaddrs[i], frames, whole[i])
		}
	}
}

// Stripped Go programs have their names however they are linked: also where C stands before Go's code,
// and where addresses are relocated.
func TestStrippedGo(t *testing.T) {
	const program = `package main

// static int twice(int x) { return 2*x; }
import "C"

//go:noinline
func work(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s ^= i
	}
	return s
}

func main() { println(work(100) + int(C.twice(3))) }
`
	for name, how := range map[string]struct {
		c     bool
		flags []string
	}{
		"plain": {}, "PIE": {flags: []string{"-buildmode=pie"}}, "cgo": {c: true}, "cgo PIE": {c: true, flags: []string{"-buildmode=pie"}},
		"external PIE": {flags: []string{"-buildmode=pie", "-ldflags=-linkmode=external"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, text := t.TempDir(), program
			if !how.c {
				text = strings.NewReplacer("import \"C\"\n", "", "int(C.twice(3))", "3").Replace(text)
			}
			if err := os.WriteFile(dir+"/p.go", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			command(t, "", append(append([]string{"go", "build"}, how.flags...), "-o", dir+"/p", dir+"/p.go")...)
			command(t, "", "strip", "-o", dir+"/stripped", dir+"/p")
			l := language{own: `^main\.(work|main|init)|^runtime\.(printint|main|goexit0)$`}
			vaddrs := l.instructions(t, dir+"/p")
			wantGoTable(t, vaddrs, translate(t, dir+"/stripped", vaddrs), translate(t, dir+"/p", vaddrs))
		})
	}
}

// starts returns the addresses of all functions.
func starts(t *testing.T, program string) []uint64 {
	t.Helper()
	var all []uint64
	for _, s := range symbolsOf(t, program) {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value != 0 {
			all = append(all, s.Value)
		}
	}
	return all
}

// instructions returns the addresses of the instructions of a program's own
// functions.
func (l language) instructions(t *testing.T, program string) []uint64 {
	t.Helper()
	own := regexp.MustCompile(l.own)
	var all []uint64
	in, functions := false, 0
	for line := range strings.Lines(command(t, "", "objdump", "-dw", "--no-show-raw-insn", program)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), " <"); ok && strings.HasSuffix(name, ">:") {
			if in = own.MatchString(strings.TrimSuffix(name, ">:")); in {
				functions++
			}
			continue
		}
		hex, text, ok := strings.Cut(strings.TrimSpace(line), ":\t")
		if addr, err := strconv.ParseUint(hex, 16, 64); in && ok && err == nil && !strings.Contains(text, "nop") && text != "xchg   %ax,%ax" && text != "int3" {
			all = append(all, addr)
		}
	}
	if functions < 3 {
		t.Fatalf("%d functions of the program's own", functions)
	}
	return all
}

// wantNames says which names are missing.
func wantNames(t *testing.T, answers [][]translators.Location, names []string) {
	t.Helper()
	var got []string
	for _, frames := range answers {
		for _, f := range frames {
			if !slices.Contains(got, f.Func) {
				got = append(got, f.Func)
			}
		}
	}
	for _, name := range names {
		if !slices.Contains(got, name) {
			slices.Sort(got)
			t.Errorf("no %s among %d names:\n%s", name, len(got), strings.Join(got[:min(len(got), 60)], "\n"))
		}
	}
}

// againstGdb holds the place of each instruction, and its outermost function,
// against what gdb says of it.
func againstGdb(t *testing.T, program string, vaddrs []uint64, ours [][]translators.Location) {
	t.Helper()
	gdb, err := translators.Start([]string{gdbline})
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := gdb.Translate(program, vaddrs)
	if err != nil {
		t.Fatal(err)
	}
	if err := gdb.Close(); err != nil {
		t.Error(err)
	}
	same := 0
	for i := range vaddrs {
		if equal(ours[i], theirs[i]) {
			same++
		} else {
			t.Errorf("0x%x: %v, gdb says %v", vaddrs[i], ours[i], theirs[i])
		}
	}
	t.Logf("%d of %d are the same", same, len(vaddrs))
}

func equal(ours, theirs []translators.Location) bool {
	if len(ours) != len(theirs) {
		return false
	}
	for i := range ours {
		if ours[i].Line != theirs[i].Line || filePath(ours[i]) != filePath(theirs[i]) {
			return false
		}
	}
	return true
}
