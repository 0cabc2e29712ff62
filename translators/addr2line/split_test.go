package addr2line

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/translators"
)

// compileIn compiles a file of testdata in dir, where its .dwo file then is.
func compileIn(t *testing.T, dir, source, output string, flags ...string) {
	t.Helper()
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	compiler := "gcc"
	if strings.HasSuffix(source, ".cc") {
		compiler = "g++"
	}
	cmd := exec.Command(compiler, append(flags, "-O2", "-I", filepath.Join(testdata, "include"), "-o", output, filepath.Join(testdata, source))...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// pack makes a package of the .dwo files of an object.
func pack(t *testing.T, packager, object string) {
	t.Helper()
	cmd := exec.Command(packager, "-e", object, "-o", object+".dwp")
	cmd.Dir = filepath.Dir(object)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", packager, err, out)
	}
}

// What the compiler left in .dwo files is found there, beside the object, and in a
// package of such files; without them there are lines and symbols.
func TestSplit(t *testing.T) {
	for _, c := range []struct{ source, version, packager string }{
		{"chain.c", "-gdwarf-4", "dwp"},
		{"chain.c", "-gdwarf-5", ""},
		{"names.cc", "-gdwarf-4", "dwp"},
		{"names.cc", "-gdwarf-5", "llvm-dwp"}, // dwp doesn't read it
	} {
		t.Run(c.source+" "+c.version, func(t *testing.T) {
			t.Parallel()
			dir, elsewhere := t.TempDir(), t.TempDir()
			compileIn(t, dir, c.source, "whole", c.version)
			compileIn(t, dir, c.source, "split", c.version, "-gsplit-dwarf")
			whole, split := filepath.Join(dir, "whole"), filepath.Join(dir, "split")
			vaddrs := text(t, whole, 1500)
			want := translate(t, whole, vaddrs)
			if deepest(want) < 2 {
				t.Fatal("nothing is inlined")
			}
			check := func(where, object string) {
				t.Helper()
				for i, got := range translate(t, object, vaddrs) {
					if !reflect.DeepEqual(got, want[i]) {
						t.Errorf("%s: 0x%x is %v, want %v", where, vaddrs[i], got, want[i])
					}
				}
			}
			check("where it was compiled", split)
			if c.packager != "" {
				pack(t, c.packager, split)
			}
			dwo, err := filepath.Glob(filepath.Join(dir, "*.dwo"))
			if err != nil || len(dwo) != 1 {
				t.Fatalf("%q, error %v", dwo, err)
			}
			moved, movedDwo := filepath.Join(elsewhere, "moved"), filepath.Join(elsewhere, filepath.Base(dwo[0]))
			copyFile(t, split, moved)
			copyFile(t, dwo[0], movedDwo)
			if err := os.Remove(dwo[0]); err != nil {
				t.Fatal(err)
			}
			check("beside the object", moved)
			if c.packager != "" {
				check("in a package", split)
			}

			// Of another unit, damaged, and nowhere.
			compileIn(t, elsewhere, "chain.c", "other", "-gsplit-dwarf", "-DOTHER")
			other, err := os.ReadFile(filepath.Join(elsewhere, "other-chain.dwo"))
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range [][]byte{other, other[:len(other)/2], nil} {
				if err := os.WriteFile(movedDwo, text, 0o644); err != nil {
					t.Fatal(err)
				}
				for i, got := range translate(t, moved, vaddrs) {
					inner := want[i][0]
					if len(got) != 1 || got[0].File != inner.File || got[0].Line != inner.Line {
						t.Errorf("without: 0x%x is %v, want one frame of %v", vaddrs[i], got, inner)
					}
				}
			}
		})
	}
}

func deepest(answers [][]translators.Location) (depth int) {
	for _, frames := range answers {
		depth = max(depth, len(frames))
	}
	return depth
}

// A package whose index is damaged is as good as none.
func TestDamagedPackage(t *testing.T) {
	dir := t.TempDir()
	compileIn(t, dir, "chain.c", "split", "-gdwarf-4", "-gsplit-dwarf")
	split := filepath.Join(dir, "split")
	pack(t, "dwp", split)
	p, err := object.Map(split + ".dwp")
	if err != nil {
		t.Fatal(err)
	}
	s := p.Section(".debug_cu_index")
	from, size := int(s.Offset), int(s.Size)
	p.Close()
	whole, err := os.ReadFile(split + ".dwp")
	if err != nil {
		t.Fatal(err)
	}
	dwo, err := filepath.Glob(filepath.Join(dir, "*.dwo"))
	if err != nil || len(dwo) != 1 {
		t.Fatalf("%q, error %v", dwo, err)
	}
	if err := os.Remove(dwo[0]); err != nil {
		t.Fatal(err)
	}
	vaddrs := text(t, split, 20)
	for i := range size {
		damaged := append([]byte(nil), whole...)
		damaged[from+i] ^= 0xff
		if err := os.WriteFile(split+".dwp", damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		translate(t, split, vaddrs) // fails if it complains or does not end
	}
}
