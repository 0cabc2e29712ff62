package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Addresses on stacks differ from run to run; names of the C library's functions, and their arguments, depend on where its
// debug data are.
var (
	ofStacks = regexp.MustCompile(`0x7f[0-9a-f]{10}`)
	ofThread = regexp.MustCompile(` <- start_thread\b.*`)
	ofReturn = regexp.MustCompile(`\b__restore_rt\b`)
)

// The library and dbctl tell the same of the arguments of the same call paths: with recursion, inlined functions, tail calls,
// signals and threads, and of what the program does not keep.
func TestArgumentsAlike(t *testing.T) {
	for _, build := range []string{
		"gcc -O0 arguments.c", "gcc -O1 arguments.c", "gcc -O2 arguments.c", "gcc -O2 -gdwarf-4 -fomit-frame-pointer arguments.c",
		"clang -O0 arguments.c", "clang -O2 arguments.c", "g++ -O0 arguments.cc", "g++ -O2 arguments.cc",
	} {
		t.Run(build, func(t *testing.T) {
			dir := t.TempDir()
			words := strings.Fields(build)
			source, err := filepath.Abs(filepath.Join("testdata", words[len(words)-1]))
			if err != nil {
				t.Fatal(err)
			}
			words = append(words[:len(words)-1], "-g", "-no-pie", "-o", filepath.Join(dir, "arguments"), source, "-lpthread")
			if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			paths := func(root string, byLibrary bool, options ...string) []string {
				args := append(options, "-args", "-F", "1000", "-threshold", "5%", "-o", filepath.Join(dir, root), "./arguments", "5000000")
				cmd := exec.Command(filepath.Join(prefix, "bin", "profile"), args...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				metas, _ := filepath.Glob(filepath.Join(dir, root, "*", "meta"))
				if len(metas) != 1 {
					t.Fatalf("%d run directories", len(metas))
				}
				if meta, err := os.ReadFile(metas[0]); err != nil || strings.Contains(string(meta), "\ncollector=libpct\n") != byLibrary {
					t.Fatalf("not by the library, or by it: %v\n%s", err, meta)
				}
				var all []string
				for line := range strings.Lines(string(out)) {
					_, path, found := strings.Cut(strings.TrimSpace(line), "%   ")
					if !found {
						continue
					}
					path = ofReturn.ReplaceAllString(ofThread.ReplaceAllString(ofStacks.ReplaceAllString(path, "STACK"), ""), "??")
					all = append(all, path)
				}
				slices.Sort(all)
				return all
			}
			library, dbctl := paths("library", true), paths("dbctl", false, "-gdb")
			if !slices.Equal(library, dbctl) || len(library) < 3 {
				t.Errorf("the library:\n%s\ndbctl:\n%s", strings.Join(library, "\n"), strings.Join(dbctl, "\n"))
			}
			if hidden := ", n=2) <- main("; build == "gcc -O0 arguments.c" && !strings.Contains(strings.Join(library, "\n"), hidden) {
				t.Errorf("no call path has %q, whose parameter a variable hides", hidden)
			}
			t.Log("\n" + strings.Join(library, "\n"))
		})
	}
}
