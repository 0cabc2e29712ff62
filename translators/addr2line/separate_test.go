package addr2line

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/translators"
)

// split moves the debug information of a program into a file of its own, which
// the program links to by name, and strips the program.
func split(t *testing.T, program, debug string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(debug), 0o755); err != nil {
		t.Fatal(err)
	}
	command(t, "", "objcopy", "--only-keep-debug", program, debug)
	command(t, "", "objcopy", "--strip-all", "--add-gnu-debuglink="+debug, program)
}

// hasLines says whether any frame has a line.
func hasLines(all [][]translators.Location) bool {
	for _, frames := range all {
		for _, f := range frames {
			if f.Line > 0 {
				return true
			}
		}
	}
	return false
}

// Wherever the debug information is, the answers are those of the program
// before it was taken out.
func TestSeparateDebugFile(t *testing.T) {
	const byName, byID = "-O2 -g -Wl,--build-id=none", "-O2 -g -Wl,--build-id=sha1"
	for _, c := range []struct {
		name, flags string
		place       func(t *testing.T, program, root string) // takes the debug information out
	}{
		{"beside", byName, func(t *testing.T, program, root string) {
			split(t, program, filepath.Join(filepath.Dir(program), "program.debug"))
		}},
		{"in .debug", byName, func(t *testing.T, program, root string) {
			split(t, program, filepath.Join(filepath.Dir(program), ".debug", "program.debug"))
		}},
		{"below the root by path", byName, func(t *testing.T, program, root string) {
			split(t, program, filepath.Join(root, filepath.Dir(program), "program.debug"))
		}},
		{"behind a symbolic link", byName, func(t *testing.T, program, root string) {
			real := filepath.Join(t.TempDir(), "real", "program")
			copyFile(t, program, real)
			split(t, real, filepath.Join(filepath.Dir(real), "program.debug"))
			if err := os.Remove(program); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(real, program); err != nil {
				t.Fatal(err)
			}
		}},
		{"below the root by build-id", byID, func(t *testing.T, program, root string) {
			id := idOf(t, program)
			split(t, program, filepath.Join(root, ".build-id", id[:2], id[2:]+".debug"))
		}},
		{"compressed", byID + " -gz=zlib", func(t *testing.T, program, root string) {
			id := idOf(t, program)
			split(t, program, filepath.Join(root, ".build-id", id[:2], id[2:]+".debug"))
		}},
		{"compressed the old way", "-gdwarf-4 " + byName, func(t *testing.T, program, root string) {
			command(t, "", "objcopy", "--compress-debug-sections=zlib-gnu", program)
			split(t, program, filepath.Join(filepath.Dir(program), "program.debug"))
		}},
		{"by dwz, in itself", byID, func(t *testing.T, program, root string) {
			command(t, "", "dwz", program)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, root := build(t, "names.cc", c.flags), t.TempDir()
			vaddrs := text(t, program, 800)
			want := translate(t, program, vaddrs, "-debug-dir", root)
			if !hasLines(want) {
				t.Fatal("no lines before the split")
			}
			c.place(t, program, root)
			got := translate(t, program, vaddrs, "-debug-dir", t.TempDir(), "-debug-dir", root)
			for i := range got {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("0x%x: %v, before the split %v", vaddrs[i], got[i], want[i])
				}
			}
		})
	}
}

func idOf(t *testing.T, path string) string {
	t.Helper()
	f, err := object.Map(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if id := f.BuildID(); len(id) == 40 {
		return id
	}
	t.Fatalf("%s has no build-id", path)
	return ""
}

// dwz puts what two programs have in common into a third file.
func TestSupplement(t *testing.T) {
	for _, c := range []struct{ name, flags, dwz string }{
		{"GNU", "-O2 -gdwarf-4 -Wl,--build-id=sha1", ""},
		{"GNU, DWARF 5", "-O2 -gdwarf-5 -Wl,--build-id=sha1", ""},
		{"standard", "-O2 -gdwarf-5 -Wl,--build-id=sha1", "-5 --dwarf-5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, two := build(t, "names.cc", c.flags), build(t, "names.cc", c.flags+" -DOTHER")
			dir := t.TempDir()
			vaddrs := text(t, one, 800)
			want := translate(t, one, vaddrs)
			common := filepath.Join(dir, "common.debug")
			argv := append([]string{"dwz", "-m", common, "-M", common}, strings.Fields(c.dwz)...)
			command(t, "", append(argv, one, two)...)
			before, err := os.Stat(common)
			if err != nil || before.Size() == 0 {
				t.Fatalf("dwz made no common file: %v", err)
			}
			if got := translate(t, one, vaddrs); !reflect.DeepEqual(got, want) {
				for i := range got {
					if !reflect.DeepEqual(got[i], want[i]) {
						t.Fatalf("0x%x: %v, before dwz %v", vaddrs[i], got[i], want[i])
					}
				}
			}
			// Without it the lines are still there; the names are the symbols'.
			if err := os.Rename(common, common+".away"); err != nil {
				t.Fatal(err)
			}
			got := translate(t, one, vaddrs)
			if reflect.DeepEqual(got, want) {
				t.Fatal("the supplement holds nothing of use")
			}
			for i := range got {
				if got[i][0].Line != want[i][0].Line {
					t.Fatalf("0x%x: %v, with the supplement %v", vaddrs[i], got[i], want[i])
				}
			}
		})
	}
}

