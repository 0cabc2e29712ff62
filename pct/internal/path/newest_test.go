package path

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

func TestNewest(t *testing.T) {
	root := t.TempDir()
	at := func(second int) time.Time { return time.Unix(int64(1000+second), 0) }
	run := func(prog string, pid, ppid int, start, end int, resource, tree string) string {
		t.Helper()
		d, err := data.Create(t.TempDir(), prog, pid)
		if err != nil {
			t.Fatal(err)
		}
		m := data.Meta{Pid: pid, Ppid: ppid, Start: at(start), State: "complete", Tree: tree}
		if end > 0 {
			m.End = at(end)
		}
		if err := errors.Join(d.WriteMeta(m), d.Close()); err != nil {
			t.Fatal(err)
		}
		return former(t, d.Path(), root, resource)
	}
	want := func(dirs ...string) {
		t.Helper()
		if got, err := Newest(root); err != nil || !slices.Equal(got, dirs) {
			t.Errorf("%v, %v; want %v", got, err, dirs)
		}
	}
	var none *NoRuns
	if _, err := Newest(root); !errors.As(err, &none) {
		t.Errorf("where there is none: %v", err)
	}
	if _, err := Newest(filepath.Join(root, "nowhere")); !errors.As(err, &none) {
		t.Errorf("no root: %v", err)
	}
	want2 := run("old", 7, 1, 0, 100, "", "")
	want(want2)
	// A process, its child, and what the child executes.
	sh := run("sh", 10, 1, 10, 50, "", "")
	a := run("a", 11, 10, 20, 30, "", "")
	b := run("b", 11, 10, 30, 40, "", "")
	run("a", 11, 10, 20, 30, "faults", "")
	want(sh, a, b)
	// The number of the shell was used again.
	again := run("later", 12, 10, 60, 61, "", "")
	want(again)
	// A tree, whose processes are one run, whatever their parents.
	first := run("make", 20, 1, 70, 90, "", "make.20")
	cc := run("cc", 22, 21, 75, 80, "", "make.20")
	want(first, cc)
	// One that has no end yet.
	alive := run("server", 30, 1, 95, 0, "", "")
	worker := run("worker", 31, 30, 99, 0, "", "")
	want(alive, worker)
}
