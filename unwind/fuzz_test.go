package unwind

import (
	"bytes"
	"os"
	"testing"
)

// small returns a small real program as an image.
func small(t testing.TB) (*image, []byte) {
	t.Helper()
	data, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	img, err := newImage(&savedFile{bytes.NewReader(data)})
	if err != nil {
		t.Fatal(err)
	}
	return img, data
}

// follow applies a recipe to registers and a stack of which all is known.
func follow(rec *recipe) {
	if rec == nil {
		return
	}
	var m window
	m.reset(&savedMemory{base: 0x1000, data: make([]byte, 1<<12)})
	s := &state{known: 1<<numRegs - 1}
	for i := range s.reg {
		s.reg[i] = 0x1800
	}
	s.apply(&m, rec, new(state))
}

func FuzzFrames(f *testing.F) {
	img, _ := small(f)
	eh := img.ehFrames()
	// A few entries of a real section, with their own search table.
	few := eh.data[:min(len(eh.data), 1024)]
	for _, hdr := range [][]byte{nil, append([]byte{1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 4, 0, 0, 0}, eh.hdr[:32]...)} {
		for i := 0; i < len(eh.hdr)/8 && i < 8; i++ {
			c := cursor{b: eh.hdr, p: 8 * i}
			f.Add(few, hdr, eh.hdrAt+uint64(int32(c.u32()))+3, false)
		}
	}
	f.Add([]byte("\x10\x00\x00\x00\xff\xff\xff\xff\x03\x00\x01\x78\x10\x0c\x07\x08\x90\x01\x00\x00"+
		"\x1c\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x41\x0e\x10\x00"),
		[]byte(nil), uint64(0x1010), true)
	f.Fuzz(func(t *testing.T, data, hdr []byte, addr uint64, debug bool) {
		var fr *frames
		if debug {
			fr = newDebugFrames(data)
		} else {
			fr = newEHFrames(data, eh.vaddr, hdr, eh.hdrAt)
		}
		follow(fr.recipe(addr))
		if len(fr.index) > len(data)/8 {
			t.Errorf("%d entries in %d bytes", len(fr.index), len(data))
		}
		for _, d := range fr.index {
			follow(fr.recipe(d.start))
			follow(fr.recipe(d.end - 1))
		}
	})
}

func FuzzExpression(f *testing.F) {
	f.Add([]byte{0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}) // that of a linkage table
	f.Add([]byte{0x77, 0x78, 0x06})
	f.Add([]byte{0x2f, 0xfd, 0xff}) // jumps to itself
	f.Add(bytes.Repeat([]byte{0x12}, 100))
	f.Fuzz(func(t *testing.T, expr []byte) {
		follow(&recipe{cfa: rule{kind: ruleExpr, expr: expr}, ra: rule{kind: ruleValExpr, expr: expr}})
	})
}

func FuzzImage(f *testing.F) {
	_, data := small(f)
	f.Add(data[:4096], uint64(0))
	f.Add([]byte("\x7fELF\x02\x01\x01"), uint64(5))
	f.Fuzz(func(t *testing.T, data []byte, addr uint64) {
		img, err := newImage(&savedFile{bytes.NewReader(data)})
		if err != nil {
			return
		}
		follow(img.recipe(addr))
		img.functions().FindFunction(addr)
		img.elf.Bias(addr, addr>>12)
		img.elf.Extent()
		img.elf.Load(make([]byte, 16), addr)
	})
}
