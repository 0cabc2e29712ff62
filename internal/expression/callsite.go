package expression

import (
	"debug/dwarf"
	"iter"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
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

// Passed returns the code, for the frame of a caller, that writes what a register held when the function
// was entered that is called before the address returns. Low is where that function begins, an
// address of the object. Without them the caller does not tell, or called something else, which went
// on to the function.
func (o *Object) Passed(returns uint64, register int, low uint64) ([]plan.Instr, bool) {
	s := o.data.ScopeAt(returns - 1)
	if len(s.Blocks) == 0 {
		return nil, false
	}
	return o.passed(siteOf(s.Blocks[0], returns), returns, register, low, false)
}

// passed is Passed, given the call, and whether it is known that it is of that function.
func (o *Object) passed(site debuginfo.Entry, returns uint64, register int, low uint64, sure bool) ([]plan.Instr, bool) {
	s := o.data.ScopeAt(returns - 1)
	if len(s.Blocks) == 0 || !site.OK() || o.callsItself(low) {
		return nil, false
	}
	c := &compiler{object: o, types: o.types, pc: returns - 1, high: debuginfo.Always, whole: s.Blocks[0], unit: s.Blocks[0].Unit()}
	var check []plan.Instr
	if sure {
		// No check.
	} else if target, ok := o.target(site); ok {
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
		value, ok := c.pushed(p, attrCallValue, attrGNUCallValue)
		if !ok {
			break
		}
		return join(check, value, []plan.Instr{{Op: plan.Out, Size: 8}, {Op: plan.End}}), true
	}
	return nil, false
}

// calls returns instructions that end where a call through a pointer is not of the function that begins at
// an address.
func (c *compiler) calls(site debuginfo.Entry, low uint64) ([]plan.Instr, bool) {
	target, ok := c.pushed(site, attrCallTarget, attrGNUCallTarget)
	return join(target, []plan.Instr{{Op: plan.Address, Arg: int64(low)}, {Op: plan.Ne}, {Op: plan.JumpZero, Arg: 1}, {Op: plan.Fail, Arg: int64(plan.NoEntry)}}), ok
}

// pushed returns instructions that push the value of an expression, by the first attribute that an entry of
// a call has; false if it has none, or one that is no single word.
func (c *compiler) pushed(of debuginfo.Entry, attrs ...dwarf.Attr) ([]plan.Instr, bool) {
	var expr []byte
	for _, attr := range attrs {
		if expr == nil {
			expr = of.Block(attr)
		}
	}
	l := &locator{c: c, of: of, b: expr}
	if l.all() != nil || l.bad || l.parts != nil || l.data != nil || l.synthetic.OK() || len(l.code) == 0 {
		return nil, false
	}
	return l.code, true
}

// callSites are the calls in a function or block, also of functions inlined there.
func callSites(block debuginfo.Entry) iter.Seq[debuginfo.Entry] {
	return func(yield func(debuginfo.Entry) bool) { eachSite(block, 0, yield) }
}

func eachSite(block debuginfo.Entry, depth int, yield func(debuginfo.Entry) bool) bool {
	for e := range block.Children() {
		switch e.Tag() {
		case tagCallSite, tagGNUCallSite:
			if !yield(e) {
				return false
			}
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine:
			if depth < mostHops && !eachSite(e, depth+1, yield) {
				return false
			}
		}
	}
	return true
}

// returnsTo is the address that a call returns to.
func returnsTo(site debuginfo.Entry) (uint64, bool) {
	if at, ok := site.Address(attrCallReturn); ok {
		return at, true
	}
	return site.Address(dwarf.AttrLowpc)
}

// isTail reports whether a call is a tail call.
func isTail(site debuginfo.Entry) bool { return site.Flag(attrCallTail) || site.Flag(attrGNUCallTail) }

// called is the function that a call names, none if it names none.
func called(site debuginfo.Entry) debuginfo.Entry {
	if f := site.Ref(attrCallOrigin); f.OK() {
		return f
	}
	return site.Ref(dwarf.AttrAbstractOrigin)
}

// siteOf finds the call in a function that returns to an address.
func siteOf(function debuginfo.Entry, returns uint64) debuginfo.Entry {
	for site := range callSites(function) {
		if at, ok := returnsTo(site); ok && at == returns {
			return site
		}
	}
	return debuginfo.Entry{}
}

// target is where the function begins that a call names.
func (o *Object) target(site debuginfo.Entry) (uint64, bool) {
	f := called(site)
	if !f.OK() {
		return 0, false
	}
	if low, ok := f.Begins(); ok {
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
		if at, ok := e.Begins(); ok && (found == 0 || at != low) {
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

// callsItself reports whether the function at an address may go on to itself by tail calls, so that its
// caller did not pass what its frame was entered with.
func (o *Object) callsItself(low uint64) bool {
	again, ok := o.sites.again[low]
	if !ok {
		again = o.comesBack(low)
		if o.sites.again == nil {
			o.sites.again = map[uint64]bool{}
		}
		o.sites.again[low] = again
	}
	return again
}

// tailTarget is target, which is found faster where all functions have been looked at.
func (o *Object) tailTarget(site debuginfo.Entry) (uint64, bool) {
	if o.sites.named == nil {
		return o.target(site)
	}
	f := called(site)
	if !f.OK() {
		return 0, false
	}
	return o.knownTarget(f)
}

func (o *Object) comesBack(low uint64) bool {
	seen := map[uint64]bool{}
	todo := []uint64{low}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		s := o.data.ScopeAt(at)
		if len(s.Blocks) == 0 {
			continue
		}
		for site := range callSites(s.Blocks[0]) {
			if !isTail(site) {
				continue
			}
			to, ok := o.tailTarget(site)
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

// entered is where the function begins whose code is at an address.
func (o *Object) entered(pc uint64) (uint64, bool) {
	s := o.data.ScopeAt(pc)
	if len(s.Blocks) == 0 {
		return 0, false
	}
	return s.Blocks[0].Begins()
}
