package unwind_test

import (
	"debug/elf"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// functions reads the functions of an ELF file.
func functions(t *testing.T, path string) []elf.Symbol {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(symbols, func(s elf.Symbol) bool { return elf.ST_TYPE(s.Info) != elf.STT_FUNC })
}

// callers names the functions of an object on the path of a sample, the innermost first.
func callers(r *data.Run, at data.NodeID, object string, symbols []elf.Symbol) []string {
	var names []string
	for ; at != 0; at = r.Nodes[at].Parent {
		n := r.Nodes[at]
		for _, s := range symbols {
			if r.Objects[n.Object].Path == object && n.Vaddr >= s.Value && n.Vaddr < s.Value+s.Size {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// The whole library for aarch64, preloaded in an emulator.
func TestLibraryOnAarch64(t *testing.T) {
	lib := filepath.Join(t.TempDir(), "aarch64")
	if out, err := exec.Command("make", "-s", "-C", "../..", "CC=aarch64-linux-gnu-gcc", "OUT="+lib, lib+"/libpct.so").CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, out)
	}
	if err := compile("paths-aarch64", "aarch64-linux-gnu-gcc", "-O2", "-fomit-frame-pointer", "-Wno-infinite-recursion", "../../test/testdata/paths.c", "-ldl", "-lpthread"); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(built, "paths-aarch64")
	symbols := functions(t, program)
	for _, tt := range []struct {
		mode, path string // arguments, and how most paths end, the innermost function first
	}{
		{"ratio", "work twice ratio main"},
		{"deep 2000", strings.Repeat("down ", 2001) + "main"},
		{"handler", "on_alternative_stack interrupted main"},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			chance.Test(t, func(d *chance.Draw) {
				dir := t.TempDir()
				args := []string{"-L", "/usr/aarch64-linux-gnu", "-E", "PCT=s r1 q4000", "-E", "PCT_DIR=" + dir, "-E", "LD_PRELOAD=" + lib + "/libpct.so", program}
				cmd := exec.Command("qemu-aarch64", append(args, strings.Fields(tt.mode)...)...)
				cmd.Stderr = os.Stderr
				if out, err := cmd.Output(); err != nil || string(out) != "done\n" {
					t.Fatalf("%q, %v", out, err)
				}
				dirs, _ := filepath.Glob(dir + "/*/paths.*")
				if len(dirs) != 1 {
					t.Fatalf("files of calls: %v", dirs)
				}
				r, err := data.Open(filepath.Dir(dirs[0]))
				if err != nil || len(r.Damage) > 0 {
					t.Fatal(err, r.Damage)
				}
				var all, partial, on uint64
				for _, s := range r.Samples() {
					all += s.Count
					if s.Partial {
						partial += s.Count
					}
					names := strings.Join(callers(r, s.Node, program, symbols), " ")
					if strings.HasPrefix(names, tt.path) {
						on += s.Count
					}
				}
				if all < 20 || on*2 < all {
					t.Errorf("%d samples, %d partial, %d on %.100s", all, partial, on, tt.path)
				}
				one := float64(all) / 100
				d.Check(chance.Quantity{Name: "partial paths", Got: max(float64(partial), one), Want: one, Error: math.Sqrt(one),
					Why: fmt.Sprintf("one in a hundred of %d samples at most, by Poisson's error: of slow machines there are few samples", all)})
			})
		})
	}
}
