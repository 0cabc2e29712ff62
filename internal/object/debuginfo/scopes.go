package debuginfo

import "debug/dwarf"

// A Scope is what is around the code at an address.
type Scope struct {
	Blocks    []Entry // outermost first: the function, and the blocks and inlined functions in it
	Low, High uint64  // the code around the address that has the same
}

// Scopes tell what is around the code at addresses. What was read of a function stays for the next address in it. They are
// for one goroutine.
type Scopes struct {
	d    *Data
	last *block // a function
}

// A block is a function or a part of one: its code, and the blocks in it.
type block struct {
	entry  Entry
	ranges [][2]uint64
	inner  []*block
	read   bool // inner was
}

// NewScopes is for many addresses.
func (d *Data) NewScopes() *Scopes { return &Scopes{d: d} }

// ScopeAt returns what is around the code at an address; it has no blocks where no function is known.
func (d *Data) ScopeAt(addr uint64) Scope { return d.NewScopes().At(addr) }

// At is ScopeAt.
func (ss *Scopes) At(addr uint64) Scope {
	s := Scope{High: Always}
	d := ss.d
	id := lookup(d.code, addr)
	if id < 0 {
		return s
	}
	td, tu := d.full(d.units[id])
	t := td.walk(tu)
	i := lookup(t.code, addr)
	if i < 0 {
		return s
	}
	for t.scopes[i].parent >= 0 {
		i = t.scopes[i].parent
	}
	if function := (Entry{td, tu, t.scopes[i].off}); ss.last == nil || ss.last.entry != function {
		ss.last = newBlock(function)
	}
	b := ss.last
	s.contains(b, addr)
	s.Blocks = []Entry{b.entry}
	for range maxDepth {
		var within *block
		for _, c := range b.blocks() {
			if s.contains(c, addr) && within == nil {
				within = c
			}
		}
		if within == nil {
			break
		}
		b = within
		s.Blocks = append(s.Blocks, b.entry)
	}
	return s
}

func newBlock(e Entry) *block {
	b := &block{entry: e}
	e.Ranges(func(low, high uint64) { b.ranges = append(b.ranges, [2]uint64{low, high}) })
	return b
}

// blocks are those directly within.
func (b *block) blocks() []*block {
	if b.read {
		return b.inner
	}
	b.read = true
	for c := range b.entry.Children() {
		switch c.Tag() {
		case dwarf.TagLexDwarfBlock, dwarf.TagInlinedSubroutine, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock:
			b.inner = append(b.inner, newBlock(c))
		}
	}
	return b.inner
}

// contains reports whether a block has code at an address, and narrows the scope to where that does not change.
func (s *Scope) contains(b *block, addr uint64) bool {
	yes := false
	for _, r := range b.ranges {
		yes = yes || r[0] <= addr && addr < r[1]
		for _, edge := range r {
			if edge <= addr {
				s.Low = max(s.Low, edge)
			} else {
				s.High = min(s.High, edge)
			}
		}
	}
	return yes
}
