package expression

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
)

// mostSites bounds how many calls are looked at, and how many of one function are kept.
const mostSites, mostOfOne = 1 << 21, 1 << 12

// sites are what an Object knows of calls.
type sites struct {
	named   map[string][]site          // by the name of the function that is called; nil until they are looked for
	of      map[uint64][]site          // by where that begins
	entries map[passing]*plan.Passed   // of all that was asked for
	bodies  map[debuginfo.Entry][]body // of functions, by what they complete
	public  map[string][]body          // of all functions, by their names in the source
	again   map[uint64]bool            // of callsItself
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

// A body is where a function begins.
type body struct {
	low     uint64
	linkage string
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
		code, ok := o.passed(s.entry, s.returns, int(register), low, true)
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
	for _, s := range o.sites.named[around.Blocks[0].Name()] {
		if at, ok := o.knownTarget(s.called); ok && at == low && len(calls) < mostOfOne {
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
	o.sites.named, o.sites.of = map[string][]site{}, map[uint64][]site{}
	o.sites.bodies, o.sites.public = map[debuginfo.Entry][]body{}, map[string][]body{}
	names := map[debuginfo.Entry]string{}
	left := mostSites
	for e := range o.data.Functions() {
		if e.Tag() != dwarf.TagSubprogram {
			continue
		}
		o.findBody(e)
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

// findBody notes where a function begins.
func (o *Object) findBody(e debuginfo.Entry) {
	low, ok := e.Begins()
	if !ok {
		return
	}
	b := body{low, e.Linkage()}
	if path := e.Path(); path != nil {
		name := strings.Join(path, "::")
		o.sites.public[name] = append(o.sites.public[name], b)
	}
	for range mostNested {
		if e = e.Origin(); !e.OK() {
			return
		}
		o.sites.bodies[e] = append(o.sites.bodies[e], b)
	}
}

// knownTarget is target, of the function that a call names, once all functions have been looked at.
func (o *Object) knownTarget(f debuginfo.Entry) (uint64, bool) {
	if low, ok := f.Begins(); ok {
		return low, true
	}
	if all := o.sites.bodies[f]; len(all) > 0 {
		return only(all)
	}
	path := f.Path()
	if !f.Flag(dwarf.AttrExternal) || path == nil {
		return 0, false
	}
	linkage := f.Linkage()
	all := slices.Clone(o.sites.public[strings.Join(path, "::")])
	return only(slices.DeleteFunc(all, func(b body) bool { return linkage != "" && b.linkage != linkage }))
}

// only is where all of some functions begin, if that is one place.
func only(all []body) (uint64, bool) {
	if len(all) == 0 || slices.ContainsFunc(all, func(b body) bool { return b.low != all[0].low }) {
		return 0, false
	}
	return all[0].low, true
}
