package unwind

import (
	"bytes"
	"os"
	"testing"

	"github.com/profilecollection/pct/internal/object"
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

// FuzzRows runs instructions of call frame information.
func FuzzRows(f *testing.F) {
	img, _ := small(f)
	frames := img.ehFrames()
	for _, start := range frames.Starts() {
		d, _ := frames.Find(start)
		for _, c := range []object.Cursor{d.CIE.Program, d.Program} {
			f.Add(c.B[c.P:], uint64(5))
		}
	}
	f.Add([]byte("\x0c\x07\x08\x90\x01\x41\x0e\x10\x86\x02\x0a\x43\x0d\x06\x0b"), uint64(1))
	f.Fuzz(func(t *testing.T, instructions []byte, target uint64) {
		p := program{codeAlign: 1, dataAlign: -8, target: target}
		if p.run(object.Cursor{B: instructions}) {
			follow(p.row.recipe(numRegs-1, false))
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