// Debug information of another build is as good as none.
func TestDebugFileOfAnotherBuild(t *testing.T) {
	for _, flags := range []string{"-Wl,--build-id=none", "-Wl,--build-id=sha1"} {
		program := build(t, "chain.c", "-O2 -g "+flags)
		other := build(t, "chain.c", "-O1 -g "+flags)
		debug := filepath.Join(filepath.Dir(program), "program.debug")
		vaddrs := text(t, program, 100)
		split(t, program, debug)
		command(t, "", "objcopy", "--only-keep-debug", other, debug)
		if got := translate(t, program, vaddrs, "-debug-dir", t.TempDir()); hasLines(got) {
			t.Errorf("%s: lines of another build", flags)
		}
	}
}

// With a build-id in the request, only that build is used: the file at the path,
// or else what is installed of it.
func TestBuildIDOfRequest(t *testing.T) {
	program, root := build(t, "chain.c", "-O2 -g -Wl,--build-id=sha1"), t.TempDir()
	id := idOf(t, program)
	vaddr := symbolsOf(t, program)["main"].Value
	ask := func(id string) (string, string) {
		t.Helper()
		var out, errs bytes.Buffer
		in := strings.NewReader(program + "\t0x" + hexa(vaddr) + "\t" + id + "\n")
		if status := Run([]string{"-debug-dir", root}, in, &out, &errs); status != 0 {
			t.Fatalf("status %d: %s", status, &errs)
		}
		return out.String(), errs.String()
	}
	want, _ := ask("")
	if !strings.Contains(want, "chain.c|") {
		t.Fatalf("answer %q", want)
	}
	for _, same := range []string{id, strings.ToUpper(id)} {
		if got, errs := ask(same); got != want || errs != "" {
			t.Errorf("with its build-id: %q, %q, want %q", got, errs, want)
		}
	}
	if got, errs := ask("00" + id[2:]); got != "?|?|?\n" || !strings.Contains(errs, "another build than was profiled") {
		t.Errorf("with another build-id: %q, %q", got, errs)
	}
	debug := filepath.Join(root, ".build-id", id[:2], id[2:]+".debug")
	split(t, program, debug)
	copyFile(t, build(t, "chain.c", "-O0 -Wl,--build-id=sha1"), program)
	if got, errs := ask(id); got != want || errs != "" {
		t.Errorf("built again, with the debug file of the first build: %q, %q, want %q", got, errs, want)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if got, errs := ask(id); got != want || errs != "" {
		t.Errorf("removed, with the debug file: %q, %q, want %q", got, errs, want)
	}
}

// Offsets of 64 bits: no other reader here knows them all.
func TestDWARF64(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		narrow := build(t, "names.cc", "-O2 "+version)
		wide := build(t, "names.cc", "-O2 -gdwarf64 "+version)
		vaddrs := text(t, narrow, 800)
		if got, want := translate(t, wide, vaddrs), translate(t, narrow, vaddrs); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: not as with 32 bits", version)
		}
	}
}

// A file without section headers is known by its build-id, as collectors know it, and its functions
// by the segment with their call frame information.
func TestWithoutSectionHeaders(t *testing.T) {
	program := build(t, "chain.c", "-O1 -Wl,--build-id")
	id, start := idOf(t, program), symbolsOf(t, program)["main"].Value
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint64(b[0x28:], 0) // e_shoff
	binary.LittleEndian.PutUint32(b[0x3c:], 0) // e_shnum, e_shstrndx
	if err := os.WriteFile(program, b, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{id, strings.ToUpper(id)} {
		in := strings.NewReader(fmt.Sprintf("%s\t0x%x\t%s\n", program, start+1, id))
		var out, errs bytes.Buffer
		want := fmt.Sprintf("program+0x%x|?|?\n", start)
		if status := Run(nil, in, &out, &errs); status != 0 || errs.Len() > 0 || out.String() != want {
			t.Errorf("status %d: %s%s, want %s", status, &errs, &out, want)
		}
	}
}
