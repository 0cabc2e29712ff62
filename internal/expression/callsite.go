package expression

import (
	"debug/dwarf"
	"github.com/profilecollection/pct/internal/plan"

	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// What DWARF 5 and, before it, GNU call the entries of calls and their attributes.
const (
	tagCallSite         dwarf.Tag  = 0x48
	tagCallParameter    dwarf.Tag  = 0x49
	tagGNUCallSite      dwarf.Tag  = 0x4109
	tagGNUCallParameter dwarf.Tag  = 0x410a
	attrCallReturn      dwarf.Attr = 0x7d
	attrCallValue       dwarf.Attr = 0x7e
	attrCallOrigin      dwarf.Attr = 0x7f
	attrCallTail        dwarf.Attr = 0x82
	attrCallTarget      dwarf.Attr = 0x83
	attrGNUCallValue    dwarf.Attr = 0x2111
	attrGNUCallTarget   dwarf.Attr = 0x2113
	attrGNUCallTail     dwarf.Attr = 0x2115
)

// Passed returns instructions, for the frame of a caller, that push what a register held when the function
// was entered that is called before the address returns. Low is where that function begins, an
// address of the object. Without them the caller does not tell, or called something else, which went
// on to the function.
func (o *Object) Passed(returns uint64, register int, low uint64) ([]plan.Instr, bool) {
	s := o.data.ScopeAt(returns - 1)
	if len(s.Blocks) == 0 {
		return nil, false
	}
	site := siteIn(s.Blocks[0], returns, 0)
	if !site.OK() || o.callsItself(low) {
		return nil, false
	}
	c := &compiler{object: o, types: o.types, pc: returns - 1, high: debuginfo.Always, whole: s.Blocks[0], unit: s.Blocks[0].Unit()}
	var check []plan.Instr
	if target, ok := o.target(site); ok {
		if target != low {
			return nil, false
		}
	} else if check, ok = c.calls(site, low); !ok {
		return nil, false
	}
	for p := range site.Children() {
		if tag := p.Tag(); tag != tagCallParameter && tag != tagGNUCallParameter {
			continue
		}
		where := p.Block(dwarf.AttrLocation)
		if len(where) != 1 || int(where[0]) != dwReg0+register {
			continue
		}
		expr := p.Block(attrCallValue)
		if expr == nil {
			expr = p.Block(attrGNUCallValue)
		}
		l := &locator{c: c, of: p, b: expr}
		if l.all() != nil || l.bad || l.parts != nil || l.data != nil || l.synthetic.OK() || len(l.code) == 0 {
			return nil, false
		}
		return join(check, l.code), true
	}
	return nil, false
}

// calls returns instructions that end where a call through a pointer is not of the function that begins at
// an address.
func (c *compiler) calls(site debuginfo.Entry, low uint64) ([]plan.Instr, bool) {
	expr := site.Block(attrCallTarget)
	if expr == nil {
		expr = site.Block(attrGNUCallTarget)
	}
	l := &locator{c: c, of: site, b: expr}
	if l.all() != nil || l.bad || l.parts != nil || l.data != nil || l.synthetic.OK() || len(l.code) == 0 {
		return nil, false
	}
	return join(l.code, []plan.Instr{{Op: plan.Address, Arg: int64(low)}, {Op: plan.Ne}, {Op: plan.JumpZero, Arg: 1}, {Op: plan.Fail, Arg: int64(plan.NoEntry)}}), true
}

// siteIn finds the call that returns to an address in a function or block.
func siteIn(block debuginfo.Entry, returns uint64, depth int) debuginfo.Entry {
	for e := range block.Children() {
		switch e.Tag() {
		case tagCallSite, tagGNUCallSite:
			at, ok := e.Address(attrCallReturn)
			if !ok {
				at, ok = e.Address(dwarf.AttrLowpc)
			}
			if ok && at == returns {
				return e
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			if depth < mostHops {
				if s := siteIn(e, returns, depth+1); s.OK() {
					return s
				}
			}
		}
	}
	return debuginfo.Entry{}
}

// target is where the function begins that a call names.
func (o *Object) target(site debuginfo.Entry) (uint64, bool) {
	f := site.Ref(attrCallOrigin)
	if !f.OK() {
		f = site.Ref(dwarf.AttrAbstractOrigin)
	}
	if !f.OK() {
		return 0, false
	}
	if low, ok := lowest64(f); ok {
		return low, true
	}
	return o.begins(f)
}

// begins is where the code of a function begins of which f is a declaration or the abstract one.
func (o *Object) begins(f debuginfo.Entry) (uint64, bool) {
	name := f.Name()
	if name == "" {
		return 0, false
	}
	found, low := 0, uint64(0)
	look := func(e debuginfo.Entry) {
		if at, ok := lowest64(e); ok && (found == 0 || at != low) {
			found++
			low = at
		}
	}
	for e := range f.Unit().Children() {
		if e.Tag() == dwarf.TagSubprogram && completes(e, f) {
			look(e)
		}
	}
	if found == 0 && f.Flag(dwarf.AttrExternal) && f.Path() != nil {
		for e := range o.data.Named(f.Path()...) {
			if e.Tag() == dwarf.TagSubprogram && (f.Linkage() == "" || e.Linkage() == f.Linkage()) {
				look(e)
			}
		}
	}
	return low, found == 1
}

// completes reports whether an entry is an instance of f, or of what completes that.
func completes(e, f debuginfo.Entry) bool {
	for range mostNested {
		if e = e.Origin(); e == f || !e.OK() {
			return e.OK()
		}
	}
	return false
}

// lowest64 is where the code of an entry begins.
func lowest64(e debuginfo.Entry) (uint64, bool) {
	if at, ok := e.Address(dwarf.AttrLowpc); ok {
		return at, true
	}
	first, ok := uint64(0), false
	e.Ranges(func(low, high uint64) {
		if !ok {
			first, ok = low, true
		}
	})
	return first, ok
}

// callsItself reports whether the function at an address may go on to itself by tail calls, so that its
// caller did not pass what its frame was entered with.
func (o *Object) callsItself(low uint64) bool {
	seen := map[uint64]bool{}
	todo := []uint64{low}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		s := o.data.ScopeAt(at)
		if len(s.Blocks) == 0 {
			continue
		}
		for _, site := range tails(s.Blocks[0], nil, 0) {
			to, ok := o.target(site)
			if !ok || to == low {
				return true
			}
			if !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return false
}

// tails appends the tail calls in a function or block.
func tails(block debuginfo.Entry, list []debuginfo.Entry, depth int) []debuginfo.Entry {
	for e := range block.Children() {
		switch e.Tag() {
		case tagCallSite, tagGNUCallSite:
			if e.Flag(attrCallTail) || e.Flag(attrGNUCallTail) {
				list = append(list, e)
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			if depth < mostHops {
				list = tails(e, list, depth+1)
			}
		}
	}
	return list
}

// entered is where the function begins whose code is at an address.
func (o *Object) entered(pc uint64) (uint64, bool) {
	s := o.data.ScopeAt(pc)
	if len(s.Blocks) == 0 {
		return 0, false
	}
	return lowest64(s.Blocks[0])
}
