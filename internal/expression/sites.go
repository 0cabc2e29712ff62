package expression

import (
	"debug/dwarf"
	"slices"

	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/plan"
)

// mostSites bounds how many calls are looked at, and how many of one function are kept.
const mostSites, mostOfOne = 1 << 21, 1 << 12

// Sites are the calls of the function whose code is at an address that tell what a register held when it
// was entered, in the order of the addresses that they return to.
func (o *Object) Sites(pc uint64, register int) []plan.Site {
	low, ok := o.entered(pc)
	if !ok {
		return nil
	}
	calls, ok := o.calls[low]
	if !ok {
		calls = o.callsOf(low)
		if o.calls == nil {
			o.calls = map[uint64][]uint64{}
		}
		o.calls[low] = calls
	}
	var all []plan.Site
	for _, returns := range calls {
		code, ok := o.Passed(returns, register, low)
		nested := slices.ContainsFunc(code, func(i plan.Instr) bool { return i.Op == plan.Entry || i.Op == plan.Thread })
		if ok && !nested {
			all = append(all, plan.Site{Returns: returns, Code: code})
		}
	}
	return all
}

// callsOf are where the calls of the function that begins at an address return to, in their order.
func (o *Object) callsOf(low uint64) []uint64 {
	around := o.data.ScopeAt(low)
	if len(around.Blocks) == 0 {
		return nil
	}
	name := around.Blocks[0].Name()
	var calls []uint64
	known := map[debuginfo.Entry]bool{}
	left := mostSites
	for e := range o.data.Functions() {
		if e.Tag() != dwarf.TagSubprogram {
			continue
		}
		for site := range callSites(e) {
			returns, ok := returnsTo(site)
			if !ok || isTail(site) {
				continue
			}
			if left--; left < 0 || len(calls) >= mostOfOne {
				break
			}
			f := called(site)
			yes, ok := known[f]
			if !ok {
				// To find out where a function is by its declaration takes long: the name comes first.
				at, found := uint64(0), false
				if f.OK() && f.Name() == name {
					at, found = o.target(site)
				}
				yes = found && at == low
				known[f] = yes
			}
			if yes {
				calls = append(calls, returns)
			}
		}
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}
