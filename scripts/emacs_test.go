package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Places in the program below, and the numbers of samples that were found there by
// two runs of it.
var hotRuns = []map[string]int{
	{"looping": 6, "after": 3, "bare": 1},
	{"after": 6, "warm": 1, "bare": 1, "start": 2},
}

const hotProgram = `static volatile int sink;

int main(int argc, char **argv)
{
	for (int n = 0; n < argc; n++) {
		__asm__ volatile ("looping: nop");
		sink = n;
		__asm__ volatile ("warm: nop");
		sink = n;
	}
	sink = 1;
	__asm__ volatile ("after: nop");
	return 0;
}
`

// noLines is a part of the program without debug data.
const noLines = `	.text
	.globl nolines
	.type nolines, @function
nolines:
bare:	nop
	ret
start:	nop
	ret
	.size nolines, .-nolines
	.section .note.GNU-stack,"",@progbits
`

// hotRun compiles a program in a new directory, and writes run directories of it,
// hot.1 and hot.2, there.
func hotRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "hot.c"), hotProgram)
	write(t, filepath.Join(dir, "nolines.s"), noLines)
	inDir(t, dir, "gcc", "-c", "nolines.s")
	inDir(t, dir, "gcc", "-O2", "-g", "-o", "hot", "hot.c", "nolines.o")
	object := filepath.Join(dir, "hot")
	for i, at := range hotRuns {
		counts := map[uint64]int{}
		for name, n := range at {
			counts[symbol(t, object, name)] = n
		}
		sampled(t, dir, object, i+1, counts)
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func inDir(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// pctInPath builds pct and its translator, and puts them into PATH.
func pctInPath(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	inDir(t, ".", "go", "build", "-o", filepath.Join(bin, "pct"), "../pct")
	inDir(t, ".", "go", "build", "-o", filepath.Join(bin, "pct-addr2line"), "../tools")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestEmacs compiles pct.el, and runs testdata/pct-tests.el on what was compiled.
func TestEmacs(t *testing.T) {
	pctInPath(t)
	source, err := os.ReadFile("pct.el")
	if err != nil {
		t.Fatal(err)
	}
	lisp := t.TempDir()
	write(t, filepath.Join(lisp, "pct.el"), string(source))
	// In a locale of ASCII, as batch jobs have it.
	t.Setenv("LC_ALL", "C")
	inDir(t, lisp, "emacs", "-Q", "--batch", "--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile", "pct.el")
	tests, err := filepath.Abs("testdata/pct-tests.el")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(inDir(t, hotRun(t), "emacs", "-Q", "--batch", "-L", lisp, "-l", tests, "-f", "ert-run-tests-batch-and-exit"))
}
