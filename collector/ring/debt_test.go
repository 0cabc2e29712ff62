package ring

import (
	"testing"

	"github.com/profilecollection/pct/internal/resource"
)

// Samples after a gap stand for what it lost, at the rate of those before it.
func TestDebt(t *testing.T) {
	of := func(n int) (all []any) {
		for range n {
			all = append(all, sample{spec: &eventSpec{}})
		}
		return all
	}
	clock := sample{spec: &eventSpec{clock: true}}
	for _, c := range []struct {
		name       string
		records    []any
		beside     []uint64 // of the samples
		owed, rest uint64   // at the end, and all that there was
	}{
		{"no gap", of(2), []uint64{0, 0}, 0, 2},
		{"spread over as many as were kept before", append(append(of(2), lost{6}), of(3)...), []uint64{0, 0, 3, 3, 0}, 0, 11},
		{"more than a whole rate", append(append(of(2), lost{5}), of(2)...), []uint64{0, 0, 3, 2}, 0, 9},
		{"at the beginning", append([]any{lost{4}}, of(2)...), []uint64{4, 0}, 0, 6},
		{"nothing follows", append(of(1), lost{4}), []uint64{0}, 4, 5},
		{"a gap before another is paid", append(append(append(of(2), lost{6}), of(1)...), append([]any{lost{1}}, of(1)...)...), []uint64{0, 0, 3, 4}, 0, 11},
		{"a clock stands for its period", append(of(1), lost{2}, clock, of(1)[0]), []uint64{0, 0, 2}, 0, 4},
	} {
		var d debt
		var got []uint64
		for _, one := range c.records {
			r := record{of: one}
			d.pass(&r)
			if s, is := r.of.(sample); is {
				got = append(got, s.beside)
			}
		}
		if len(got) != len(c.beside) || d.owed != c.owed || d.all != c.rest {
			t.Errorf("%s: %v, %d owed of %d, want %v, %d of %d", c.name, got, d.owed, d.all, c.beside, c.owed, c.rest)
			continue
		}
		for i := range got {
			if got[i] != c.beside[i] {
				t.Errorf("%s: %v, want %v", c.name, got, c.beside)
				break
			}
		}
	}
}

// Of a resource whose samples were lost it's said by how much it is too low, and what loses fewer.
func TestGaps(t *testing.T) {
	write, syscalls := resource.Resource{Name: "write", Interval: 1000}, resource.Resource{Name: "syscalls"}
	for _, c := range []struct {
		text             string
		r                resource.Resource
		launched         bool
		owed, all, taken uint64
		want             string
	}{
		{"in the program", write, true, 0, 1000, 100,
			"write: samples near those that were lost stand for them; profile -r write:1000 without -k loses none: it counts in the program"},
		{"attached", write, false, 0, 1000, 100,
			"write: samples near those that were lost stand for them; a longer interval, such as -r write:16000, loses fewer"},
		{"at the end", syscalls, true, 250, 1000, 500,
			"syscalls: samples near those that were lost stand for them, but not for the last ones: what is shown is too low by some 25%; a longer interval, such as -r syscalls:400, loses fewer"},
	} {
		interval := max(c.r.Interval, 100)
		if got := gaps(c.r, interval, c.launched, c.owed, c.all, c.all-c.taken); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.text, got, c.want)
		}
	}
}
