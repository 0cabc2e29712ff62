package path

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A process of which several resources are measured has a run directory for each: the tree
// names all of them for the one program, but maybe the one that it is in.
func TestSeveralDirectoriesOfAProgram(t *testing.T) {
	for _, root := range []string{"", "dir\t2\t7\tp.7\n"} {
		parent := t.TempDir()
		want := []string{}
		for _, name := range []string{"p.7", "p.7.faults", "p.7.real", "q.8", "q.8.faults", "q.8.real"} {
			dir := filepath.Join(parent, name)
			want = append(want, dir)
			meta := fmt.Sprintf("version=1\npid=%c\nppid=7\nstart=2026-01-02T03:04:05Z\nstate=complete\ntree=p.7\n", name[2])
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "meta"), []byte(meta), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tree := "PCTtree1\nstart\t1\t7\t1\tlaunch\nexec\t1\t7\t/bin/p\tp\t-x\n" + root +
			"dir\t2\t7\tp.7.faults\ndir\t2\t7\tp.7.real\ndir\t3\t7\tp.7.real\n" +
			"start\t4\t8\t7\tfork\nexec\t5\t8\t/bin/q\tq\ndir\t6\t8\tq.8\ndir\t6\t8\tq.8.faults\ndir\t6\t8\tq.8.real\n"
		if err := os.WriteFile(filepath.Join(parent, "p.7", "tree"), []byte(tree), 0o600); err != nil {
			t.Fatal(err)
		}
		if runs, err := Open([]string{want[3], want[0]}); err != nil || runs.Summary().Commands[0] != "p -x" {
			t.Errorf("the first command is not the one that began the tree: %v", err)
		}
		for _, from := range []int{0, 2} {
			got, warnings, err := new(Reader).Descendants([]string{want[from]})
			slices.Sort(got)
			if err != nil || len(warnings) > 0 || !slices.Equal(got, want) {
				t.Errorf("from %s: %v, %v, %v", want[from], got, warnings, err)
			}
		}
	}
}
