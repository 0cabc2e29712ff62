package value

import "fmt"

// viewed writes what a view shows; the value itself where there is no content.
func (p *printer) viewed(t *Type, at uint64) {
	var c content
	if p.view < len(p.v.views) {
		c = p.v.views[p.view]
		p.view++
	}
	if !c.known {
		p.raw++
		p.value(t, at)
		p.raw--
		return
	}
	p.text = min(p.text+t.texts(), len(p.v.Texts))
	switch v := t.View; v.Kind {
	case AsText:
		p.characters(c.text, &Type{Kind: Character, Size: 1}, uint64(len(c.text)) < c.words[0])
	case AsReference:
		p.elements(c)
	case AsVector:
		fmt.Fprintf(&p.out, "std::vector of length %d, capacity %d", c.words[0], c.words[1])
		if c.words[0] > 0 {
			p.sequence(" = ", c)
		}
	case AsVec:
		fmt.Fprintf(&p.out, "Vec(size=%d)", c.words[0])
		if c.words[0] > 0 {
			p.sequence("=", c)
		}
	case AsSlice:
		p.sequence(v.Name+" = ", c)
	case AsOptional:
		if c.words[0] == 0 {
			p.out.WriteString(v.Name + " [no contained value]")
			return
		}
		p.out.WriteString(v.Name + " = {[contained value] = ")
		p.elements(c)
		p.out.WriteByte('}')
	case AsPointer, AsShared:
		p.out.WriteString(v.Name)
		if v.Kind == AsShared {
			p.out.WriteString(uses(c.words[2], c.words[3]))
		}
		p.out.WriteString(" = {get() = ")
		p.scalar(&Type{Kind: Pointer, Size: 8, Elem: &Type{Kind: Void}}, c.words[1])
		if len(c.elements) > 0 {
			p.out.WriteString(", *get() = ")
			p.elements(c)
		}
		p.out.WriteByte('}')
	}
}

// uses tells how many share an object.
func uses(use, weak uint64) string {
	switch {
	case use == 0 && weak == 0:
		return " (empty)"
	case use == 0:
		return fmt.Sprintf(" (expired, weak count %d)", weak)
	}
	return fmt.Sprintf(" (use count %d, weak count %d)", use, weak)
}

// sequence writes elements in braces.
func (p *printer) sequence(head string, c content) {
	p.out.WriteString(head + "{")
	p.elements(c)
	if uint64(len(c.elements)) < c.words[0] {
		p.out.WriteString("...")
	}
	p.out.WriteByte('}')
}

func (p *printer) elements(c content) {
	for i := range c.elements {
		if i > 0 {
			p.out.WriteString(", ")
		}
		e := c.elements[i]
		typ := *e.Type
		typ.Language = p.v.Type.Language
		e.Type = &typ
		p.out.WriteString(e.Viewed(p.names))
	}
}
