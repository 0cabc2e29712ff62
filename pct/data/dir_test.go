package data

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRoot(t *testing.T) {
	t.Setenv("PCT_DIR", "")
	if got := Root(); got != "/tmp/pct" {
		t.Errorf("without $PCT_DIR: %s", got)
	}
	t.Setenv("PCT_DIR", "/var/x")
	if got := Root(); got != "/var/x" {
		t.Errorf("with $PCT_DIR: %s", got)
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	st, err := os.Lstat(path)
	check(t, err)
	return st.Mode()
}

func TestCreateWithoutPid(t *testing.T) {
	root := t.TempDir()
	for _, want := range []string{"gzip", "gzip.2"} {
		d, err := Create(root, "/usr/bin/gzip", 0)
		check(t, err)
		if filepath.Base(d.Path()) != want {
			t.Errorf("%s, want %s", d.Path(), want)
		}
		check(t, d.Close())
	}
}

func TestCreate(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a", "b")
	for _, c := range []struct{ prog, name string }{
		{"/usr/bin/gzip", "gzip.9"},
		{"gzip", "gzip.9.2"},
		{"gzip", "gzip.9.3"},
		{"", "unnamed.9"},
		{"/", "unnamed.9.2"},
		{"..", "unnamed.9.3"},
		{".hidden", "hidden.9"},
		{"two\nlines", "two_lines.9"},
		{"a\x1b\x7f\u009b\u061c\u202e\u2066\xffü", "a_______ü.9"},
		{strings.Repeat("ü", 150), strings.Repeat("ü", 100) + ".9"},
	} {
		d, err := Create(root, c.prog, 9)
		if err != nil {
			t.Errorf("%q: %v", c.prog, err)
			continue
		}
		if want := filepath.Join(root, c.name); d.Path() != want {
			t.Errorf("%q: %s, want %s", c.prog, d.Path(), want)
		}
		if got := mode(t, d.Path()); got != fs.ModeDir|0o700 {
			t.Errorf("%q: mode %v", c.prog, got)
		}
		check(t, d.Close())
	}
}

func TestCreateInSharedDirectory(t *testing.T) {
	tmp := t.TempDir()
	check(t, os.Chmod(tmp, 0o777|fs.ModeSticky))
	root := filepath.Join(tmp, "pct")
	d, err := Create(root, "p", 1)
	check(t, err)
	if got := mode(t, root); got != fs.ModeDir|fs.ModeSticky|0o777 {
		t.Errorf("root has mode %v", got)
	}
	link := filepath.Join(tmp, "link")
	check(t, os.Symlink(root, link))
	if _, err := Create(link, "p", 1); err == nil || !strings.Contains(err.Error(), "link") {
		t.Errorf("a root that is a link: %v", err)
	}

	// An output that somebody put a link in place of is not written through it.
	outside := filepath.Join(tmp, "outside")
	check(t, os.WriteFile(outside, nil, 0o600))
	check(t, os.Symlink(outside, filepath.Join(d.Path(), "pc")))
	if _, err := d.Append("pc"); err == nil {
		t.Error("an output was opened through a link")
	}
	// The directory is reached by descriptor: moved, it is still the one.
	check(t, os.Rename(d.Path(), filepath.Join(root, "moved")))
	check(t, os.Symlink(outside, d.Path()))
	check(t, d.WriteMeta(Meta{Pid: 1}))
	r, err := Open(filepath.Join(root, "moved"))
	check(t, err)
	if r.Meta.Pid != 1 || len(r.Samples()) != 0 {
		t.Errorf("a run of meta alone: %+v", r)
	}
}

func TestCreateInHomeFollowsLinks(t *testing.T) {
	home := t.TempDir()
	check(t, os.Mkdir(filepath.Join(home, "disk"), 0o700))
	check(t, os.Symlink("disk", filepath.Join(home, "runs")))
	d, err := Create(filepath.Join(home, "runs"), "p", 1)
	check(t, err)
	check(t, d.WriteMeta(Meta{}))
	if _, err := os.Stat(filepath.Join(home, "disk", "p.1", metaFile)); err != nil {
		t.Error(err)
	}
}

func TestAppend(t *testing.T) {
	d, err := Create(t.TempDir(), "p", 1)
	check(t, err)
	for _, text := range []string{"one\n", "two\n"} {
		f, err := d.Append("stack")
		check(t, err)
		_, err = f.WriteString(text)
		check(t, err)
		check(t, f.Close())
	}
	got, err := os.ReadFile(filepath.Join(d.Path(), "stack"))
	check(t, err)
	if string(got) != "one\ntwo\n" {
		t.Errorf("%q", got)
	}
	for _, name := range []string{"", ".", "..", ".x", "a/b", "meta", "paths", "paths.cpu", "paths.x", "tree", "names", "a\x00"} {
		if _, err := d.Append(name); err == nil {
			t.Errorf("%q was taken for a name", name)
		}
	}
	if _, err := d.NewWriter(Header{}); err != nil {
		t.Error(err)
	}
	if _, err := d.NewWriter(Header{}); err == nil {
		t.Error("paths was started twice")
	}
}

// Each resource has a file of its own, named by it.
func TestFilesOfResources(t *testing.T) {
	d, err := Create(t.TempDir(), "/bin/p", 7)
	check(t, err)
	long := "calls:" + strings.Repeat("é", 300)
	for _, c := range []struct{ resource, want string }{
		{"cpu", "paths.cpu"}, {"faults", "paths.faults"}, {"calls:f", "paths.calls:f"}, {"calls:../x", "paths.x"},
		{long, "paths.calls:" + strings.Repeat("é", 17)}, {long + "x", "paths.calls:" + strings.Repeat("é", 17) + ".2"},
	} {
		w, err := d.NewWriter(Header{Resource: c.resource, Unit: "1"})
		check(t, err)
		check(t, w.Close())
		if got := ResourceOf(filepath.Join(d.Path(), c.want)); got != c.resource {
			t.Errorf("%s: %q, want %q", c.want, got, c.resource)
		}
		if _, err := d.NewWriter(Header{Resource: c.resource, Unit: "1"}); err == nil {
			t.Errorf("%q was started twice", c.resource)
		}
	}
	runs, err := OpenAll(d.Path())
	check(t, err)
	if len(runs) != 6 {
		t.Errorf("%d runs", len(runs))
	}
}
