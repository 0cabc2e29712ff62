package path

import (
	"errors"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/data"
)

// The directory of a process's first resource may have the tree and no samples: that is no further program, and
// nothing that was measured of this resource.
func TestResourceWithoutSamples(t *testing.T) {
	root := t.TempDir()
	meta := data.Meta{Pid: 7, Exe: "/bin/d", Host: "h", Start: time.Unix(1000, 0), CPU: time.Second, State: "detached", Tree: "d.7"}
	write := func(m data.Meta, suffix, resource string, samples int) string {
		d, err := data.CreateFor(root, "d", m.Pid, suffix)
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
		return d.Path()
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
