package path

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
)

// answering is a translator that knows a name for every address, or none.
type answering bool

func (a answering) TranslateBuild(_, _ string, vaddrs []uint64) ([][]translators.Location, error) {
	all := make([][]translators.Location, len(vaddrs))
	for i, v := range vaddrs {
		all[i] = []translators.Location{{}}
		if a {
			all[i] = []translators.Location{{Func: fmt.Sprint("f", v/64), File: "/src/f.c", Line: int(v % 64)}}
		}
	}
	return all, nil
}

// endedRun makes a run that has ended, with samples at so many addresses of an object.
func endedRun(t *testing.T, addresses int) string {
	d, err := data.Create(t.TempDir(), "prog", 1)
	check(t, err)
	check(t, d.WriteMeta(data.Meta{Version: data.Version, State: "complete", Pid: 1}))
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs"})
	check(t, err)
	o := w.Object("/no/such/prog", "ab12", 0, 0, 0, 0)
	for i := range addresses {
		check(t, w.Sample(data.Sample{Node: w.Node(0, o, uint64(16*i)), Weight: 1, Count: 1, Untimed: true}))
	}
	check(t, w.Close())
	return d.Path()
}

// keep keeps the names of a run, and returns the bytes that were allocated.
func keep(t *testing.T, dir string) uint64 {
	t.Helper()
	runs, err := OpenApart([]string{dir})
	check(t, err)
	check(t, runs.BeginToKeep())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	check(t, runs.Keep(answering(true)))
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Twice the addresses take twice the work, and twice the file.
func TestKeepScales(t *testing.T) {
	var size, allocated [2]uint64
	for i, n := range []int{20000, 40000} {
		dir := endedRun(t, n)
		allocated[i] = keep(t, dir)
		st, err := os.Stat(filepath.Join(dir, "names"))
		check(t, err)
		size[i] = uint64(st.Size())
		if most := uint64(30 * n); size[i] > most {
			t.Errorf("%d addresses take %d bytes, more than %d", n, size[i], most)
		}
	}
	for what, of := range map[string][2]uint64{"the file": size, "memory": allocated} {
		if ratio := float64(of[1]) / float64(of[0]); ratio > 2.5 {
			t.Errorf("of twice the addresses %s is %.1f times as large: %v", what, ratio, of)
		}
	}
}

// removing is a translator while whose answers somebody removes a run directory's files.
type removing string

func (r removing) TranslateBuild(path, build string, vaddrs []uint64) ([][]translators.Location, error) {
	entries, err := os.ReadDir(string(r))
	for _, e := range entries {
		err = errors.Join(err, os.Remove(filepath.Join(string(r), e.Name())))
	}
	all, _ := answering(true).TranslateBuild(path, build, vaddrs)
	return all, err
}

// Who removes a directory whose names are being kept meets no entry that was not there when that began.
func TestKeepInRemovedDirectory(t *testing.T) {
	dir := endedRun(t, 3)
	runs, err := OpenApart([]string{dir})
	check(t, err)
	check(t, runs.BeginToKeep())
	if err := runs.Keep(removing(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("names were kept: %v", err)
	}
	check(t, os.Remove(dir))
}

// A keeper that was killed leaves a part: the next one replaces it. A link in its place is not followed.
// Directories that can't be written keep nothing, and names are never changed.
func TestKeepAfterAll(t *testing.T) {
	dir := endedRun(t, 3)
	victim := filepath.Join(t.TempDir(), "victim")
	check(t, os.WriteFile(victim, nil, 0o600))
	check(t, os.Symlink(victim, filepath.Join(dir, "names")))
	keep(t, dir)
	if b, err := os.ReadFile(victim); err != nil || len(b) > 0 {
		t.Errorf("the file behind a link is %q, %v", b, err)
	}
	check(t, os.Remove(filepath.Join(dir, "names")))
	check(t, os.WriteFile(filepath.Join(dir, "names"), append([]byte("\x00CTnames1\n"), make([]byte, 1000)...), 0o600))
	names := func() string {
		t.Helper()
		runs, err := Open([]string{dir})
		check(t, err)
		s, err := runs.Select(nil, nil)
		check(t, err)
		p, err := s.Flat(answering(false), Options{Granularity: Line})
		check(t, err)
		return text(p)
	}
	if got, want := names(), "1 1 /no/such/prog:0x0\n1 1 /no/such/prog:0x10\n1 1 /no/such/prog:0x20\n"; got != want {
		t.Errorf("before: %s, want %s", got, want)
	}
	keep(t, dir)
	const want = "1 1 /no/such/prog:f0\n1 1 /src/f.c:16\n1 1 /src/f.c:32\n"
	if got := names(); got != want {
		t.Errorf("kept: %s, want %s", got, want)
	}
	whole, err := data.ReadNames(dir)
	check(t, err)
	for n := range whole {
		check(t, os.WriteFile(filepath.Join(dir, "names"), whole[:n], 0o600))
		if got := names(); got == want {
			t.Fatalf("names are taken from %d bytes of %d", n, len(whole))
		}
	}
	keep(t, dir) // it has a file: it is left alone
	if b, err := data.ReadNames(dir); err != nil || len(b) != len(whole)-1 {
		t.Errorf("a file of names was changed: %d bytes, %v", len(b), err)
	}
}
