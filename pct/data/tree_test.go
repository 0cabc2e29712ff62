package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var treeTime = time.Unix(1700000000, 5)

// at is so many milliseconds after the start of the tests' trees.
func at(ms int) time.Time { return treeTime.Add(time.Duration(ms) * time.Millisecond) }

// newTree starts a tree in a run directory, which it returns, too.
func newTree(t testing.TB) (*TreeWriter, string) {
	t.Helper()
	d, err := Create(t.TempDir(), "prog", 7)
	check(t, err)
	w, err := d.NewTree()
	check(t, err)
	if _, err := d.NewTree(); err == nil {
		t.Error("a tree was started twice")
	}
	check(t, d.Close())
	return w, d.Path()
}

// family writes a tree with every kind of line and returns what a reader must find.
func family(t testing.TB, w *TreeWriter) []TreeProcess {
	t.Helper()
	argv := []string{"sh", "-c", "a\tb\\c\nd\xff", ""}
	for _, err := range []error{
		w.Start(at(0), 7, 6, "launch"),
		w.Mode(at(0), 7, "followed"),
		w.Exec(at(1), 7, "/bin/sh", argv),
		w.Mode(at(1), 7, "sampled"),
		w.Start(at(2), 8, 7, "fork"),
		w.Dir(at(2), 7, "sh.7"),
		w.Start(at(3), 9, 8, "vfork"),
		w.Exec(at(3), 9, "/bin/su", nil),
		w.Mode(at(3), 9, "setuid"),
		w.End(at(4), 8, 3*time.Millisecond, 2, 1, "signal SIGKILL"),
		w.Exec(at(5), 7, "/bin/p", []string{"p"}),
		w.Dir(at(5), 7, "p.7"),
		w.Start(at(6), 8, 7, "clone"), // the number is used again
		w.Close(),
	} {
		check(t, err)
	}
	return []TreeProcess{
		{Pid: 7, Ppid: 6, How: "launch", Start: at(0), Parent: -1, Programs: []TreeProgram{
			{Start: at(1), Exe: "/bin/sh", Argv: argv, Mode: "sampled", Dir: "sh.7"},
			{Start: at(5), Exe: "/bin/p", Argv: []string{"p"}, Mode: "sampled", Dir: "p.7"},
		}},
		{Pid: 8, Ppid: 7, How: "fork", Start: at(2), End: at(4), CPU: 3 * time.Millisecond, Samples: 2, Lost: 1,
			Parent: 0, Status: "signal SIGKILL", Programs: []TreeProgram{{Start: at(2), Inherited: true, Exe: "/bin/sh", Argv: argv}}},
		{Pid: 9, Ppid: 8, How: "vfork", Start: at(3), Parent: 1, Programs: []TreeProgram{
			{Start: at(3), Inherited: true, Exe: "/bin/sh", Argv: argv},
			{Start: at(3), Exe: "/bin/su", Argv: []string{}, Mode: "setuid"},
		}},
		{Pid: 8, Ppid: 7, How: "clone", Start: at(6), Programs: []TreeProgram{
			{Start: at(6), Inherited: true, Exe: "/bin/p", Argv: []string{"p"}},
		}},
	}
}

func compareTrees(t *testing.T, got, want []TreeProcess) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d processes, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
}

func TestTreeRoundTrip(t *testing.T) {
	w, dir := newTree(t)
	want := family(t, w)
	got, err := ReadTree(dir)
	check(t, err)
	compareTrees(t, got, want)
}

