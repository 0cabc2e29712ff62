package value

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Namer names what is at an address of the process: "symbol+offset"; "" where there is no symbol.
type Namer interface {
	// Data is the name of a variable's symbol that covers the address.
	Data(addr uint64) string
	// Function is the name of the function at the address.
	Function(addr uint64) string
}

// mostShown is how many elements of arrays and texts gdb shows, and the others how many equal ones it shows
// one by one.
const (
	mostShown      = 200
	longestRun     = 9
	longestTextRun = 10
)

// Text is the value as gdb's machine interface shows it, but for names of symbols where names is nil. Views are
// not used.
func (v *Value) Text(names Namer) string {
	p := printer{v: v, names: names, raw: 1}
	p.value(v.Type, 0)
	return p.out.String()
}

// Viewed is the value as it is shown to people: as Text, but for the views in it.
func (v *Value) Viewed(names Namer) string {
	p := printer{v: v, names: names}
	p.value(v.Type, 0)
	return p.out.String()
}

type printer struct {
	out   strings.Builder
	v     *Value
	names Namer
	text  int // the next of the texts
	shown int // elements of arrays so far
	view  int // the next of the views
	raw   int // above 0 members are shown in place of views
}

const (
	gone      = "<optimized out>"
	synthetic = "<synthetic pointer>"
)

// lost is how many of the bytes the program does not keep, or a damaged type has beyond the value.
func (p *printer) lost(at, size uint64) uint64 {
	if all := uint64(len(p.v.Bytes)); at > all || size > all-at {
		return size
	}
	var n uint64
	for _, g := range p.v.Gone {
		low, high := max(at, g.Offset), min(at+size, g.Offset+g.Size)
		if low < high {
			n += high - low
		}
	}
	return n
}

func (p *printer) bytes(at, size uint64) []byte {
	if all := uint64(len(p.v.Bytes)); at > all || size > all-at {
		return nil
	}
	return p.v.Bytes[at : at+size]
}

// value writes the value of type t at an offset of the bytes.
func (p *printer) value(t *Type, at uint64) {
	t.Whole()
	if t.View != nil && p.raw == 0 {
		p.viewed(t, at)
		return
	}
	if t.Kind != Structure && t.Kind != Array && p.lost(at, t.Size) > 0 {
		if t.Kind == Pointer && slices.Contains(p.v.Gone, Gap{at, t.Size, true}) {
			p.out.WriteString(synthetic)
			return
		}
		p.out.WriteString(gone)
		return
	}
	switch t.Kind {
	case Structure:
		p.structure(t, at)
	case Array:
		p.array(t, at)
	case Incomplete:
		p.out.WriteString("<incomplete type>")
	case MemberPointer:
		p.member(t, p.bytes(at, t.Size))
	default:
		b := p.bytes(at, t.Size)
		switch {
		case t.Size <= 8:
			p.scalar(t, Number(b))
		case t.Kind == Float:
			p.number(extended(b))
		default:
			p.out.WriteString(long(b, t.Signed))
		}
	}
}

func (p *printer) structure(t *Type, at uint64) {
	if t.Union {
		p.raw++
		defer func() { p.raw-- }()
	}
	if p.v.Type.Language == Rust {
		p.rust(t, at)
		return
	}
	n := p.notation()
	p.out.WriteString(n.open)
	number, own := 0, false
	for i := range t.Fields {
		f := &t.Fields[i]
		if number++; number > 1 {
			p.out.WriteString(", ")
		}
		if f.Static {
			p.out.WriteString("static ")
		}
		own = own || !f.Base
		switch {
		case f.Base:
			fmt.Fprintf(&p.out, "<%s> = ", f.Type.Name)
		case f.Name != "":
			p.out.WriteString(f.Name + n.is)
		}
		if f.BitSize > 0 {
			p.bitField(f, at)
			continue
		}
		p.value(f.Type, at+f.Offset)
	}
	if !own {
		if number > 0 {
			p.out.WriteString(", ")
		}
		p.out.WriteString("<No data fields>")
	}
	p.out.WriteString(n.close)
}

func (p *printer) bitField(f *Field, at uint64) {
	first := f.BitOffset / 8
	size := (f.BitOffset+f.BitSize+7)/8 - first
	if size > 8 || p.lost(at+first, size) > 0 {
		p.out.WriteString(gone)
		return
	}
	v := Number(p.bytes(at+first, size)) >> (f.BitOffset % 8) << (64 - f.BitSize)
	if f.Type.Signed {
		v = uint64(int64(v) >> (64 - f.BitSize))
	} else {
		v >>= 64 - f.BitSize
	}
	p.scalar(f.Type, v)
}

