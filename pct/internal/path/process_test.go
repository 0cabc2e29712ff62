package path

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// TestOneProcess counts processes: one that executed several programs is one, and so
// is each of those that had the same number one after another.
func TestOneProcess(t *testing.T) {
	root := t.TempDir()
	moment := func(s int) time.Time { return time.Unix(1000+int64(s), 0) }
	run := func(prog string, m data.Meta) string { return aRun(t, root, prog, m, time.Millisecond) }
	meta := func(pid, ppid, start, end int) data.Meta {
		m := data.Meta{Pid: pid, Ppid: ppid, Host: "h", Start: moment(start), State: "complete"}
		if end > 0 {
			m.End = moment(end)
		}
		return m
	}
	dirs := []string{
		run("b", meta(7, 1, 10, 20)), // executed by a
		run("a", meta(7, 1, 5, 10)),
		run("a", meta(7, 1, 100, 110)), // the number again
		run("c", meta(7, 2, 20, 21)),   // and by another parent
		run("d", meta(8, 1, 20, 0)),    // its collector was killed
		run("e", meta(8, 1, 30, 31)),
		run("f", data.Meta{Pid: 7}), // nothing is known of it
		run("g", data.Meta{}),
		run("h", data.Meta{}),
	}
	runs, err := Open(dirs)
	check(t, err)
	s := runs.Summary()
	if s.Processes != 7 || s.Programs != len(dirs) {
		t.Errorf("%d processes of %d programs, want 7 of %d", s.Processes, s.Programs, len(dirs))
	}
	for i, want := range []string{"b.7", "b.7", "a.7.2", "c.7", "e.8", "e.8", "f.7", "g", "h"} {
		if got := runs.all[i].process.name; got != want {
			t.Errorf("%s is of process %s, want %s", dirs[i], got, want)
		}
	}
	// A copy elsewhere is another process.
	other := t.TempDir()
	check(t, os.CopyFS(filepath.Join(other, "a.7"), os.DirFS(dirs[1])))
	if runs, err = Open([]string{dirs[0], filepath.Join(other, "a.7")}); err != nil || runs.Summary().Processes != 2 {
		t.Errorf("%+v, %v", runs.Summary(), err)
	}
}

// TestOffsets has the runs of a tree be on one clock.
func TestOffsets(t *testing.T) {
	root := t.TempDir()
	start := time.Unix(1000, 0)
	first := aRun(t, root, "a", data.Meta{Pid: 7, Start: start.Add(time.Second), Tree: "a.7"}, 0, time.Second)
	second := aRun(t, root, "b", data.Meta{Pid: 8, Start: start.Add(5 * time.Second), Tree: "a.7"}, 0, time.Second)
	aRun(t, root, "c", data.Meta{Pid: 9, Start: start.Add(9 * time.Second), Tree: "no.1"}, 0, time.Second)
	tree := "PCTtree1\nstart\t1000000000000\t7\t1\tlaunch\nstart\t1002000000000\t8\t7\tfork\ndir\t1\t8\tb.8\n"
	check(t, os.WriteFile(filepath.Join(first, "tree"), []byte(tree), 0o600))
	t.Chdir(root)
	// The tree does not say that a.7 is of process 7, nor does it know when it began exactly.
	rows, _, err := new(Reader).Lineage([]string{"a.7"}, start)
	check(t, err)
	if len(rows) != 2 || rows[0].Samples != 2 || rows[1].Samples != 2 || rows[1].Depth != 1 {
		t.Errorf("%+v", rows)
	}
	dirs, _, err := new(Reader).Descendants([]string{"./a.7/paths.cpu"})
	check(t, err)
	if len(dirs) != 2 || dirs[0] != "a.7" || dirs[1] != second {
		t.Errorf("descendants %q", dirs)
	}
	runs, err := Open([]string{"a.7", second, "c.9", filepath.Join("b.8", "paths.cpu")})
	check(t, err)
	if len(runs.Warnings) > 0 {
		t.Errorf("warnings %q", runs.Warnings)
	}
	for _, c := range []struct {
		window string
		want   int
	}{{"0,1", 1}, {"1,3", 3}, {"5,7", 4}, {"2,3", 1}, {"3,5", 0}} {
		if n := count(t, runs, c.window); n != c.want {
			t.Errorf("%s holds %d samples, want %d (a at 1 and 2, b twice at 5 and 6, c, without its tree, at 0 and 1)", c.window, n, c.want)
		}
	}
}
