package expression

import (
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/plan"
	"github.com/profilecollection/pct/internal/value"
)

// basesOf are the ways to a class among the bases of the class t, each from the outside inwards.
func basesOf(t, base *value.Type, depth int) (ways [][]*value.Field) {
	if depth > mostNested {
		return nil
	}
	for i := range t.Whole().Fields {
		f := &t.Fields[i]
		if !f.Base {
			continue
		}
		if f.Type.Name == base.Name {
			ways = append(ways, []*value.Field{f})
			continue
		}
		for _, way := range basesOf(f.Type, base, depth+1) {
			ways = append(ways, append([]*value.Field{f}, way...))
		}
	}
	return ways
}

// same reports whether several ways lead to one part of an object: each by the same virtual base.
func same(ways [][]*value.Field) bool {
	fromVirtual := func(way []*value.Field) string {
		for i := len(way) - 1; i >= 0; i-- {
			if way[i].Virtual {
				var names []string
				for _, f := range way[i:] {
					names = append(names, f.Type.Name)
				}
				return strings.Join(names, "\x00")
			}
		}
		return ""
	}
	first := fromVirtual(ways[0])
	return len(ways) == 1 || first != "" && !slices.ContainsFunc(ways[1:], func(way []*value.Field) bool { return fromVirtual(way) != first })
}

// dynamic reports whether objects of the class tell what they are a part of, by which a debugger finds the whole.
func dynamic(t *value.Type, depth int) bool {
	for i := range t.Whole().Fields {
		f := &t.Fields[i]
		if f.Virtual || strings.HasPrefix(f.Name, "_vptr") || f.Base && depth < mostNested && dynamic(f.Type, depth+1) {
			return true
		}
	}
	return false
}

// part is the part of an object in memory that is of another class, to which it is cast: a base in it, or itself.
func (c *compiler) part(p place, to *value.Type) (place, error) {
	from := p.typ
	if from.Kind != value.Structure || to.Kind != value.Structure || from.Union || to.Union || from.Name == to.Name {
		return p, nil
	}
	up, down := basesOf(from, to, 0), basesOf(to, from, 0)
	switch {
	case len(up) > 0 && same(up):
		for _, f := range up[0] {
			if !f.Virtual {
				p = p.at(f.Offset, f.Type)
				continue
			}
			var err error
			if p, err = c.virtualBase(p, f); err != nil {
				return place{}, err
			}
		}
		return p, nil
	case len(up) == 0 && len(down) == 1 && !slices.ContainsFunc(down[0], func(f *value.Field) bool { return f.Virtual || f.Offset > 0 }):
		return p, nil
	case len(up) == 0 && len(down) == 0 && !dynamic(from, 0):
		return p, nil
	}
	return place{}, refusef("a cast between classes whose places depend on the object")
}

// castPointer makes a pointer to another class of one that leads to a class: to the part of the object that is of this
// class. One that leads nowhere stays so.
func (c *compiler) castPointer(word []plan.Instr, from, to *value.Type) ([]plan.Instr, error) {
	q, err := c.part(place{typ: from.Elem.Whole(), addr: word}, to.Elem.Whole())
	if err != nil || len(q.addr) == len(word) {
		return word, err
	}
	code := q.addr[len(word):]
	return join(word, []plan.Instr{{Op: plan.Dup}}, jumpZero(len(code)), code), nil
}

// castReference makes a reference to a class of an object: to it, or to the part of it that is of this class.
func (c *compiler) castReference(p place, t *value.Type) (place, error) {
	to := t.Elem.Whole()
	if p.addr == nil || p.typ.Whole().Kind != value.Structure || to.Kind != value.Structure || p.bits.size > 0 ||
		p.typ.Name != to.Name && len(basesOf(p.typ, to, 0)) == 0 && len(basesOf(to, p.typ, 0)) == 0 {
		return place{}, refusef("a cast to a reference")
	}
	q, err := c.part(p, to)
	return place{typ: t, word: q.addr}, err
}
