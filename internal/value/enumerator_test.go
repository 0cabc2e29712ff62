package value

import (
	"encoding/binary"
	"testing"
)

// What Text shows of an enumeration is read back.
func TestEnumerated(t *testing.T) {
	scoped := &Type{Kind: Enumeration, Size: 4, Enums: []Enumerator{{"ns::mode::on", 3}, {"ns::mode::off", 4}}}
	for _, typ := range []*Type{colours, masks, scoped} {
		for n := int64(1); n < 20; n++ {
			v := Value{Type: typ, Bytes: binary.LittleEndian.AppendUint32(nil, uint32(n))}
			text := v.Text(nil)
			got, ok := typ.Enumerated(text)
			if ok && got != n || !ok && text[0] == '(' {
				t.Errorf("%d is %s, which is %d, %v", n, text, got, ok)
			}
		}
	}
	signed := &Type{Kind: Enumeration, Size: 4, Enums: masks.Enums, Flags: true, Signed: true}
	v := Value{Type: signed, Bytes: []byte{0xfa, 0xff, 0xff, 0xff}}
	if got, ok := signed.Enumerated(v.Text(nil)); !ok || got != -6 {
		t.Errorf("-6 is %s, which is %d, %v", v.Text(nil), got, ok)
	}
	for text, want := range map[string]int64{"on": 3, "mode::off": 4, "ns::mode::on": 3} {
		if got, ok := scoped.Enumerated(text); !ok || got != want {
			t.Errorf("%s is %d, %v", text, got, ok)
		}
	}
	reference := &Type{Kind: Reference, Size: 8, Elem: scoped, View: &View{Kind: AsReference, Elem: scoped}}
	if got, ok := reference.Enumerated("ns::mode::off"); !ok || got != 4 {
		t.Errorf("by reference off is %d, %v", got, ok)
	}
	for _, text := range []string{"", "n", "(", "(on", "(on | )", "(unknown: 0x)", "node::on"} {
		if got, ok := scoped.Enumerated(text); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
	if _, ok := anInt.Enumerated("on"); ok {
		t.Error("an int has enumerators")
	}
}
