package ring

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/proc"
)

// image is an ELF file that processes map.
type image struct {
	path    string // by which we see it
	buildID string // hexadecimal, "" if it has none
	file    *object.File
}

// images are those that were read, by path and build-id; nil: can't be read.
type images map[[2]string]*image

// of returns the image of a mapped file as the process sees it; nil if there is
// none, or another file has taken its place.
func (im images) of(pid int, m *mapping) *image {
	key := [2]string{m.path, m.buildID}
	if i, known := im[key]; known {
		return i
	}
	var found *image
	for _, name := range append(proc.FileNames(pid, m.start, m.end, m.path), m.path) {
		if i, err := readImage(name); err == nil && (m.buildID == "" || i.buildID == m.buildID) {
			i.path = seen(pid, m.path)
			found = i
			break
		}
	}
	im[key] = found
	return found
}

// seen is the path by which we see a process's file, which may have another root.
func seen(pid int, path string) string {
	root, err := os.Readlink(fmt.Sprintf("/proc/%d/root", pid))
	if err != nil || root == "/" {
		return path
	}
	its, err := os.Stat(fmt.Sprintf("/proc/%d/root%s", pid, path))
	if err != nil {
		return path
	}
	below := filepath.Join(root, path)
	if ours, err := os.Stat(below); err != nil || !os.SameFile(its, ours) {
		return path // of another mount namespace
	}
	return below
}

func readImage(name string) (*image, error) {
	f, err := object.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return &image{buildID: f.BuildID(), file: f}, nil
}

// The kinds of objects, as in data.Object.
const (
	kindFile = iota
	kindVDSO
	kindAnon
)

// place is a mapped object, as a run directory names it.
type place struct {
	path, buildID string
	kind          byte
	bias          uint64
}

// place says what a mapping is.
func (im images) place(pid int, m *mapping) place {
	switch {
	case m.path == proc.VDSO:
		return place{path: m.path, buildID: im.vdsoBuildID(m), kind: kindVDSO, bias: m.start}
	case strings.HasPrefix(m.path, "["):
		return place{path: m.path, kind: kindAnon}
	case !strings.HasPrefix(m.path, "/") || strings.HasPrefix(m.path, "//"):
		return place{path: "[anon]", kind: kindAnon}
	}
	if i := im.of(pid, m); i != nil {
		if bias, fits := i.file.Bias(m.start, m.offset); fits {
			return place{path: i.path, buildID: i.buildID, bias: bias}
		}
	} else if m.buildID != "" {
		// It's gone, or has been replaced, but was an ELF file. Its code is most
		// often where its place in the file says.
		return place{path: m.path, buildID: m.buildID, bias: m.start - m.offset}
	}
	return place{path: m.path, kind: kindAnon}
}
