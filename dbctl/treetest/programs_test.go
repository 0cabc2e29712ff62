package treetest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/data"
)

// Real programs that make processes do under dbctl what they do by themselves.
// Each is run in a directory of its own, always the same, for its path may be in
// what it makes; the files that it leaves there are compared, too.
func TestPrograms(t *testing.T) {
	project := []string{"sh", absolute(t, "../bench/target/project.sh"), ".", "40"}
	source := absolute(t, "testdata/targets/waiter.c")
	for name, test := range map[string]struct {
		prepare []string
		argv    []string
		stdin   string
		// anyOrder is set where the order of the output's lines is the scheduler's.
		anyOrder bool
		// programs must be among those that were executed, so many times at least.
		programs map[string]int
	}{
		"make": {prepare: project, argv: []string{"make", "-j4"}, anyOrder: true,
			programs: map[string]int{"make": 1, "cc1": 41, "sum": 1}},
		"make fails":  {prepare: project, argv: []string{"make", "-j2", "-k", "CFLAGS=-Dcalloc=", "part1.o", "part2.o"}, anyOrder: true},
		"shell":       {argv: []string{"sh", script(t, "pipelines.sh"), "."}, programs: map[string]int{"sort": 4}},
		"shell input": {argv: []string{"sh"}, stdin: "seq 3\necho $(echo a | cat)\nexit 8\n"},
		"python":      {argv: []string{"/usr/bin/python3", script(t, "processes.py")}},
		"gcc": {argv: []string{"gcc", "-g", "-O1", "-D_GNU_SOURCE", "-pthread", "-o", "program", source},
			programs: map[string]int{"cc1": 1, "collect2": 1}},
		"gcc pipe": {argv: []string{"gcc", "-pipe", "-g", "-O1", "-D_GNU_SOURCE", "-save-temps=obj", "-c", "-o", "object.o", source}},
		"go":       {argv: []string{"gochild"}, programs: map[string]int{"gochild": 13}},
		"static":   {argv: []string{"rawforks"}},
		"find":     {argv: []string{"find", "/etc", "-maxdepth", "1", "-name", "h*", "-exec", "sh", "-c", "wc -c <$1", "sh", "{}", ";"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "work")
			run := func(do func() result) (result, map[string]string) {
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if test.prepare != nil {
					if r := execute(t, dir, "", test.prepare...); r.status != "exit status 0" {
						t.Fatalf("%v: %+v", test.prepare, r)
					}
				}
				got := do()
				if test.anyOrder {
					got.stdout, got.stderr = sorted(got.stdout), sorted(got.stderr)
				}
				files := filesIn(t, dir)
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
				return got, files
			}
			want, wantFiles := run(func() result { return execute(t, dir, test.stdin, test.argv...) })
			root := t.TempDir()
			got, gotFiles := run(func() result { return profiled(t, root, dir, test.stdin, sampling, test.argv...) })
			if got != want {
				t.Errorf("it did not do as by itself:\n%+v\nwant\n%+v", got, want)
			}
			for path, text := range wantFiles {
				if other, ok := gotFiles[path]; !ok || other != text {
					t.Errorf("its file %s is not as by itself (%d bytes, want %d)", path, len(other), len(text))
				}
			}
			if len(gotFiles) != len(wantFiles) {
				t.Errorf("it left %d files, want %d", len(gotFiles), len(wantFiles))
			}
			executed := programsIn(processesOf(t, root))
			for program, times := range test.programs {
				if executed[program] < times {
					t.Errorf("%s was executed %d times, want at least %d: %v", program, executed[program], times, executed)
				}
			}
		})
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func sorted(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

// filesIn reads the regular files below a directory.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// programsIn counts by name how often programs were executed.
func programsIn(all []data.TreeProcess) map[string]int {
	n := make(map[string]int)
	for _, p := range all {
		for _, program := range p.Programs {
			if !program.Inherited {
				n[filepath.Base(program.Exe)]++
			}
		}
	}
	return n
}
