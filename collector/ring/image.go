package ring

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/internal/regular"
)

// image is what is needed of an ELF file: where its parts are to be found.
type image struct {
	path    string // by which we see it
	buildID string // hexadecimal, "" if it has none
	loads   []elf.ProgHeader
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
	// The first leads to the very file, but only the privileged, and while the
	// process lives; the second is right for one with another root.
	for _, name := range []string{
		fmt.Sprintf("/proc/%d/map_files/%x-%x", pid, m.start, m.end),
		fmt.Sprintf("/proc/%d/root%s", pid, m.path),
		m.path,
	} {
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
	f, err := regular.OpenELF(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return headersOf(f.File), nil
}

// headersOf are the parts of an ELF file, and its build-id.
func headersOf(f *elf.File) *image {
	i := new(image)
	for _, p := range f.Progs {
		switch p.Type {
		case elf.PT_LOAD:
			i.loads = append(i.loads, p.ProgHeader)
		case elf.PT_NOTE:
			b := make([]byte, min(p.Filesz, 1<<16))
			if n, _ := p.ReadAt(b, 0); i.buildID == "" {
				i.buildID = buildIDNote(b[:n], f.ByteOrder)
			}
		}
	}
	return i
}

// buildIDNote finds the build-id among notes.
func buildIDNote(b []byte, order binary.ByteOrder) string {
	const header, gnuBuildID = 12, 3
	for len(b) >= header {
		name, desc, kind := uint64(order.Uint32(b)), uint64(order.Uint32(b[4:])), order.Uint32(b[8:])
		at := header + (name+3)&^3
		end := at + desc
		if end > uint64(len(b)) {
			break
		}
		if kind == gnuBuildID && bytes.HasPrefix(b[header:], []byte("GNU\x00")) {
			return hex.EncodeToString(b[at:end])
		}
		b = b[min(uint64(len(b)), (end+3)&^3):]
	}
	return ""
}

// bias is run-time address minus ELF virtual address in a mapping of the image.
func (i *image) bias(m *mapping) (bias uint64, fits bool) {
	const page = 4096
	for _, code := range []bool{true, false} {
		for _, p := range i.loads {
			if code && p.Flags&elf.PF_X == 0 {
				continue
			}
			if p.Off&^(page-1) <= m.offset && m.offset < p.Off+p.Filesz {
				return m.start - (p.Vaddr + m.offset - p.Off), true
			}
		}
	}
	return 0, false
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
	case m.path == vdsoPath:
		return place{path: m.path, buildID: im.vdsoBuildID(m), kind: kindVDSO, bias: m.start}
	case strings.HasPrefix(m.path, "["):
		return place{path: m.path, kind: kindAnon}
	case !strings.HasPrefix(m.path, "/") || strings.HasPrefix(m.path, "//"):
		return place{path: "[anon]", kind: kindAnon}
	}
	if i := im.of(pid, m); i != nil {
		if bias, fits := i.bias(m); fits {
			return place{path: i.path, buildID: i.buildID, bias: bias}
		}
	} else if m.buildID != "" {
		// It's gone, or has been replaced, but was an ELF file. Its code is most
		// often where its place in the file says.
		return place{path: m.path, buildID: m.buildID, bias: m.start - m.offset}
	}
	return place{path: m.path, kind: kindAnon}
}
