package expression

import (
	"cmp"
	"debug/dwarf"
	"slices"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
)

// mostSites bounds how many calls are looked at, and how many of one function are kept.
const mostSites, mostOfOne = 1 << 21, 1 << 12

// sites are what an Object knows of calls.
type sites struct {
	named   map[string][]site         // by the name of the function that is called; nil until they are looked for
	of      map[uint64][]site         // by where that begins
	entries map[passing]*plan.Passed  // of all that was asked for
	begin   map[debuginfo.Entry]begun // of functions that calls name
	again   map[uint64]bool           // of callsItself
}

// A site is a call.
type site struct {
	entry   debuginfo.Entry
	called  debuginfo.Entry
	returns uint64 // the address that it returns to
}

// passing is what a register holds where a function begins.
type passing struct {
	low      uint64
	register int64
}

type begun struct {
	low   uint64
	known bool
}

// Entries are what the callers of the function whose code is at an address passed in the registers that
// instructions ask for.
func (o *Object) Entries(pc uint64, code []plan.Instr) plan.Entries {
	var all plan.Entries
	for _, i := range code {
		if i.Op != plan.Entry || all[i.Arg] != nil {
			continue
		}
		if all == nil {
			all = plan.Entries{}
		}
		all[i.Arg] = o.passedTo(pc, i.Arg)
	}
	return all
}

// passedTo are the calls of the function whose code is at an address that tell what a register held when it
// was entered, in the order of the addresses that they return to.
func (o *Object) passedTo(pc uint64, register int64) *plan.Passed {
	low, ok := o.entered(pc)
	if !ok {
		return &plan.Passed{}
	}
	key := passing{low, register}
	p := o.sites.entries[key]
	if p != nil {
		return p
	}
	if o.sites.entries == nil {
		o.sites.entries = map[passing]*plan.Passed{}
	}
	p = &plan.Passed{}
	o.sites.entries[key] = p // what asks for it again is the same
	for _, s := range o.callsOf(low) {
		code, ok := o.passed(s.entry, s.returns, int(register), low)
		if !ok || slices.ContainsFunc(code, func(i plan.Instr) bool { return i.Op == plan.Thread }) {
			continue
		}
		p.Sites = append(p.Sites, plan.Site{Returns: s.returns, Code: code, Entries: o.Entries(s.returns-1, code)})
	}
	return p
}

// callsOf are the calls of the function that begins at an address, in the order of where they return to.
func (o *Object) callsOf(low uint64) []site {
	if calls, ok := o.sites.of[low]; ok {
		return calls
	}
	around := o.data.ScopeAt(low)
	if len(around.Blocks) == 0 {
		return nil
	}
	if o.sites.named == nil {
		o.findSites()
	}
	var calls []site
	// To find out where a function is by its declaration takes long: the name comes first.
	for _, s := range o.sites.named[around.Blocks[0].Name()] {
		b, ok := o.sites.begin[s.called]
		if !ok {
			b.low, b.known = o.target(s.entry)
			o.sites.begin[s.called] = b
		}
		if b.known && b.low == low && len(calls) < mostOfOne {
			calls = append(calls, s)
		}
	}
	slices.SortFunc(calls, func(a, b site) int { return cmp.Compare(a.returns, b.returns) })
	calls = slices.CompactFunc(calls, func(a, b site) bool { return a.returns == b.returns })
	o.sites.of[low] = calls
	return calls
}

// findSites looks for all calls that name a function.
func (o *Object) findSites() {
	o.sites.named, o.sites.of, o.sites.begin = map[string][]site{}, map[uint64][]site{}, map[debuginfo.Entry]begun{}
	names := map[debuginfo.Entry]string{}
	left := mostSites
	for e := range o.data.Functions() {
		if e.Tag() != dwarf.TagSubprogram {
			continue
		}
		for s := range callSites(e) {
			if left--; left < 0 {
				return
			}
			returns, ok := returnsTo(s)
			f := called(s)
			if !ok || !f.OK() || isTail(s) {
				continue
			}
			name, ok := names[f]
			if !ok {
				name = f.Name()
				names[f] = name
			}
			o.sites.named[name] = append(o.sites.named[name], site{s, f, returns})
		}
	}
}
