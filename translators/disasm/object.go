package disasm

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/translators"
)

// code is that of one object, to be disassembled.
type code struct {
	*object.File
	symbols      *object.Symbols
	bounds       *object.Frames
	names        funcname.Demangler
	instructions map[uint64]instruction // by address asked for
}

// An instruction is one that was disassembled.
type instruction struct {
	addr uint64
	text string // "" where there is none
}

func openObject(path string) (*code, error) {
	f, err := object.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	o := &code{File: f, symbols: object.ReadSymbols(f), bounds: f.EHFrames(), instructions: map[uint64]instruction{}}
	return o, nil
}

// function returns name and first address of the function at vaddr, "" if it has no
// symbol; where not even its beginning is known, ok is false.
func (o *code) function(vaddr uint64) (name string, start uint64, ok bool) {
	if y := o.symbols.Find(vaddr); y != nil {
		return o.names.Name(o.symbols.Name(y)), y.Low, true
	}
	d, ok := o.bounds.Find(vaddr)
	return "", d.Start, ok
}

// place returns what to call an address.
func (o *code) place(vaddr uint64) string {
	name, start, _ := o.function(vaddr)
	switch {
	case name == "":
		return fmt.Sprintf("%s+0x%x", filepath.Base(o.Path), vaddr)
	case start == vaddr:
		return name
	}
	return fmt.Sprintf("%s+0x%x", name, vaddr-start)
}

// longest is the length of the longest instruction of any machine, in bytes.
const longest = 16

// pieces returns the code to be disassembled for addresses, sorted: from the
// beginning of its function (or from the address itself, if that is not known), for
// an address may be amid an instruction.
func (o *code) pieces(vaddrs []uint64) []piece {
	var all []piece
	for _, v := range vaddrs {
		low := v
		if _, start, ok := o.function(v); ok {
			low = start
		}
		high := v + longest
		if high < v {
			continue
		}
		if n := len(all); n > 0 && low <= all[n-1].low {
			all[n-1].high = max(all[n-1].high, high)
		} else if n > 0 && low < all[n-1].high && low == v {
			// Code without bounds: the piece before runs into it.
			all[n-1].high = max(all[n-1].high, high)
		} else {
			all = append(all, piece{low: low, high: high})
		}
	}
	out := all[:0]
	for i, p := range all {
		if i+1 < len(all) {
			p.high = min(p.high, all[i+1].low)
		}
		if p.bytes = o.Code(p.low, p.high); len(p.bytes) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// disassemble reads the instructions that cover the addresses, which are sorted.
func (o *code) disassemble(d disassembler, vaddrs []uint64) error {
	all := o.pieces(vaddrs)
	var found []instruction
	for part := range slices.Chunk(all, maxPieces) {
		more, err := d.run(o, part)
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	for _, v := range vaddrs {
		i, exact := slices.BinarySearchFunc(found, v, func(in instruction, a uint64) int { return cmp.Compare(in.addr, a) })
		if !exact {
			i--
		}
		o.instructions[v] = instruction{}
		if i >= 0 && v-found[i].addr < longest {
			o.instructions[v] = found[i]
		}
	}
	return nil
}

// frames returns the instruction that covers vaddr and its function, if they are
// known.
func (o *code) frames(vaddr uint64) []translators.Location {
	in := o.instructions[vaddr]
	if in.text == "" {
		return nil
	}
	frames := []translators.Location{{Func: o.place(in.addr) + ": " + in.text}}
	if name, start, ok := o.function(in.addr); name != "" {
		frames = append(frames, translators.Location{Func: name})
	} else if ok {
		frames = append(frames, translators.Location{Func: fmt.Sprintf("%s+0x%x", filepath.Base(o.Path), start)})
	}
	return frames
}
