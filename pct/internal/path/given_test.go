package path

import (
	"testing"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/translators"
)

// refusing is a translator that must not be asked about some addresses.
type refusing struct{ t *testing.T }

func (r refusing) TranslateBuild(object, _ string, vaddrs []uint64) ([][]translators.Location, error) {
	answers := make([][]translators.Location, len(vaddrs))
	for i, v := range vaddrs {
		if v != 3 {
			r.t.Errorf("asked about %s:%#x, which has names", object, v)
		}
		answers[i] = []translators.Location{{Func: "translated"}}
	}
	return answers, nil
}

// namedRun makes a run with names for two of its three addresses, the third of which
// it is known to have none for, and a fourth.
func namedRun(t *testing.T, outer string) string {
	d, err := data.Create(t.TempDir(), "prog", 0)
	check(t, err)
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs"})
	check(t, err)
	o := w.Object("/bin/prog", "", 0, 0, 0, 0)
	w.Names(o, 1, []data.Name{{Function: outer, File: "/src/o.c", Line: 3}})
	w.Names(o, 2, []data.Name{{Function: "in", File: "/src/i.h", Line: 1}, {Function: "std::f<int>", File: "/src/f.c", Line: 9}})
	w.Names(o, 4, nil)
	top := w.Node(0, o, 1)
	check(t, w.Sample(data.Sample{Node: w.Node(w.Node(w.Node(top, o, 3), o, 4), o, 2), Weight: 5, Count: 2, Untimed: true}))
	check(t, w.Close())
	return d.Path()
}

// Names that came with the data are taken as they are, each run's for itself.
func TestGivenNames(t *testing.T) {
	a, b := namedRun(t, "one"), namedRun(t, "two")
	for _, c := range []struct {
		g    Granularity
		want string
	}{
		{Symbol, "5 2 in <- std::f <- prog:0x4 <- translated <- one\n5 2 in <- std::f <- prog:0x4 <- translated <- two\n"},
		{Line, "10 4 i.h:1 <- f.c:9 <- prog:0x4 <- prog:translated <- o.c:3\n"},
		{Address, "10 4 prog:0x2 <- prog:0x4 <- prog:0x3 <- prog:0x1\n"},
	} {
		p, err := selection(t, "", a, b).Paths(refusing{t}, Options{Granularity: c.g})
		check(t, err)
		if got := text(p); got != c.want {
			t.Errorf("granularity %d: got\n%swant\n%s", c.g, got, c.want)
		}
	}
	p, err := selection(t, "", a).Flat(refusing{t}, Options{Granularity: Line})
	check(t, err)
	if got, want := text(p), "5 2 /src/i.h:1\n"; got != want {
		t.Errorf("flat: got\n%swant\n%s", got, want)
	}
}
