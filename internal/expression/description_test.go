package expression

import (
	"debug/dwarf"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/object"
	"github.com/profilecollection/pct/internal/object/debuginfo"
	"github.com/profilecollection/pct/internal/value"
)

// A value of each type that variables and members of the programs have is printed by the type's description
// as by the type.
func TestDescriptions(t *testing.T) {
	for _, p := range []struct{ source, cc string }{
		{"types.c", "gcc -g -O0"}, {"types.c", "clang -g -O2"}, {"classes.cpp", "g++ -g -O0"}, {"classes.cpp", "g++ -g -O2"},
	} {
		t.Run(p.source+" "+p.cc, func(t *testing.T) {
			f, err := object.Map(build(t, p.source, strings.Fields(p.cc)...))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			o := NewObject(debuginfo.Open(object.Installed(), f, 0))
			described, longest, refused := 0, 0, map[string]bool{}
			var walk func(e debuginfo.Entry)
			walk = func(e debuginfo.Entry) {
				if typ := e.Ref(dwarf.AttrType); typ.OK() {
					whole := o.types.of(typ).Whole()
					n, err := describedAlike(t, whole)
					if err != nil {
						refused[whole.Name] = true
					} else {
						described++
					}
					longest = max(longest, n)
				}
				for c := range e.Children() {
					walk(c)
				}
			}
			for u := range o.data.Units() {
				walk(u)
			}
			t.Logf("%d described, the longest in %d bytes", described, longest)
			if described < 100 || len(refused) > 0 {
				t.Errorf("%d described, refused: %v", described, refused)
			}
		})
	}
}

// describedAlike prints random values of a type and of its description, whose length it returns.
func describedAlike(t *testing.T, typ *value.Type) (int, error) {
	t.Helper()
	b, err := typ.Describe()
	if err != nil {
		return 0, err
	}
	got, err := value.Described(b)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, typ.Size))
	for range 3 {
		written := make([]byte, typ.Size)
		for i := range written {
			written[i] = byte(random.Uint32() >> random.Uint32N(32))
		}
		written = append(written, 4, 0, 't', 'e', 'x', 0, 0xff, 0xff)
		want, _ := value.Decode(typ, nil, written)
		have, ok := value.Decode(got, nil, written)
		if !ok || have.Text(nil) != want.Text(nil) {
			t.Fatalf("%s: %s, want %s", typ.Name, have.Text(nil), want.Text(nil))
		}
	}
	return len(b), nil
}
