package unwind

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"
)

// objects are the objects of a process and what of them is mapped now.
type objects struct {
	pid    int
	mem    Memory
	cache  *Cache
	all    []*Object
	spans  []span // executable, sorted
	byID   map[identity]*Object
	cost   time.Duration // of a refresh, about
	credit float64       // refreshes that may be made unasked
	asked  time.Time     // when credit was last counted
}

type span struct {
	start, end uint64
	obj        *Object
}

// identity is what makes an object the same one in a later reading of the
// mappings.
type identity struct {
	path  string
	inode uint64
	at    uint64 // bias, of Anon the start
}

// deletedSuffix follows the path of a file that has been deleted.
const deletedSuffix = " (deleted)"

// refresh reads the mappings. It reports whether anything executable changed.
func (o *objects) refresh() (changed bool, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", o.pid))
	if err != nil {
		return false, fmt.Errorf("unwind: mappings of process %d: %w", o.pid, err)
	}
	maps := parseMaps(text)
	o.cost = 50*time.Microsecond + time.Duration(len(maps))*2*time.Microsecond
	var spans []span
	for i, m := range maps {
		if !m.executable || m.path == "[vsyscall]" {
			continue
		}
		// What was there before needs no second look.
		if old := o.find(m.start); old != nil && o.same(old, m) {
			old.End = max(old.End, m.end) // a JIT's memory grows
			spans = append(spans, span{m.start, m.end, old})
			continue
		}
		spans = append(spans, span{m.start, m.end, o.object(maps, i)})
	}
	if slices.Equal(spans, o.spans) {
		return false, nil
	}
	o.spans = spans
	return true, nil
}

// same reports whether an object, mapped at m.start before, is what m maps.
func (o *objects) same(obj *Object, m mapping) bool {
	if obj.inode != m.inode || obj.Path != strings.TrimSuffix(m.path, deletedSuffix) {
		return false
	}
	switch {
	case obj.image == nil:
		return obj.Start == m.start
	case obj.Kind == VDSO:
		return true
	}
	bias, ok := obj.image.bias(m.start, m.offset)
	return ok && bias == obj.Bias
}

// object returns the object for a mapping that is new: one seen earlier, or
// a new one.
func (o *objects) object(maps []mapping, i int) *Object {
	m := maps[i]
	obj := &Object{Path: strings.TrimSuffix(m.path, deletedSuffix), Start: m.start, End: m.end, Kind: Anon, inode: m.inode}
	key := identity{path: obj.Path, inode: m.inode, at: m.start}
	img, err := o.image(maps, i)
	bias, fits := uint64(0), false
	if err == nil {
		if bias, fits = img.bias(m.start, m.offset); !fits {
			o.cache.release(img)
		}
	}
	if fits {
		obj.Kind, obj.Bias, obj.image, obj.BuildID = File, bias, img, img.buildID
		start, end := img.extent()
		obj.Start, obj.End = start+bias, end+bias
		if m.inode == 0 {
			obj.Kind = VDSO
		}
		key.at = bias
	}
	if old := o.byID[key]; old != nil && old.image == obj.image {
		if fits {
			o.cache.release(img)
		}
		old.End = max(old.End, m.end)
		return old
	}
	obj.ID = len(o.all) + 1
	o.all = append(o.all, obj)
	o.byID[key] = obj
	return obj
}

// image opens what a mapping maps, which is an error if it is no ELF file.
func (o *objects) image(maps []mapping, i int) (*image, error) {
	m := maps[i]
	if m.path == "[vdso]" {
		return o.vdso(m)
	}
	if m.inode == 0 || !strings.HasPrefix(m.path, "/") {
		return nil, errNoFile
	}
	// The link of the mapping leads to the very file, deleted or not, but
	// only the privileged may follow it.
	names := []string{fmt.Sprintf("/proc/%d/map_files/%x-%x", o.pid, m.start, m.end)}
	if !strings.HasSuffix(m.path, deletedSuffix) {
		names = append(names, filepath.Join(fmt.Sprintf("/proc/%d/root", o.pid), m.path))
	}
	names = append(names, fmt.Sprintf("/proc/%d/exe", o.pid))
	for n, name := range names {
		fi, err := os.Stat(name)
		if err != nil || !fi.Mode().IsRegular() {
			continue
		}
		if n > 0 && fi.Sys().(*syscall.Stat_t).Ino != m.inode {
			continue // another file of that name by now
		}
		img, err := o.cache.hold(fileKey(fi), func() (readCloser, error) { return os.Open(name) })
		if err == nil {
			return img, nil
		}
		if n == 0 && !os.IsPermission(err) {
			return nil, err
		}
	}
	return o.mapped(maps, i)
}

