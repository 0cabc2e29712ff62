package object

import "testing"

// What a pointer leads to has one name, the best of the symbol that covers the address and begins last.
func TestPointees(t *testing.T) {
	f := open(t, assemble(t, aliases))
	table := ReadPointees(f, nil, f)
	at := map[string]uint64{}
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		at[s.Name] = s.Value
	}
	for _, tt := range []struct {
		symbol string
		offset uint64
		want   Pointee
	}{
		{"_start", 0, Pointee{"_start", 0, true}},
		{"__a", 0, Pointee{"plain", 0, false}}, {"__a", 7, Pointee{"plain", 7, false}},
		{"b_weak", 3, Pointee{"z_global", 3, false}},
		{"outer", 7, Pointee{"outer", 7, true}}, {"outer", 8, Pointee{"inner", 0, false}}, {"outer", 16, Pointee{"outer", 16, true}},
		{"versioned", 7, Pointee{"versioned", 7, true}},
		{"unsized", 0, Pointee{}}, {"label", 1, Pointee{}}, {"versioned", 8, Pointee{}},
	} {
		if at[tt.symbol] == 0 {
			t.Fatalf("no symbol %s", tt.symbol)
		}
		if got, ok := table.Find(at[tt.symbol] + tt.offset); got != tt.want || ok != (tt.want.Name != "") {
			t.Errorf("%s+%d: %+v, want %+v", tt.symbol, tt.offset, got, tt.want)
		}
	}
}
