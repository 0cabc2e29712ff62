package path

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// A stretch of a program is a call of the function, or what is between two.
type stretch struct {
	length float64 // in periods
	call   bool
}

// watched is what samples tell of a program, and what is true of it.
type watched struct {
	activated
	samples int
	long    float64 // mean length of the calls that two samples saw
	once    float64 // of all others together
	most    float64 // of the longest
	share   float64
}

// watch samples a program by a clock of period 1 at a random phase, as the library does, but for the samples that are hidden.
func watch(random *rand.Rand, program []stretch, hidden map[int]bool) watched {
	var w watched
	var l data.Lasting
	var calls uint64
	next, at, inside, ticks := random.Float64(), 0.0, 0.0, 0
	last, all := -9, 0.0 // the last sample in a call; the length of all calls
	for _, s := range program {
		first := w.samples
		for at += s.length; next < at; next++ {
			if !hidden[ticks] {
				w.samples++
			}
			ticks++
		}
		seen := w.samples - first
		if !s.call {
			continue
		}
		all += s.length
		w.most = max(w.most, s.length)
		if seen < 2 {
			w.once += s.length
		}
		if seen == 0 {
			continue
		}
		calls++
		inside += float64(seen)
		if seen >= 2 {
			l.Twice++
			w.long += s.length
			switch first - last {
			case 1:
				l.Next++
			case 2:
				l.Near++
			}
		}
		if seen >= 3 {
			l.Thrice++
			l.Most = max(l.Most, uint32(seen))
		}
		last = w.samples - 1
	}
	w.long /= max(float64(l.Twice), 1)
	w.share = all / at
	how := sampling{period: 1, scale: 1, whole: seen{weight: uint64(w.samples)}, missing: unexplained(at-float64(w.samples), 1) / float64(w.samples)}
	if at > float64(w.samples)+1 {
		how.scale = at / float64(w.samples)
	}
	w.add(calls, l, true, seen{weight: uint64(inside)}, how)
	return w
}

// loop makes a program of calls with something between them.
func loop(random *rand.Rand, calls int, length, between func() float64) []stretch {
	p := []stretch{{10 * random.Float64(), false}}
	for range calls {
		p = append(p, stretch{length(), true}, stretch{between(), false})
	}
	return append(p, stretch{10 * random.Float64(), false})
}

// Intervals of two standard errors hold 95 % of the truths: of the mean of the calls that two samples saw, and of the
// share. What lengths a period can't tell apart, or follow too closely, make them wider and no narrower.
func TestCost(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	even := func(low, high float64) func() float64 {
		return func() float64 { return low + (high-low)*random.Float64() }
	}
	mixed := func(n int, long, short func() float64) func() float64 {
		i := 0
		return func() float64 {
			if i++; i%n == 0 {
				return long()
			}
			return short()
		}
	}
	// 95 ± 2 %, and four standard errors of as many runs.
	const runs, least, most = 1000, 922, 978
	for _, tt := range []struct {
		name                string
		calls               int
		length, between     func() float64
		wideMean, wideShare bool
	}{
		{"apart", 50, even(20, 60), even(5, 15), false, false},
		{"few", 3, even(90, 110), even(20, 60), false, false},
		{"one", 1, even(90, 110), even(20, 60), false, false},
		{"next to each other", 50, even(20, 60), even(0, 0.01), false, false},
		{"near", 50, even(20, 60), even(0, 0.6), false, false},
		{"few, near", 10, even(6, 14), even(0, 0.6), false, false},
		{"in pairs", 50, even(20, 60), mixed(2, even(20, 40), even(0, 0.001)), false, false},
		{"long and short", 3000, mixed(1000, even(90, 110), even(0.04, 0.06)), even(0.1, 0.4), false, true},
		{"long and short, next", 3000, mixed(100, even(10, 20), even(0, 0.3)), even(0, 0.01), false, true},
		{"short", 1000, even(0.01, 0.1), even(0.1, 0.4), true, true},
		{"around a period", 100, even(0.5, 1.5), even(2, 4), true, true},
		{"a period and a half", 100, even(1.5, 1.5), even(2, 4), true, true},
		{"two to three periods", 100, even(2, 3), even(2, 4), true, true},
		{"of all lengths", 300, func() float64 { return 3 * random.ExpFloat64() }, even(2, 4), true, true},
	} {
		mean, share, others := 0, 0, 0
		for range runs {
			w := watch(random, loop(random, tt.calls, tt.length, tt.between), nil)
			c := w.cost()
			if w.calls == 0 {
				continue
			}
			if c.Calls != w.calls || c.Long != w.twice || c.Bound != 2 || c.Old {
				t.Fatalf("%s: %+v of %+v", tt.name, c, w)
			}
			if c.Long == 0 || math.Abs(c.Mean-w.long) <= 2*c.Error {
				mean++
			}
			if math.Abs(w.weight/float64(w.samples)-w.share) <= 2*c.ShareError(calltree.Weight{Samples: w.samples, Weight: uint64(w.samples)}, uint64(w.weight)) {
				share++
			}
			if math.Abs(c.Once-w.once) <= 2*c.OnceError {
				others++
			}
			if c.Most > 0 && math.Abs(c.Most-w.most) > 1 {
				t.Fatalf("%s: the longest of %v took %v", tt.name, c.Most, w.most)
			}
		}
		t.Logf("%s: %d of %d hold the mean, %d the share, %d what the others cost", tt.name, mean, runs, share, others)
		if mean < least || !tt.wideMean && mean > most || share < least || others < least || !tt.wideShare && share > most {
			t.Errorf("%s: %d of %d hold the mean, %d the share, %d what the others cost; want %d to %d", tt.name, mean, runs, share, others, least, most)
		}
	}
}

