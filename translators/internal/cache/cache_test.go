package cache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The files that were used last stay; those of others are let alone.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.most = 100
	now := time.Now()
	for name, age := range map[string]time.Duration{
		"old.answers": 9, "used.answers": 8, "older.nm": 10, "new.nm": 1,
		"somebody's.txt": 20, "left.nm.0.new": 30, "making.nm.1.new": 0,
	} {
		path, at := filepath.Join(dir, name), now.Add(-age*24*time.Hour)
		if err := os.WriteFile(path, []byte(strings.Repeat("x", 30)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if b, ok := d.Load("used.answers"); !ok || len(b) != 30 {
		t.Errorf("%q, %v", b, ok)
	}
	if err := d.Store("stored.answers", []byte(strings.Repeat("y", 20)), []byte(strings.Repeat("z", 20))); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	var left []string
	for _, f := range files {
		left = append(left, f.Name())
	}
	want := "making.nm.1.new new.nm somebody's.txt stored.answers used.answers"
	if got := strings.Join(left, " "); err != nil || got != want {
		t.Errorf("left: %s, want %s; error %v", got, want, err)
	}
	if b, ok := d.Load("stored.answers"); !ok || string(b) != strings.Repeat("y", 20)+strings.Repeat("z", 20) {
		t.Errorf("%q, %v", b, ok)
	}
	if b, ok := d.Load("old.answers"); ok {
		t.Errorf("%q is still there", b)
	}
}
