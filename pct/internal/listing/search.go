package listing

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/regular"
	"github.com/profilecollection/pct/internal/visible"
)

// Search finds source files, which may stand elsewhere than where they were compiled.
// The zero Search looks for them there.
type Search struct {
	maps  []prefixMap // longest prefix first
	known map[string]*file
}

type prefixMap struct{ from, to string }

// file is a source file as it was read.
type file struct {
	path  string // where it is
	lines [][]byte
	stat  os.FileInfo
	err   error
}

// Map adds a rule FROM=TO: what was compiled below FROM is now below TO; an empty
// FROM is for files with relative names.
func (s *Search) Map(rule string) error {
	from, to, ok := strings.Cut(rule, "=")
	if !ok || to == "" {
		return fmt.Errorf("want FROM=TO, such as /build/zlib-1.3=/usr/src/zlib-1.3, not %q", rule)
	}
	if from != "" {
		from = filepath.Clean(from)
	}
	s.maps = append(s.maps, prefixMap{from, to})
	slices.SortStableFunc(s.maps, func(a, b prefixMap) int { return cmp.Compare(len(b.from), len(a.from)) })
	return nil
}

// locate returns where a source file should be.
func (s *Search) locate(path string) string {
	for _, m := range s.maps {
		if m.from == "" && !filepath.IsAbs(path) || m.from == path {
			return filepath.Join(m.to, strings.TrimPrefix(path, m.from))
		}
		if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(m.from, "/")+"/"); ok && m.from != "" {
			return filepath.Join(m.to, rest)
		}
	}
	return filepath.Clean(path)
}

// read returns a source file; one that can't be read has an error.
func (s *Search) read(path string) *file {
	if f, ok := s.known[path]; ok {
		return f
	}
	f := &file{path: s.locate(path)}
	if s.known == nil {
		s.known = map[string]*file{}
	}
	s.known[path] = f
	st, err := os.Stat(f.path)
	if err != nil {
		f.err = err
		return f
	}
	f.stat = st
	text, err := regular.ReadFile(f.path)
	if f.err = err; err == nil && len(text) > 0 {
		f.lines = bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	}
	return f
}

// line returns a line of the file, from 1, "" if there is none.
func (f *file) line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	return visible.Source(strings.TrimSuffix(string(f.lines[n-1]), "\r"))
}

// suspect says why the file may not be what objects were compiled from, "" if
// nothing speaks for that.
func (f *file) suspect(objects []string, last int) string {
	if last > len(f.lines) {
		return fmt.Sprintf("%s has %s, but there are samples at line %d: it is not what %s was compiled from",
			f.path, plural(len(f.lines), "line"), last, strings.Join(objects, " or "))
	}
	for _, object := range objects {
		if st, err := os.Stat(object); err == nil && f.stat.ModTime().After(st.ModTime()) {
			return fmt.Sprintf("%s is newer than %s: the numbers may stand at the wrong lines", f.path, object)
		}
	}
	return ""
}
