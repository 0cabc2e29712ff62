package path

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// former moves a run directory with one resource to where it would have been formerly, and returns its path.
func former(t *testing.T, dir, root, suffix string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "paths.*"))
	check(t, err)
	for _, file := range files {
		check(t, os.Rename(file, filepath.Join(dir, "paths")))
	}
	base := filepath.Join(root, filepath.Base(dir))
	if suffix != "" {
		base += "." + suffix
	}
	path := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); err != nil {
			break
		}
		path = fmt.Sprintf("%s.%d", base, n)
	}
	check(t, os.Rename(dir, path))
	return path
}

// The former directory of a process's first resource may have the tree and no samples: that is no further program, and
// nothing that was measured of this resource.
func TestResourceWithoutSamples(t *testing.T) {
	root := t.TempDir()
	meta := data.Meta{Pid: 7, Exe: "/bin/d", Host: "h", Start: time.Unix(1000, 0), CPU: time.Second, State: "detached", Tree: "d.7"}
	write := func(m data.Meta, suffix, resource string, samples int) string {
		d, err := data.Create(t.TempDir(), "d", m.Pid)
		check(t, err)
		check(t, d.WriteMeta(m))
		w, err := d.NewWriter(data.Header{Resource: resource, Unit: "µs", Period: 10 * time.Millisecond, Start: m.Start})
		check(t, err)
		node := w.Node(0, w.Object("/bin/d", "", 0, 0, 0x100, 0), atMain)
		for range samples {
			check(t, w.Sample(data.Sample{Node: node, Weight: 1}))
		}
		check(t, w.Close())
		check(t, d.Close())
		return former(t, d.Path(), root, suffix)
	}
	dirs := []string{write(meta, "", "faults", 0), write(meta, "real", "real", 3)}
	for _, resource := range []string{"real", ""} {
		runs, err := new(Reader).OpenResource(dirs, resource)
		check(t, err)
		if s := runs.Summary(); s.Programs != 1 || s.Processes != 1 || s.Samples != 3 || s.CPU != time.Second {
			t.Errorf("-r %s: %+v", resource, s)
		}
	}
	var other *OtherResource
	if runs, err := new(Reader).OpenResource(dirs, "faults"); !errors.As(err, &other) {
		t.Errorf("faults: %v, %v", runs, err)
	}

	// What the process executed is another program, and it counts even if it has no sample of anything.
	meta.Start = meta.Start.Add(time.Second)
	dirs = append(dirs, write(meta, "", "faults", 0), write(meta, "real", "real", 0))
	runs, err := new(Reader).OpenResource(dirs, "real")
	check(t, err)
	if s := runs.Summary(); s.Programs != 2 || s.Samples != 3 {
		t.Errorf("with an exec: %+v", s)
	}
}
