package value

import "fmt"

// VirtualMember is the value of the enumerator of a virtual function: by its number among those of a class that is at
// an offset of the whole.
func VirtualMember(offset int64, number uint64) int64 { return offset<<32 | int64(number) }

// member writes a pointer to a member.
func (p *printer) member(t *Type, b []byte) {
	v := int64(Number(b))
	if len(b) == 8 {
		switch name, ok := t.named(v); {
		case v == -1:
			p.out.WriteString("NULL")
		case ok:
			p.out.WriteString(name)
		default:
			fmt.Fprint(&p.out, v)
		}
		return
	}
	adjustment := int64(Number(b[8:]))
	name, ok := t.named(VirtualMember(adjustment, uint64(v)/8))
	switch {
	case v == 0:
		p.out.WriteString("NULL")
		return
	case v&1 != 0 && ok:
		p.out.WriteString(name)
		return
	case v&1 != 0:
		fmt.Fprintf(&p.out, "&virtual table offset %d", v-1)
	default:
		fmt.Fprintf(&p.out, "(%s) ", t.Name)
		p.code(uint64(v))
	}
	if adjustment != 0 {
		fmt.Fprintf(&p.out, ", this adjustment %d", adjustment)
	}
}

// named is the name of the enumerator of a value.
func (t *Type) named(v int64) (string, bool) {
	for _, e := range t.Enums {
		if e.Value == v {
			return e.Name, true
		}
	}
	return "", false
}

// code writes an address of code, with its symbol.
func (p *printer) code(v uint64) {
	fmt.Fprintf(&p.out, "%#x", v)
	if p.names == nil {
		return
	}
	if name := p.names.Function(v); name != "" {
		p.out.WriteString(" <" + name + ">")
	}
}