// scalar writes a number from its bytes, or from the whole word of a bit-field.
func (p *printer) scalar(t *Type, v uint64) {
	if t.Size < 8 && t.Size > 0 {
		shift := 64 - 8*t.Size
		if v <<= shift; t.Signed {
			v = uint64(int64(v) >> shift)
		} else {
			v >>= shift
		}
	}
	switch t.Kind {
	case Boolean:
		switch v {
		case 0:
			p.out.WriteString(p.notation().no)
		case 1:
			p.out.WriteString(p.notation().yes)
		default:
			p.integer(t, v)
		}
	case Character:
		p.integer(t, v)
		p.out.WriteByte(' ')
		switch {
		case p.v.Type.Language == Rust:
			p.out.WriteString(rustCharacter(v))
			return
		case t.Wide:
			p.wide(t, v)
			return
		}
		p.out.WriteString(p.quoted(byte(v), '\''))
	case Enumeration:
		p.enumeration(t, v)
	case Pointer:
		p.pointer(t, v)
	case Function:
		fmt.Fprintf(&p.out, "{%s} ", t.Name)
		p.code(v)
	case Reference:
		fmt.Fprintf(&p.out, "@%#x", v)
	case Float:
		p.float(t, v)
	default:
		p.integer(t, v)
	}
}

func (p *printer) integer(t *Type, v uint64) {
	if t.Size == 0 && p.v.Type.Language == Rust {
		p.out.WriteString(t.Name) // ()
		return
	}
	if t.Signed {
		p.out.WriteString(strconv.FormatInt(int64(v), 10))
	} else {
		p.out.WriteString(strconv.FormatUint(v, 10))
	}
}

func (p *printer) enumeration(t *Type, v uint64) {
	if t.Bits {
		p.out.WriteString("[")
		for _, e := range t.Enums {
			if v&uint64(e.Value) != 0 {
				p.out.WriteString(" " + e.Name)
			}
		}
		p.out.WriteString(" ]")
		return
	}
	for _, e := range t.Enums {
		if uint64(e.Value) == v {
			p.out.WriteString(e.Name)
			return
		}
	}
	if !t.Flags {
		p.out.WriteString(strconv.FormatInt(int64(v), 10))
		return
	}
	var names []string
	rest := v
	for _, e := range t.Enums {
		if b := uint64(e.Value); b != 0 && rest&b == b {
			names = append(names, e.Name)
			rest &^= b
		}
	}
	if t.Size < 8 {
		rest &= 1<<(8*t.Size) - 1 // without copies of the sign
	}
	switch {
	case v == 0:
		p.out.WriteString("0")
		return
	case len(names) == 0:
		fmt.Fprintf(&p.out, "(unknown: %#x)", rest)
		return
	case rest != 0:
		names = append(names, fmt.Sprintf("unknown: %#x", rest))
	}
	p.out.WriteString("(" + strings.Join(names, " | ") + ")")
}

func (p *printer) pointer(t *Type, v uint64) {
	if t.Elem.Kind == Function {
		p.code(v)
		return
	}
	fmt.Fprintf(&p.out, "%#x", v)
	if p.names != nil {
		if name := p.names.Data(v); name != "" {
			p.out.WriteString(" <" + name + ">")
		}
	}
	if !t.IsText() {
		return
	}
	var text []byte
	if p.text < len(p.v.Texts) {
		text = p.v.Texts[p.text]
		p.text++
	}
	switch {
	case v == 0:
	case text == nil:
		fmt.Fprintf(&p.out, " <error: Cannot access memory at address %#x>", v)
	default:
		text, whole := withoutZero(text, t.Elem)
		p.out.WriteByte(' ')
		p.characters(text, t.Elem, !whole && len(text) >= mostShown*int(t.Elem.Size))
	}
}

func (p *printer) float(t *Type, v uint64) {
	if t.Size == 2 {
		p.short(t, v)
		return
	}
	if t.Size == 4 {
		f := float64(math.Float32frombits(uint32(v)))
		if math.IsNaN(f) {
			p.nan(v>>31&1 == 1, v&(1<<23-1))
			return
		}
		p.general(f, 9)
		return
	}
	f := math.Float64frombits(v)
	if math.IsNaN(f) {
		p.nan(v>>63 == 1, v&(1<<52-1))
		return
	}
	p.general(f, 17)
}

func (p *printer) nan(negative bool, mantissa uint64) {
	s := fmt.Sprintf("nan(%#x)", mantissa)
	if negative {
		s = "-" + s
	}
	p.number(s)
}

func (p *printer) general(f float64, digits int) {
	p.number(general(f, digits))
}

// number writes a number with a fraction that is spelled as in C.
func (p *printer) number(s string) {
	if p.v.Type.Language == Ada {
		s = adaFloat(s)
	}
	p.out.WriteString(s)
}

// general is a number as C's %g prints it.
func general(f float64, digits int) string {
	if math.IsInf(f, 0) {
		if f < 0 {
			return "-inf"
		}
		return "inf"
	}
	s := strconv.FormatFloat(f, 'e', digits-1, 64)
	at := strings.IndexByte(s, 'e')
	exp, _ := strconv.Atoi(s[at+1:])
	if exp >= -4 && exp < digits {
		s = strconv.FormatFloat(f, 'f', digits-1-exp, 64)
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	m := s[:at]
	if strings.Contains(m, ".") {
		m = strings.TrimRight(strings.TrimRight(m, "0"), ".")
	}
	return fmt.Sprintf("%se%+03d", m, exp)
}
