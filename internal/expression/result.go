package expression

import (
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/value"
)

// Result returns the code, for the frame to which a function has returned, of what it returned. The
// function begins at low, an address of the object. The code of one that returns nothing has no type,
// that of one that returns more than one value no instructions.
func (o *Object) Result(low uint64) (*Code, error) {
	s := o.data.ScopeAt(low)
	if len(s.Blocks) == 0 {
		return nil, refusef("no function")
	}
	function := s.Blocks[0]
	if begins, ok := function.Begins(); !ok || begins != low {
		return nil, refusef("no function begins there")
	}
	t := o.types.typeOf(function)
	if t.Plural() {
		return &Code{Type: t, High: debuginfo.Always}, nil
	}
	var register byte
	switch t.Kind {
	case value.Void:
		return &Code{High: debuginfo.Always}, nil
	case value.Float:
		register = firstVector
	case value.Integer, value.Character, value.Boolean, value.Enumeration, value.Pointer:
	default:
		return nil, refusef("a value of a type that is not known")
	}
	if t.Size > 8 {
		return nil, refusef("a value of %d bytes", t.Size)
	}
	c := &compiler{object: o, types: o.types, pc: low, high: debuginfo.Always, whole: function, unit: function.Unit()}
	p, err := c.locate(function, []byte{dwReg0 + register}, t)
	if err != nil {
		return nil, err
	}
	return c.finish(p)
}
