package listing

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/object"
)

// compile builds a program of three functions in a new directory.
func compile(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "f.c")
	text := `
__attribute__((noinline)) int one(int n) { return n * n + 7; }
__attribute__((noinline)) int two(int n) { int s = 0; while (n--) s += one(n) % 3; return s; }
int main(int argc, char **argv) { return two(argc * 100); }
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "f")
	run(t, "gcc", append([]string{"-o", out, source}, flags...)...)
	return out
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

// A stripped program keeps the borders of its functions.
func TestFunctionsWithoutSymbols(t *testing.T) {
	for _, flags := range [][]string{{"-O0"}, {"-O2"}, {"-O2", "-static"}} {
		program := compile(t, flags...)
		f, err := object.Open(program)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		symbols, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		whole, err := readCode(program, f.BuildID())
		if err != nil {
			t.Fatal(err)
		}
		run(t, "strip", program)
		bare, err := readCode(program, "")
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, s := range symbols {
			if s.Name != "one" && s.Name != "two" && s.Name != "main" {
				continue
			}
			seen++
			want, ok := whole.function(s.Value + s.Size - 1)
			if !ok || want.start != s.Value || want.end < s.Value+s.Size {
				t.Errorf("%v: %s is %#x, its symbol %#x and %d bytes", flags, s.Name, want, s.Value, s.Size)
			}
			if got, ok := bare.function(s.Value + 1); !ok || got != want {
				t.Errorf("%v: %s is %#x without symbols, %#x with", flags, s.Name, got, want)
			}
			code, err := disassemble(program, want)
			if err != nil || len(code) == 0 || code[0].vaddr != want.start {
				t.Fatalf("%v: %s: %v, %v", flags, s.Name, code, err)
			}
			if last := code[len(code)-1]; last.vaddr >= s.Value+s.Size || !strings.HasPrefix(last.text, "ret") && !strings.HasPrefix(last.text, "jmp") && !strings.HasPrefix(last.text, "j") {
				t.Errorf("%v: %s, to %#x, ends with %#x %s", flags, s.Name, s.Value+s.Size, last.vaddr, last.text)
			}
		}
		if seen != 3 {
			t.Errorf("%d functions", seen)
		}
		if of, ok := bare.function(1); ok {
			t.Errorf("there is a function at 1: %#x", of)
		}
	}
}

// A program that was built again is not disassembled.
func TestBuiltAgain(t *testing.T) {
	if _, err := readCode(compile(t, "-Wl,--build-id"), "00ff"); err == nil || err.Error() != "it was built again since" {
		t.Errorf("%v", err)
	}
}

func TestDisassembleFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(name, []byte("no program\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, err := disassemble(name, extent{0, 10}); err == nil || !strings.Contains(err.Error(), "file format not recognized") {
		t.Errorf("%v, %v", code, err)
	}
	if _, err := readCode(name, ""); err == nil {
		t.Error("a text has code")
	}
}