// mapped makes an image of what the process has of a file in its memory: what
// remains if the file is deleted and out of reach.
func (o *objects) mapped(maps []mapping, i int) (*image, error) {
	m := maps[i]
	var parts []mapping
	for _, p := range maps {
		if p.inode == m.inode && p.path == m.path {
			parts = append(parts, p)
		}
	}
	return o.cache.hold(imageKey{inode: m.inode, size: -1, mtime: int64(o.pid)}, func() (readCloser, error) {
		return &mappedFile{mem: o.mem, parts: parts}, nil
	})
}

var errNoFile = errors.New("no ELF file")

// vdso reads the kernel's shared object from the memory of the process.
func (o *objects) vdso(m mapping) (*image, error) {
	if m.end-m.start > 1<<20 {
		return nil, errNoFile
	}
	data := make([]byte, m.end-m.start)
	data = data[:o.mem.ReadAt(data, m.start)]
	return o.cache.hold(imageKey{content: sha256.Sum256(data)}, func() (readCloser, error) {
		return struct {
			io.ReaderAt
			io.Closer
		}{bytes.NewReader(data), io.NopCloser(nil)}, nil
	})
}

// mappedFile reads an ELF file where it is mapped. Its section headers are in
// no mapping as a rule, so it says that there are none.
type mappedFile struct {
	mem   Memory
	parts []mapping
}

func (f *mappedFile) Close() error { return nil }

func (f *mappedFile) ReadAt(b []byte, off int64) (int, error) {
	for _, p := range f.parts {
		if o := uint64(off); o >= p.offset && o-p.offset < p.end-p.start {
			n := min(uint64(len(b)), p.end-p.start-(o-p.offset))
			n = uint64(f.mem.ReadAt(b[:n], p.start+o-p.offset))
			blank(b[:n], off, 0x28, 8) // e_shoff
			blank(b[:n], off, 0x3c, 4) // e_shnum, e_shstrndx
			if n < uint64(len(b)) {
				return int(n), io.EOF
			}
			return int(n), nil
		}
	}
	return 0, io.EOF
}

// blank zeroes n bytes of a file at a place where b, read from off, has them.
func blank(b []byte, off, at, n int64) {
	for i := at; i < at+n; i++ {
		if i >= off && i-off < int64(len(b)) {
			b[i-off] = 0
		}
	}
}

// find returns the object in whose executable memory an address lies.
func (o *objects) find(addr uint64) *Object {
	i := sort.Search(len(o.spans), func(i int) bool { return o.spans[i].end > addr })
	if i < len(o.spans) && addr >= o.spans[i].start {
		return o.spans[i].obj
	}
	return nil
}

// maxCredit is how many refreshes may be made in quick succession, as are
// needed while a program starts.
const maxCredit = 10

// mayRefresh reports whether to look if an address in no known object is in a
// new one. In the long run, that is to take a twentieth of the time.
func (o *objects) mayRefresh() bool {
	now := time.Now()
	o.credit = min(maxCredit, o.credit+float64(now.Sub(o.asked))/float64(20*o.cost))
	o.asked = now
	if o.credit < 1 {
		return false
	}
	o.credit--
	return true
}

// close releases all images.
func (o *objects) close() {
	for _, obj := range o.all {
		if obj.image != nil {
			o.cache.release(obj.image)
		}
	}
	o.spans = nil
}
