package session

import (
	"debug/dwarf"
	"encoding/binary"
	"path/filepath"
	"strings"

	"github.com/profilecollection/pct/internal/funcname"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/unwind"
)

// look is when objects may have been loaded or unloaded.
func (ps *probes) look() {
	if ps.unwinder.Refresh() != nil {
		return // it's ending
	}
	ps.changes++
	gone := make(map[*unwind.Object]bool)
	for o := range ps.searched {
		if !ps.unwinder.Mapped(o) {
			gone[o] = true
			delete(ps.searched, o)
		}
	}
	if len(gone) > 0 {
		ps.unloaded(gone)
	}
	ps.search(ps.asked, func(o *unwind.Object) bool { return !ps.searched[o] })
}

// unloaded forgets the breakpoints in objects that are no longer mapped: whatever is mapped there next
// is something else.
func (ps *probes) unloaded(gone map[*unwind.Object]bool) {
	for addr := range ps.points {
		for o := range gone {
			if addr >= o.Start && addr < o.End {
				ps.points[addr] = &probePoint{}
				ps.drop(addr)
				delete(ps.known, addr)
			}
		}
	}
}

// search looks for functions that are asked for in some of the objects, and puts breakpoints there.
func (ps *probes) search(asked []*probe, in func(*unwind.Object) bool) {
	for _, o := range ps.unwinder.Objects() {
		if o.Kind == unwind.File && ps.unwinder.Mapped(o) && in(o) {
			for _, want := range asked {
				ps.searchIn(o, want)
			}
			ps.searched[o] = true
		}
	}
	if err := ps.put(); err != nil {
		ps.p.tree.sayOnce("PROBE: %v", err)
	}
}

// searchIn is search in one object.
func (ps *probes) searchIn(o *unwind.Object, want *probe) {
	if want.kind == atLine {
		ps.searchLine(o, want)
		return
	}
	if isObject(o.Path, want.object) {
		for _, f := range ps.unwinder.FunctionsOf(o, want.names.symbol) {
			ps.add(want, f)
		}
		ps.searchInlined(o, want)
	}
	if want.kind != atReturns {
		return
	}
	for _, f := range ps.unwinder.FunctionsOf(o, func(symbol string) bool { return leavers[symbol] != notLeaving }) {
		if !f.Indirect {
			ps.point(f.Addr + o.Bias).leaves = leavers[f.Name]
		}
	}
}

// symbol judges a symbol's function as match does, and special versions of it, but no part of one, which
// is not called.
func (m *matcher) symbol(name string) bool {
	whole := name
	if strings.Contains(name, ".") {
		if whole = funcname.OfSymbol(name); portion.MatchString(whole) {
			return false
		}
	}
	if plainName(m.pattern) && !strings.Contains(whole, m.pattern[strings.LastIndexByte(m.pattern, ':')+1:]) {
		return false // before the work: there may be very many
	}
	return m.match(whole)
}

// add probes a function. Of several names for one address the shortest is told.
func (ps *probes) add(want *probe, f unwind.Function) {
	want.found = true
	if file := ps.fileOf(f.Object); file != nil && file.file.IsGo() {
		ps.p.tree.sayOnce("%s is in Go, whose functions are not probed: their stacks move", filepath.Base(f.Object.Path))
		return
	}
	if f.Indirect {
		ps.indirect(want, f)
		return
	}
	ps.function(want, f, f.Addr+f.Object.Bias)
}

func (ps *probes) fileOf(o *unwind.Object) *debugObject {
	return ps.p.tree.debugData.of(ps.p.mappedAs(o), o.BuildID)
}

// function probes a function that begins at a run-time address.
func (ps *probes) function(want *probe, f unwind.Function, enter uint64) {
	of := ps.addFunction(f, enter)
	of.wanted[want.kind] = true
	if of.run == enter || of.looped {
		ps.point(enter).enters = of
	}
	if of.run != enter {
		ps.point(of.run).runs = of
	}
}

// addFunction is what is known of a function.
func (ps *probes) addFunction(f unwind.Function, enter uint64) *probedFunction {
	name := readable(funcname.OfSymbol(f.Name))
	of := ps.known[enter]
	if of == nil {
		vaddr := enter - f.Object.Bias
		of = &probedFunction{functionName: functionName{name, filepath.Base(f.Object.Path), vaddr, enter}, run: enter}
		if file := ps.fileOf(f.Object); file != nil && file.object != nil && !f.Indirect {
			file.guarded(func() { of.run += file.prologue(vaddr, f.Size) })
		}
		of.jumps = leavers[f.Name] == byJump
		of.looped = of.run != enter && ps.leadsTo(of.enter, f.Size, of.run)
		ps.known[enter] = of
	}
	if len(name) < len(of.name) {
		of.name = name
	}
	return of
}

// prologue is how far behind its beginning a function's arguments are where its debug data say: for code that
// is not optimized they are stored first. It has a size, and the line behind it may be another's. The object is locked.
func (o *debugObject) prologue(low, size uint64) uint64 {
	blocks := o.data.ScopeAt(low).Blocks
	if len(blocks) == 0 {
		return 0
	}
	if begins, ok := blocks[0].Begins(); !ok || begins != low {
		return 0
	}
	for e := range blocks[0].Children() {
		if e.Tag() != dwarf.TagFormalParameter {
			continue
		}
		if list := e.Locations(dwarf.AttrLocation); len(list) == 1 && list[0].High == debuginfo.Always {
			if body := o.data.Body(low); body-low < size {
				return body - low
			}
			return 0
		}
	}
	return 0
}

// mostSearched is the size of code that is searched for jumps: symbols and debug data may say anything.
const mostSearched = 16 << 20

// leadsTo reports whether some code may jump to an address, as that of a loop which is all that a function has. It
// errs on the side of yes.
func (ps *probes) leadsTo(start, size, addr uint64) bool {
	if size > mostSearched {
		return true
	}
	code := make([]byte, size)
	points, _ := ps.p.breakpoints()
	code = code[:ps.p.memory.ReadAt(code, start)]
	points.Hide(code, start)
	for i := range code {
		to := func(end int, distance int64) bool { return start+uint64(i+end)+uint64(distance) == addr }
		far := func(at int) bool {
			return len(code) >= i+at+4 && to(at+4, int64(int32(binary.LittleEndian.Uint32(code[i+at:]))))
		}
		switch op := code[i]; {
		case (op == 0xeb || op&0xf0 == 0x70) && len(code) > i+1 && to(2, int64(int8(code[i+1]))):
			return true
		case op == 0xe9 && far(1), op == 0x0f && len(code) > i+1 && code[i+1]&0xf0 == 0x80 && far(2):
			return true
		}
	}
	return false
}
