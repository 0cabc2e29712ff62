package listing

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/internal/regular"
	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// The index is the list of the copies in a directory: lines SHARE SAMPLES COPY
// SOURCE, separated by tabs; a COPY of "-" says that there is none. Lines that begin
// with # tell about the data, the first that the directory is ours.
const (
	indexName = "index"
	indexHead = "# copies of source files by pct annotate\n"
	noCopy    = "-"
)

// Copies writes whole copies of the source files that the pattern matches to the
// directory dir, each with its margin and under its base name, and an index, which
// begins with head. The directory must be new or empty, or hold older copies, which
// go. It returns the number of copies.
func (l *Listing) Copies(dir string, head []byte, found []path.SourceFile, pattern calltree.Pattern) (int, error) {
	all := l.sources(found, pattern)
	if len(all) == 0 && pattern.String() != "" {
		return 0, noneMatches("source file", pattern)
	}
	if err := prepare(dir); err != nil {
		return 0, err
	}
	var index bytes.Buffer
	index.WriteString(indexHead)
	index.Write(head)
	fmt.Fprintf(&index, "# margin: %s\n# share\tsamples\tcopy\tsource\n", strings.Join(l.titles(), ", "))
	taken := map[string]bool{indexName: true}
	copies := map[string]*source{}
	for _, s := range all {
		name := noCopy
		if s.file.err == nil {
			name = unique(taken, visible.Source(filepath.Base(s.file.path)))
			copies[name] = s
		}
		fmt.Fprintf(&index, "%.1f%%\t%d\t%s\t%s\n", 100*l.share(s.amount), s.samples, name, visible.Source(s.file.path))
	}
	// First the index: by it the directory is known as ours, whatever happens next.
	if err := create(filepath.Join(dir, indexName), index.Bytes()); err != nil {
		return 0, err
	}
	for name, s := range copies {
		if err := l.copy(filepath.Join(dir, name), s); err != nil {
			return 0, err
		}
	}
	return len(copies), nil
}

// copy writes a file with the margin before each line, so that lines keep their
// numbers.
func (l *Listing) copy(to string, s *source) error {
	rows := make([][]string, len(s.file.lines))
	for i := range rows {
		rows[i] = l.lineCells(s, i+1)
	}
	m := newMargin(append(rows, narrowest())...)
	var b bytes.Buffer
	for i, row := range rows {
		b.WriteString(m.text(row))
		b.Write(s.file.lines[i])
		b.WriteByte('\n')
	}
	return create(to, b.Bytes())
}

// unique returns a name that is not taken yet: NAME, NAME.2, NAME.3.
func unique(taken map[string]bool, name string) string {
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s.%d", name, i)
	}
	taken[free] = true
	return free
}

// prepare makes a directory for copies, and takes older ones away.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	index := filepath.Join(dir, indexName)
	f, _, err := regular.Open(index)
	if errors.Is(err, fs.ErrNotExist) {
		return foreign(dir)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	if !lines.Scan() || lines.Text()+"\n" != indexHead {
		return foreign(dir)
	}
	for lines.Scan() {
		columns := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(lines.Text(), "#") || len(columns) != 4 {
			continue
		}
		name := columns[2]
		if name == noCopy || name == "." || name == ".." || name != filepath.Base(name) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return os.Remove(index)
}

func foreign(dir string) error {
	return fmt.Errorf("%s holds other files, which copies could overwrite: give a new directory, an empty one, or that of older copies", dir)
}

// create writes a new file; it never follows a link or replaces a file.
func create(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// cause is an error without the path that the sentence around it names.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
