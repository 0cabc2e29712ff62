package path

import (
	"cmp"
	"math"
	"slices"
)

// A Comparison of two selections, A and B, tells how the shares of what was found
// in them differ.
type Comparison struct {
	A, B    Side
	Changes []Change // the largest first, those that are distinguishable before the others
}

// Side is the samples of a selection, or of a part of it.
type Side struct {
	Samples int
	Weight  uint64
}

// A Change is what became of one line, function or object.
type Change struct {
	Label          string
	A, B           Side
	ShareA, ShareB float64 // of the weight of their selections

	// Deviations is the difference of the shares in standard deviations, those that
	// it would have by chance if the program were the same.
	Deviations float64
	// Distinguishable says that this is more than two of them, which one in
	// twenty-two differences by chance are.
	Distinguishable bool

	// The instructions of each side.
	InA, InB []Instruction
}

// Difference returns the change of the share, B minus A.
func (c *Change) Difference() float64 { return c.ShareB - c.ShareA }

// Compare compares the innermost frames of two selections, told apart by their
// labels in Flat, and by their weights.
func Compare(a, b *Selection, t Translator, o Options) (*Comparison, error) {
	c := &Comparison{A: Side{a.Samples(), a.Weight()}, B: Side{b.Samples(), b.Weight()}}
	byLabel := map[string]*Change{}
	change := func(label string) *Change {
		if byLabel[label] == nil {
			byLabel[label] = &Change{Label: label}
		}
		return byLabel[label]
	}
	for _, side := range []struct {
		selected *Selection
		of       func(*Change) (*Side, *[]Instruction)
	}{
		{a, func(c *Change) (*Side, *[]Instruction) { return &c.A, &c.InA }},
		{b, func(c *Change) (*Side, *[]Instruction) { return &c.B, &c.InB }},
	} {
		instructions, err := side.selected.Instructions(t)
		if err != nil {
			return nil, err
		}
		rest := Side{side.selected.Samples(), side.selected.Weight()}
		for i := range instructions {
			in := &instructions[i]
			sum, all := side.of(change(in.Label(o.Granularity, o.Templates)))
			sum.Samples += in.Samples
			sum.Weight += in.Weight
			*all = append(*all, *in)
			rest.Samples -= in.Samples
			rest.Weight -= in.Weight
		}
		if rest.Samples > 0 {
			sum, _ := side.of(change(outside))
			sum.Samples += rest.Samples
			sum.Weight += rest.Weight
		}
	}
	for _, change := range byLabel {
		change.judge(c.A, c.B)
		c.Changes = append(c.Changes, *change)
	}
	slices.SortFunc(c.Changes, func(x, y Change) int {
		if x.Distinguishable != y.Distinguishable {
			if x.Distinguishable {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(math.Abs(y.Difference()), math.Abs(x.Difference())), cmp.Compare(x.Label, y.Label))
	})
	return c, nil
}

// deviations is what a difference must exceed to be distinguishable, and chance the
// probability that a normal variable exceeds it in one direction.
const (
	deviations = 2
	chance     = 0.02275
)

// fewSamples is the expected number up to which the normal distribution is no good
// approximation of the binomial one.
const fewSamples = 5

// judge fills in the shares and whether they are distinguishable, from the totals of
// the two sides.
//
// The numbers of samples n1 of N1 and n2 of N2 are binomial. If both sides have the
// same share p, it is (n1+n2)/(N1+N2), and the difference of the shares found has the
// variance p(1-p)(1/N1+1/N2): the two-proportion z-test. For equal totals N and small
// p, |n1/N-n2/N| > 2√(2p/N) with p = (n1+n2)/2N is |n1-n2| > 2√(n1+n2), which is the
// test of the paper on PCT, section 6.2.
//
// With few samples of totals that are far apart that would find differences in
// nothing: one sample in the smaller total is many deviations. There the tail of the
// binomial distribution has to be as small, too.
func (c *Change) judge(totalA, totalB Side) {
	c.ShareA, c.ShareB = share(c.A.Weight, totalA.Weight), share(c.B.Weight, totalB.Weight)
	n1, n2 := float64(totalA.Samples), float64(totalB.Samples)
	p := (c.ShareA*n1 + c.ShareB*n2) / (n1 + n2)
	if variance := p * (1 - p) * (1/n1 + 1/n2); variance > 0 {
		c.Deviations = math.Abs(c.Difference()) / math.Sqrt(variance)
	}
	c.Distinguishable = c.Deviations > deviations &&
		beyondChance(c.A.Samples, c.B.Samples, totalA.Samples, totalB.Samples) &&
		beyondChance(totalA.Samples-c.A.Samples, totalB.Samples-c.B.Samples, totalA.Samples, totalB.Samples)
}

func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// beyondChance reports whether a and b samples, of totals A and B, are as unlikely by
// chance as two deviations are. Where there are many it leaves that to those.
func beyondChance(a, b, totalA, totalB int) bool {
	n := float64(a + b)
	q := float64(totalA) / float64(totalA+totalB) // that a sample is one of A
	k := a
	if q > 0.5 {
		k, q = b, 1-q
	}
	expected := n * q
	if expected >= fewSamples {
		return true
	}
	if n == 0 {
		return false
	}
	below, at := 0.0, math.Exp(n*math.Log1p(-q)) // P(X<i), P(X=i)
	for i := range k {
		below += at
		at *= (n - float64(i)) / float64(i+1) * q / (1 - q)
	}
	tail := below + at
	if float64(k) > expected {
		tail = 1 - below
	}
	return tail < chance
}