// TestTornTree cuts a tree after every byte: what a reader finds while it is
// being written, or after its writer was killed.
func TestTornTree(t *testing.T) {
	w, dir := newTree(t)
	family(t, w)
	file := filepath.Join(dir, "tree")
	src, err := os.ReadFile(file)
	check(t, err)
	for size := range src {
		check(t, os.Truncate(file, int64(len(src)-size)))
		processes, err := ReadTree(dir)
		whole := src[len(src)-size-1] == '\n'
		var damage *DamagedTree
		if whole != (err == nil) || !whole && (!errors.As(err, &damage) || !damage.Torn || len(damage.Lines) > 0) {
			t.Fatalf("cut to %d bytes: %v", len(src)-size, err)
		}
		if want := strings.Count(string(src[:strings.LastIndexByte(string(src[:len(src)-size]), '\n')+1]), "\nstart"); len(processes) != want {
			t.Fatalf("cut to %d bytes: %d processes, want %d", len(src)-size, len(processes), want)
		}
	}
	check(t, os.Truncate(file, 0))
	if _, err := ReadTree(dir); err == nil {
		t.Error("an empty file is a whole tree")
	}
}

func TestDamagedTree(t *testing.T) {
	w, dir := newTree(t)
	want := family(t, w)
	file := filepath.Join(dir, "tree")
	src, err := os.ReadFile(file)
	check(t, err)
	lines := strings.SplitAfter(string(src), "\n")
	for _, bad := range []string{
		"", "start", "start\t1\t5\t4", "start\t1\tx\t4\tfork", "start\tx\t5\t4\tfork", "start\t1\t-5\t4\tfork", "start\t1\t5\tx\tfork",
		"exec\t1\t7", "dir\t1\t7\t../x", "mode\t1\t7", "dir\t1\t7", "end\t1\t7\t1\t1\t1", "end\t1\t7\tx\t1\t1\texit 0", "end\t1\t7\t1\t-1\t1\texit 0",
		"mode\t1\t5\tsampled", `exec	1	7	\y`, "\x00\x00",
	} {
		damaged := lines[0] + lines[1] + bad + "\n" + strings.Join(lines[2:], "") + bad + "\n"
		check(t, os.WriteFile(file, []byte(damaged), 0o600))
		got, err := ReadTree(dir)
		var damage *DamagedTree
		if !errors.As(err, &damage) || !reflect.DeepEqual(damage.Lines, []int{3, len(lines) + 1}) || damage.Torn {
			t.Errorf("%q: %v", bad, err)
		}
		compareTrees(t, got, want)
	}
	// What a later version may add is passed over.
	later := lines[0] + "freeze\t1\t7\twhy\n" + strings.Join(lines[1:], "") + "mode\t1\t9\tsetuid\tmore\n"
	check(t, os.WriteFile(file, []byte(later), 0o600))
	got, err := ReadTree(dir)
	check(t, err)
	compareTrees(t, got, want)

	check(t, os.WriteFile(file, []byte("PCTtree2\nstart\n"), 0o600))
	if got, err := ReadTree(dir); err == nil || got != nil {
		t.Errorf("a tree of another version: %v, %v", got, err)
	}
	check(t, os.Remove(file))
	if _, err := ReadTree(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no tree: %v", err)
	}
}

// TestTreeReadWhileWritten reads a tree again and again while it grows: each
// reader sees a beginning of it.
func TestTreeReadWhileWritten(t *testing.T) {
	const processes = 3000
	w, dir := newTree(t)
	written := make(chan error, 1)
	go func() {
		for pid := 1; pid <= processes; pid++ {
			err := errors.Join(
				w.Start(at(pid), pid, pid-1, "fork"),
				w.Exec(at(pid), pid, "/bin/p", []string{"p", strings.Repeat("x", pid%5000)}),
				w.End(at(pid), pid, time.Duration(pid), uint64(pid), 0, "exit 0"))
			if err != nil {
				written <- err
				return
			}
		}
		written <- w.Close()
	}()
	for done, seen := false, 0; !done; {
		select {
		case err := <-written:
			check(t, err)
			done = true
		default:
		}
		writing := TreeWriting(dir)
		all, err := ReadTree(dir)
		var damage *DamagedTree
		if err != nil && (!errors.As(err, &damage) || len(damage.Lines) > 0 || done) {
			t.Fatal(err)
		}
		if done && writing {
			t.Fatal("the tree is taken for one that is being written, though it was closed")
		}
		if len(all) < seen || done && len(all) != processes {
			t.Fatalf("%d processes, %d before", len(all), seen)
		}
		seen = len(all)
		for i, p := range all {
			if p.Pid != i+1 || i+1 < len(all) && (p.Samples != uint64(p.Pid) || len(p.Programs) != 2 || len(p.Programs[1].Argv[1]) != p.Pid%5000) {
				t.Fatalf("process %d of %d: %+v", i, len(all), p)
			}
		}
	}
}