// Where interrupts hide samples, several at once, intervals are wider.
func TestCostOfHiddenSamples(t *testing.T) {
	const runs, least = 1000, 922
	random := rand.New(rand.NewPCG(3, 4))
	even := func(low, high float64) func() float64 {
		return func() float64 { return low + (high-low)*random.Float64() }
	}
	for _, tt := range []struct {
		name            string
		calls           int
		length, between func() float64
	}{
		{"apart", 8, even(6, 14), even(2, 6)},
		{"one", 1, even(40, 80), even(40, 80)},
	} {
		mean, share := 0, 0
		for range runs {
			hidden := map[int]bool{}
			for range random.IntN(4) {
				at := random.IntN(120)
				for n := range 1 + random.IntN(2) {
					hidden[at+n] = true
				}
			}
			w := watch(random, loop(random, tt.calls, tt.length, tt.between), hidden)
			c := w.cost()
			if math.Abs(c.Mean-w.long) <= 2*c.Error {
				mean++
			}
			if math.Abs(w.weight/float64(w.samples)-w.share) <= 2*c.ShareError(calltree.Weight{Samples: w.samples, Weight: uint64(w.samples)}, uint64(w.weight)) {
				share++
			}
		}
		t.Logf("%s: %d of %d hold the mean, %d the share", tt.name, mean, runs, share)
		if mean < least || share < least {
			t.Errorf("%s: %d of %d hold the mean, %d the share; want %d", tt.name, mean, runs, share, least)
		}
	}
}

// Of f, called 3 times for 100 ms and 3,000 times for 0.05, the mean of those that were seen is no cost of a call.
func TestCostOfDifferentCalls(t *testing.T) {
	var a activated
	a.add(153, data.Lasting{Twice: 3, Thrice: 3, Most: 101}, true, seen{weight: 450e3}, sampling{period: 1e3, scale: 1})
	want := Cost{Calls: 153, Long: 3, Mean: 100e3, Error: 1e3 * math.Sqrt(3./6) / 3, Most: 101e3, Once: 150e3, OnceError: 1e3 * math.Sqrt(150), Bound: 2e3}
	if c := a.cost(); math.Abs(c.Error-want.Error) > 1e-9 || math.Abs(c.variance-153e6+3e6-.5e6) > 1 {
		t.Errorf("%+v, want %+v", c, want)
	} else if c.Error, c.variance, c.period = want.Error, 0, 0; c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}

func TestUnknownCost(t *testing.T) {
	how := sampling{period: 1, scale: 1}
	for _, c := range []struct {
		calls  uint64
		weight uint64
	}{{0, 0}, {3, 0}, {0, 5}} {
		var a activated
		a.add(c.calls, data.Lasting{}, true, seen{weight: c.weight}, how)
		if got := a.cost(); got != (Cost{}) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	// Old data tell of a number alone.
	var a activated
	a.add(10, data.Lasting{}, false, seen{weight: 1000}, how)
	if c := a.cost(); !c.Old || c.Calls != 10 || c.Long != 0 || c.Bound < 100 || c.Bound > 101 {
		t.Errorf("%+v", c)
	}
}
