package data

import (
	"path/filepath"
	"strings"
)

// The first resource that a process was measured by has the file calls, each other one calls.NAME.
const (
	callsFile   = "calls"
	otherPrefix = callsFile + "."
)

// OpenAll is Open for a directory in which one process was measured by several resources
// at once: a run for each that consumed something, all of the same Dir, whose headers tell
// them apart. It returns one run at least. The samples are packed.
func OpenAll(dir string) ([]*Run, error) {
	first, others, err := openFirst(dir)
	if first == nil {
		return nil, err
	}
	runs := []*Run{first}
	for _, name := range others {
		r, _ := open(dir)
		r.addFiles([]string{name}, false)
		runs = append(runs, r)
	}
	return runs, err
}

// ofFirstResource splits the names of a directory's files: the first resource's are those of
// its file of call paths, and all that hold something else.
func ofFirstResource(dir string, names []string) (first, others []string) {
	resource, found := "", false
	if t, err := readCallTree(filepath.Join(dir, callsFile)); err == nil {
		resource, found = t.header.Resource, true
	}
	for _, name := range names {
		if strings.HasPrefix(name, otherPrefix) {
			if t, err := readCallTree(filepath.Join(dir, name)); err == nil && (found && t.header.Resource != resource) {
				others = append(others, name)
				continue
			} else if err == nil {
				resource, found = t.header.Resource, true
			}
		}
		first = append(first, name)
	}
	return first, others
}
