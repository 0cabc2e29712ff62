package data

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// ReadTables returns the path and the text of the file tables of the run that a run directory belongs to: its own, or
// that of the directory beside it which has the tree. It is an fs.ErrNotExist error if there is none. What the text
// means is known to package table.
func ReadTables(dir string) (path string, text []byte, err error) {
	path = filepath.Join(dir, tablesFile)
	text, err = readRegular(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return path, text, err
	}
	m, _ := ReadMeta(dir)
	if !element(m.Tree) {
		return path, nil, err
	}
	path = filepath.Join(filepath.Dir(filepath.Clean(dir)), m.Tree, tablesFile)
	text, err = readRegular(path)
	return path, text, err
}
