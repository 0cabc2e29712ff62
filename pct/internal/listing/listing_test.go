package listing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// Whatever stands in a margin, tabs behind it stand where they stood.
func TestMarginKeepsTabs(t *testing.T) {
	for _, rows := range [][][]string{
		{{"1"}, narrowest()},
		{{"1234567"}, {"1"}},
		{{"12.3% ±1.0"}, {""}},
		{{"200", "12.3%", "1.25 ±0.10"}, {"", "", ""}, {"1"}},
	} {
		m := newMargin(rows...)
		width := len([]rune(m.text(nil)))
		if width%tab != 0 {
			t.Errorf("%q: %d columns", rows, width)
		}
		for _, row := range rows {
			if s := m.text(row); len([]rune(s)) != width || !strings.HasSuffix(s, bar) {
				t.Errorf("%q is set as %q, want %d columns", row, s, width)
			}
		}
	}
}

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"zip.c", "/src/lib/zip.c", true},
		{"lib/zip.c", "/src/lib/zip.c", true},
		{"./lib/zip.c", "/src/lib/zip.c", true},
		{"/src/lib/zip.c", "/src/lib/zip.c", true},
		{"b/zip.c", "/src/lib/zip.c", false},
		{"zip.c", "/src/lib/gzip.c", false},
		{"*zip.c", "/src/lib/gzip.c", true},
		{"z?p.*", "/src/lib/zip.c", true},
		{"/src/*.c", "/src/lib/zip.c", true},
		{"*.h", "/src/lib/zip.c", false},
		{"é?", "/src/éa", true},
	} {
		p, err := calltree.ParsePattern(c.pattern)
		if err != nil || matchesFile(p, c.path) != c.want {
			t.Errorf("%s matches %s: %v, %v", c.pattern, c.path, !c.want, err)
		}
	}
	if !matchesFile(calltree.Pattern{}, "any") || !(calltree.Pattern{}).Name("") {
		t.Error("the zero pattern does not match all")
	}
}

func TestSearch(t *testing.T) {
	var s Search
	for _, rule := range []string{"/build=/one", "/build/lib/=/two", "=rel", "/a.c=/b.c"} {
		if err := s.Map(rule); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"/build/x.c":       "/one/x.c",
		"/build/lib/y.c":   "/two/y.c",
		"/builder/x.c":     "/builder/x.c",
		"malloc/malloc.c":  "rel/malloc/malloc.c",
		"/a.c":             "/b.c",
		"/other/../same.c": "/same.c",
	} {
		if got := s.locate(path); got != want {
			t.Errorf("%s is looked for at %s, want %s", path, got, want)
		}
	}
}

func newTestListing(t *testing.T) (*Listing, *[]string) {
	var told []string
	return &Listing{Samples: 100, Weight: 100, Threshold: 0.01, Search: &Search{}, Warn: func(s string) { told = append(told, s) }}, &told
}

// A source is text of anybody's: it does not steer the terminal.
func TestViewOnTerminal(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.c")
	if err := os.WriteFile(file, []byte("hot\x1b[2J\r\n\twarm\ncool\nnone"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, told := newTestListing(t)
	l.Colour = true
	var b strings.Builder
	found := []path.SourceFile{{Path: file, Lines: []path.SourceLine{{Line: 1, Weight: 90, Samples: 90},
		{Line: 2, Weight: 5, Samples: 5}, {Line: 3, Weight: 1, Samples: 1}}, Weight: 96, Samples: 96}}
	err := l.View(&b, found, calltree.Pattern{})
	want := "\n\x1b[1m" + file + ": 96.0%, 96 samples\x1b[m\n  samples line |\n" +
		"\x1b[1;31m       90    1 |hot\\x1b[2J\x1b[m\n" +
		"\x1b[33m        5    2 |\twarm\x1b[m\n" +
		"\x1b[32m        1    3 |cool\x1b[m\n" +
		"             4 |none\n"
	if err != nil || b.String() != want || *told != nil {
		t.Errorf("%v, told %q, got\n%q\nwant\n%q", err, *told, b.String(), want)
	}
}

// A directory is only written to if nobody else's files can be lost there.
func TestCopiesKeepOthers(t *testing.T) {
	source := filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(source, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := []path.SourceFile{{Path: source, Lines: []path.SourceLine{{Line: 1, Weight: 1, Samples: 1}}, Weight: 1, Samples: 1}}
	l, _ := newTestListing(t)
	copies := func(dir string) error {
		_, err := l.Copies(dir, nil, found, calltree.Pattern{})
		return err
	}
	dir := filepath.Join(t.TempDir(), "new", "deep")
	for range 2 {
		if err := copies(dir); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "index.2")); err != nil || string(text) != "     1 |one\n" {
			t.Fatalf("%q, %v", text, err)
		}
	}

	// An index that names files elsewhere takes nothing away.
	victim := filepath.Join(filepath.Dir(dir), "victim")
	for _, name := range []string{victim, filepath.Join(dir, "mine")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := indexHead + "1%\t1\t../victim\tx\n1%\t1\t..\tx\n1%\t1\tindex.2\tx\n"
	if err := os.WriteFile(filepath.Join(dir, indexName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := copies(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{victim, filepath.Join(dir, "mine")} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}

	// Somebody's own index, and a link in place of a copy.
	own := t.TempDir()
	if err := os.WriteFile(filepath.Join(own, indexName), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := copies(own); err == nil || !strings.Contains(err.Error(), "holds other files") {
		t.Errorf("%v", err)
	}
	hostile := t.TempDir()
	if err := os.WriteFile(filepath.Join(hostile, indexName), []byte(indexHead), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(hostile, "index.2")); err != nil {
		t.Fatal(err)
	}
	if err := copies(hostile); err == nil || !strings.Contains(err.Error(), "file exists") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(victim); err != nil || len(text) > 0 {
		t.Errorf("%q, %v", text, err)
	}
}

func TestClock(t *testing.T) {
	for _, s := range []string{"", "0", "-1", "2600", "NaN", "2.6GHz"} {
		if hertz, err := ParseClock(s); err == nil {
			t.Errorf("%q is %g Hz", s, hertz)
		}
	}
	if hertz, err := ParseClock("2.5"); err != nil || hertz != 2.5e9 {
		t.Errorf("%g Hz, %v", hertz, err)
	}
	if hertz, err := Clock(); err != nil || hertz < 1e8 || hertz > 1e11 {
		t.Errorf("%g Hz, %v", hertz, err)
	}
}
