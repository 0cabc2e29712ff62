package translators

import (
	"bytes"
	"github.com/profilecollection/pct/internal/object"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// sources are the files that Default may read to answer for an object, whether they
// exist or not; false if there are others that are not known without reading it all.
func sources(file, buildID string) ([]string, bool) {
	s := &sourceFiles{known: true}
	for _, path := range append(object.Installed().BuildFiles(buildID), file) {
		s.add(path)
	}
	return s.all, s.known
}

type sourceFiles struct {
	all   []string
	known bool
}

// add adds a file, and those that it names.
func (s *sourceFiles) add(path string) {
	if slices.Contains(s.all, path) {
		return
	}
	s.all = append(s.all, path)
	f, err := object.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	s.all = append(s.all, path+".dwp")
	finder := object.Installed()
	for _, each := range [][]string{finder.BuildFiles(f.BuildID()), finder.LinkedFiles(f), finder.SupplementFiles(f)} {
		for _, path := range each {
			s.add(path)
		}
	}
	// Units that are left out of the object are in files that it names somewhere.
	if f.Section(".zdebug_addr") != nil {
		s.known = false
	} else if f.Section(".debug_addr") != nil {
		for _, section := range []string{".debug_info", ".debug_str", ".debug_line_str"} {
			if bytes.Contains(f.Content(section), []byte(".dwo\x00")) {
				s.known = false
			}
		}
	}
	if _, err := exec.LookPath("xz"); err != nil && f.Section(".gnu_debugdata") != nil {
		s.known = false // it can be installed
	}
}

// A stamp changes whenever a file does.
type stamp struct {
	present           bool
	inode             uint64
	size              int64
	modified, changed int64 // ns since 1970
}

// stampOf is that of a file.
type stampOf struct {
	path string
	stamp
}

func stampFile(path string) stamp {
	st, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	s := stamp{present: true, size: st.Size(), modified: st.ModTime().UnixNano()}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		s.inode, s.changed = sys.Ino, sys.Ctim.Nano()
	}
	return s
}

func stampFiles(paths []string) []stampOf {
	all := make([]stampOf, len(paths))
	for i, path := range paths {
		all[i] = stampOf{path, stampFile(path)}
	}
	return all
}

// same reports whether none of the files has changed since.
func same(stamps []stampOf) bool {
	return !slices.ContainsFunc(stamps, func(s stampOf) bool { return stampFile(s.path) != s.stamp })
}
