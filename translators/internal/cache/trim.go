package cache

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	mostBytes = 256 << 20 // of all files of a directory
	usedAgain = 24 * time.Hour
	newSuffix = ".new"
	newWithin = time.Hour // that a file may be in the making
)

// suffixes are those of the files that are kept here. The directory may have others.
var suffixes = []string{".nm", ".answers"}

// trim removes the files that were not used for the longest time until the others
// are few enough, and what processes left behind that were killed. Other processes may
// do the same, or use the files: they have them open, or do without.
func (d *Dir) trim() {
	dir, err := d.root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return
	}
	var kept []os.FileInfo
	var sum int64
	for _, e := range entries {
		st, err := e.Info()
		switch {
		case err != nil || !st.Mode().IsRegular():
		case slices.Contains(suffixes, filepath.Ext(e.Name())):
			kept = append(kept, st)
			sum += st.Size()
		case strings.HasSuffix(e.Name(), newSuffix) && time.Since(st.ModTime()) > newWithin:
			_ = d.root.Remove(e.Name())
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, st := range kept {
		if sum <= d.most {
			return
		}
		if d.root.Remove(st.Name()) == nil {
			sum -= st.Size()
		}
	}
}