// TestAttachedTree has the processes that were there already in any order.
func TestAttachedTree(t *testing.T) {
	w, dir := newTree(t)
	for _, err := range []error{
		w.Start(at(0), 9, 8, "attach"), w.Start(at(0), 7, 1, "attach"), w.Start(at(0), 8, 7, "attach"),
		w.Start(at(0), 11, 12, "attach"), w.Start(at(0), 12, 11, "attach"), w.Start(at(0), 13, 13, "attach"), // nonsense
		w.Dir(at(0), 8, "p.8"), w.Exec(at(0), 8, "/bin/p", []string{"p"}),
		w.Start(at(1), 7, 8, "fork"), // the number is used again
	} {
		check(t, err)
	}
	processes, err := ReadTree(dir)
	check(t, err)
	if !TreeWriting(dir) {
		t.Error("the tree is not taken for one that is being written")
	}
	check(t, w.Close())
	var parents []int
	for _, p := range processes {
		parents = append(parents, p.Parent)
	}
	if want := []int{2, -1, 1, -1, 3, -1, 2}; !reflect.DeepEqual(parents, want) {
		t.Errorf("parents %v, want %v", parents, want)
	}
	if p := processes[2].Programs; len(p) != 1 || p[0].Dir != "p.8" || p[0].Exe != "/bin/p" {
		t.Errorf("programs %+v", p)
	}
	for _, c := range []struct{ dir, tree, want string }{
		{"/tmp/pct/p.8", "p.7", "/tmp/pct/p.7"}, {"/tmp/pct/p.7/", "p.7", "/tmp/pct/p.7"},
		{"/tmp/pct/p.8", "", ""}, {"/tmp/pct/p.8", "../p.7", ""}, {"/tmp/pct/p.8", "..", ""},
	} {
		if got := (Meta{Tree: c.tree}).TreeDir(c.dir); got != c.want {
			t.Errorf("tree %q of %s: %q, want %q", c.tree, c.dir, got, c.want)
		}
	}
}

// TestTreeDiskFull writes to a file that takes no more: nothing of the line stays.
func TestTreeDiskFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	check(t, err)
	w := &TreeWriter{file: full}
	if err := w.Start(at(0), 1, 0, "launch"); err == nil || w.size != 0 {
		t.Errorf("a line was written to a full disk: %v, %d bytes", err, w.size)
	}
	check(t, w.Close())
}

func FuzzTree(f *testing.F) {
	w, dir := newTree(f)
	family(f, w)
	file := filepath.Join(dir, "tree")
	src, err := os.ReadFile(file)
	check(f, err)
	f.Add(strings.TrimPrefix(string(src), treeMagic+"\n"))
	f.Add("start\t0\t1\t2\tattach\nstart\t0\t2\t1\tattach\n")
	f.Add("end\t1\t2\nstart\t1\t2\t2\t\nexec\t0\t2\t")
	f.Fuzz(func(t *testing.T, text string) {
		processes, damage := decodeTree(text)
		lines := strings.Count(text, "\n")
		if len(damage.Lines) > lines || len(processes) > lines || damage.Torn != (text != "" && !strings.HasSuffix(text, "\n")) {
			t.Fatalf("%d processes of %d lines: %+v", len(processes), lines, damage)
		}
		for _, p := range processes {
			steps := 0
			for up := p.Parent; up >= 0 && steps < len(processes); up = processes[up].Parent {
				steps++
			}
			if p.Pid <= 0 || len(p.Programs) == 0 || steps >= len(processes) {
				t.Fatalf("%+v", p)
			}
		}
	})
}
