package value

import (
	"strconv"
	"strings"
)

// Enumerated returns the number of an enumeration that Text shows so. An enumerator may lack the names
// around it.
func (t *Type) Enumerated(text string) (int64, bool) {
	if t.View != nil && t.View.Kind == AsReference && t.View.Elem != nil {
		t = t.View.Elem
	}
	if t.Kind != Enumeration {
		return 0, false
	}
	inner, several := strings.CutPrefix(text, "(")
	if !several {
		return t.enumerator(text)
	}
	inner, several = strings.CutSuffix(inner, ")")
	var all int64
	for part := range strings.SplitSeq(inner, " | ") {
		v, ok := t.enumerator(part)
		if hex, found := strings.CutPrefix(part, "unknown: 0x"); found {
			bits, err := strconv.ParseUint(hex, 16, 64)
			v, ok = int64(bits), err == nil
		}
		if !ok || !several {
			return 0, false
		}
		all |= v
	}
	if t.Signed && t.Size > 0 && t.Size < 8 { // what is unknown is shown without copies of the sign
		shift := 64 - 8*t.Size
		all = all << shift >> shift
	}
	return all, true
}

func (t *Type) enumerator(name string) (int64, bool) {
	for _, e := range t.Enums {
		if e.Name == name || strings.HasSuffix(e.Name, "::"+name) {
			return e.Value, true
		}
	}
	return 0, false
}
