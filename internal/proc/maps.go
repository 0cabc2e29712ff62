package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// VDSO is the path of the mapping of the shared object that the kernel gives all processes.
const VDSO = "[vdso]"

// A Mapping is a line of /proc/PID/maps.
type Mapping struct {
	Start, End uint64
	Offset     uint64 // of Start in the file
	Inode      uint64 // 0: no file
	Executable bool
	Path       string // see PathOf and IsDeleted; of no file a name in brackets, or empty
}

// Maps reads the mappings of a process, in ascending order.
func Maps(pid int) ([]Mapping, error) {
	text, err := os.ReadFile(Entry(pid, "maps"))
	if err != nil {
		return nil, err
	}
	return parseMaps(text), nil
}

// Mapped finds the first mapping of a process with a path, such as VDSO.
func Mapped(pid int, path string) (Mapping, error) {
	maps, err := Maps(pid)
	if err != nil {
		return Mapping{}, err
	}
	for _, m := range maps {
		if m.Path == path {
			return m, nil
		}
	}
	return Mapping{}, fmt.Errorf("process %d has no mapping %s", pid, path)
}

// FileNames are the names by which we may open a file that a process has mapped from start to end
// under a path. The first opens the mapped file itself, even if it was deleted, but needs privileges
// and a living process. The second is right for a process with another root.
func FileNames(pid int, start, end uint64, path string) []string {
	return []string{
		Entry(pid, fmt.Sprintf("map_files/%x-%x", start, end)),
		filepath.Join(Entry(pid, "root"), path),
	}
}

// parseMaps reads the text of /proc/PID/maps. Lines that it does not
// understand are left out.
func parseMaps(text []byte) []Mapping {
	list := make([]Mapping, 0, bytes.Count(text, []byte{'\n'}))
	last := Mapping{} // most paths come several times in succession
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		var m Mapping
		ok := true
		hex := func(end byte) uint64 {
			i := bytes.IndexByte(line, end)
			if i < 0 {
				ok = false
				return 0
			}
			v := uint64(0)
			for _, c := range line[:i] {
				switch {
				case c >= '0' && c <= '9':
					v = v<<4 | uint64(c-'0')
				case c >= 'a' && c <= 'f':
					v = v<<4 | uint64(c-'a'+10)
				default:
					ok = false
				}
			}
			line = line[i+1:]
			return v
		}
		m.Start = hex('-')
		m.End = hex(' ')
		if len(line) < 5 {
			continue
		}
		m.Executable = line[2] == 'x'
		line = line[5:]
		m.Offset = hex(' ')
		hex(':') // the device
		hex(' ')
		inode, path, _ := bytes.Cut(line, []byte{' '})
		n, err := strconv.ParseUint(string(inode), 10, 64)
		if err != nil || !ok {
			continue
		}
		m.Inode = n
		if path = bytes.TrimLeft(path, " "); string(path) == last.Path {
			m.Path = last.Path
		} else {
			m.Path = unescape(path)
		}
		last = m
		list = append(list, m)
	}
	return list
}

// unescape undoes what the kernel does to a newline in a path.
func unescape(path []byte) string {
	return string(bytes.ReplaceAll(path, []byte(`\012`), []byte{'\n'}))
}
