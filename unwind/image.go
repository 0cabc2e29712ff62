package unwind

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"sync"
)

// image is what an ELF file holds, shared by all processes that map it. Its
// sections are read when they are first needed. All methods may be used by
// several goroutines.
type image struct {
	key     imageKey
	refs    int // of Unwinders; the Cache's lock guards it
	file    source
	elf     *elf.File
	buildID string
	golang  bool // made by Go's linker

	framesOnce sync.Once
	frames     *frames // .eh_frame, or nil
	debugOnce  sync.Once
	debug      *frames // .debug_frame, or nil

	symbolsOnce sync.Once
	symbols     *symbols

	mu      sync.Mutex
	recipes map[uint64]*recipe // by virtual address; nil values too
}

// maxRecipes bounds image.recipes.
const maxRecipes = 1 << 18

// newImage reads the headers of an ELF file.
func newImage(r readCloser) (*image, error) {
	img := &image{}
	img.file.set(r)
	f, err := elf.NewFile(&img.file)
	if err != nil {
		return nil, err
	}
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return nil, errors.New("no x86-64 ELF file")
	}
	img.elf = f
	img.golang = img.isGo()
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE && p.Filesz < 1<<16 && img.buildID == "" {
			b := make([]byte, p.Filesz)
			n, _ := p.ReadAt(b, 0)
			img.buildID = buildID(b[:n], p.Align)
		}
	}
	return img, nil
}

// buildID finds the GNU build-id among notes.
func buildID(notes []byte, align uint64) string {
	if align != 8 {
		align = 4
	}
	pad := func(n uint32) uint64 { return (uint64(n) + align - 1) &^ (align - 1) }
	for c := (cursor{b: notes}); !c.done(); {
		nameLen, descLen, kind := c.u32(), c.u32(), c.u32()
		name := c.take(pad(nameLen))
		left := uint64(len(c.b) - c.p)
		desc := c.take(min(pad(descLen), left))
		if kind == 3 && bytes.Equal(name, []byte("GNU\x00")) && uint64(descLen) <= uint64(len(desc)) {
			return hex.EncodeToString(desc[:descLen])
		}
	}
	return ""
}

// bias returns runtime address − ELF virtual address for a mapping of the
// file from offset on at start.
func (img *image) bias(start, offset uint64) (bias uint64, ok bool) {
	const page = 0xfff
	for _, executable := range []bool{true, false} {
		for _, p := range img.elf.Progs {
			if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 == executable &&
				offset >= p.Off&^page && offset < (p.Off+p.Filesz+page)&^page {
				return start - offset + p.Off - p.Vaddr, true
			}
		}
	}
	return 0, false
}

// extent returns the virtual addresses that the file takes when loaded.
func (img *image) extent() (start, end uint64) {
	const page = 0xfff
	start = 1<<64 - 1
	for _, p := range img.elf.Progs {
		if p.Type == elf.PT_LOAD {
			start = min(start, p.Vaddr&^page)
			end = max(end, (p.Vaddr+p.Memsz+page)&^page)
		}
	}
	return min(start, end), end
}

// readAt reads at a virtual address as the file has it.
func (img *image) readAt(b []byte, vaddr uint64) int {
	for _, p := range img.elf.Progs {
		if p.Type == elf.PT_LOAD && vaddr >= p.Vaddr && vaddr-p.Vaddr < p.Filesz {
			n, _ := p.ReadAt(b, int64(vaddr-p.Vaddr))
			return n
		}
	}
	return 0
}

// section returns a section's bytes, decompressed, and nil if it is not there.
func (img *image) section(name string) (data []byte, vaddr uint64) {
	s := img.elf.Section(name)
	if s == nil && strings.HasPrefix(name, ".debug_") {
		s = img.elf.Section(".z" + name[1:])
	}
	if s == nil || s.Type == elf.SHT_NOBITS || s.Size > maxSection {
		return nil, 0
	}
	data, err := s.Data()
	if err != nil {
		return nil, 0
	}
	if len(data) >= 12 && string(data[:4]) == "ZLIB" { // the older way, as in .zdebug_frame
		z, err := zlib.NewReader(bytes.NewReader(data[12:]))
		if err != nil {
			return nil, 0
		}
		size := min(binary.BigEndian.Uint64(data[4:]), maxSection)
		if data, err = io.ReadAll(io.LimitReader(z, int64(size))); err != nil {
			return nil, 0
		}
	}
	return data, s.Addr
}

// maxSection bounds what a section, decompressed, may hold.
const maxSection = 1 << 30

// readFrom reads a segment's file contents from an offset on. What the header
// says of their size need not be true.
func readFrom(p *elf.Prog, off uint64) []byte {
	size := p.Filesz - off
	if size > 16<<20 {
		b, _ := io.ReadAll(io.NewSectionReader(p, int64(off), int64(min(size, maxSection))))
		return b
	}
	b := make([]byte, size)
	n, _ := p.ReadAt(b, int64(off))
	return b[:n]
}

// ehFrames returns the call frame information of .eh_frame, nil if there is
// none.
func (img *image) ehFrames() *frames {
	img.framesOnce.Do(func() {
		var hdr []byte
		var hdrAt uint64
		for _, p := range img.elf.Progs {
			if p.Type == elf.PT_GNU_EH_FRAME {
				hdrAt = p.Vaddr
				hdr = readFrom(p, 0)
			}
		}
		data, at := img.section(".eh_frame")
		if data == nil && len(hdr) > 4 { // no section headers: the search table tells where it is
			c := cursor{b: hdr, p: 4}
			at = c.pointer(hdr[1], hdrAt, hdrAt)
			for _, p := range img.elf.Progs {
				if p.Type == elf.PT_LOAD && at >= p.Vaddr && at-p.Vaddr < p.Filesz {
					data = readFrom(p, at-p.Vaddr)
				}
			}
		}
		if len(data) > 0 {
			img.frames = newEHFrames(data, at, hdr, hdrAt)
		}
	})
	return img.frames
}

// debugFrames returns the call frame information of .debug_frame, nil if
// there is none.
func (img *image) debugFrames() *frames {
	img.debugOnce.Do(func() {
		if data, _ := img.section(".debug_frame"); len(data) > 0 {
			img.debug = newDebugFrames(data)
		}
	})
	return img.debug
}

// recipe returns the recipe for a virtual address, nil if there is no call
// frame information for it.
func (img *image) recipe(vaddr uint64) *recipe {
	img.mu.Lock()
	rec, ok := img.recipes[vaddr]
	img.mu.Unlock()
	if ok {
		return rec
	}
	if f := img.ehFrames(); f != nil {
		rec = f.recipe(vaddr)
	}
	if rec == nil {
		if f := img.debugFrames(); f != nil {
			rec = f.recipe(vaddr)
		}
		if rec != nil && img.golang {
			rec = withFramePointer(rec)
		}
	}
	img.mu.Lock()
	if img.recipes == nil || len(img.recipes) >= maxRecipes {
		img.recipes = make(map[uint64]*recipe)
	}
	img.recipes[vaddr] = rec
	img.mu.Unlock()
	return rec
}
