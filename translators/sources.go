package translators

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"github.com/profilecollection/pct/internal/regular"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
)

// debugRoot is where distributions install separate debug information.
const debugRoot = "/usr/lib/debug"

// sources are the files that Default may read to answer for an object, whether they
// exist or not; false if there are others that are not known without reading it all.
func sources(object, buildID string) ([]string, bool) {
	s := &sourceFiles{known: true}
	s.byBuildID(buildID)
	s.add(object)
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
	f, err := regular.OpenELF(path)
	if err != nil {
		return
	}
	defer f.Close()
	s.all = append(s.all, path+".dwp")
	s.byBuildID(BuildID(f.File))
	dirs := []string{filepath.Dir(path)}
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Dir(real) != dirs[0] {
		dirs = append(dirs, filepath.Dir(real))
	}
	if name, _, ok := cutName(content(f.File, ".gnu_debuglink")); ok {
		for _, dir := range dirs {
			base := filepath.Base(name)
			s.add(filepath.Join(dir, base))
			s.add(filepath.Join(dir, ".debug", base))
			s.add(filepath.Join(debugRoot, dir, base))
		}
	}
	for _, section := range []string{".gnu_debugaltlink", ".debug_sup"} {
		s.supplement(section, content(f.File, section), dirs)
	}
	// Units that are left out of the object are in files that it names somewhere.
	if f.Section(".zdebug_addr") != nil {
		s.known = false
	} else if f.Section(".debug_addr") != nil {
		for _, section := range []string{".debug_info", ".debug_str", ".debug_line_str"} {
			if bytes.Contains(content(f.File, section), []byte(".dwo\x00")) {
				s.known = false
			}
		}
	}
	if _, err := exec.LookPath("xz"); err != nil && f.Section(".gnu_debugdata") != nil {
		s.known = false // it can be installed
	}
}

// supplement adds the file by which dwz has replaced what several have in common.
func (s *sourceFiles) supplement(section string, b []byte, dirs []string) {
	const prefix = 3 // of .debug_sup: version and kind
	if section == ".debug_sup" {
		if len(b) < prefix || b[2] == 1 {
			return
		}
		b = b[prefix:]
	}
	name, id, ok := cutName(b)
	if !ok {
		return
	}
	if section == ".debug_sup" {
		size, used := binary.Uvarint(id)
		if used <= 0 || size > uint64(len(id)-used) {
			return
		}
		id = id[used : used+int(size)]
	}
	s.byBuildID(hex.EncodeToString(id))
	if filepath.IsAbs(name) {
		s.add(name)
		return
	}
	for _, dir := range dirs {
		s.add(filepath.Join(dir, name))
	}
}

func (s *sourceFiles) byBuildID(id string) {
	if len(id) > 2 {
		s.add(filepath.Join(debugRoot, ".build-id", id[:2], id[2:]+".debug"))
	}
}

// cutName takes the name off, which ends with a NUL.
func cutName(b []byte) (name string, rest []byte, ok bool) {
	first, rest, ok := bytes.Cut(b, []byte{0})
	return string(first), rest, ok && len(first) > 0
}

// content is that of a section, nothing if there is none.
func content(f *elf.File, section string) []byte {
	s := f.Section(section)
	if s == nil {
		return nil
	}
	b, err := s.Data()
	if err != nil {
		return nil
	}
	return b
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
