package path

import (
	"cmp"
	"math"
	"slices"

	"github.com/profilecollection/pct/pct/internal/calltree"
)

// A Comparison of two selections, A and B, tells how the shares of what was found
// in them differ, or the weights themselves.
type Comparison struct {
	A, B     Side
	Changes  []Change // the largest first, those that are distinguishable before the others
	Known    int      // of these that are distinguishable
	Rest     Rest     // of the others, also where Changes has none of them
	Total    Change   // of all that was selected: its weights, never its shares
	Repeated bool     // the sides are runs that were compared by how they differ among themselves
	RunsA    int
	RunsB    int

	// Matched are the objects that are compared though their paths differ: their labels
	// have the base names. NamelessA and NamelessB tell what of a side can't be compared
	// by functions, where those are what is compared.
	Matched              []Matched
	NamelessA, NamelessB []Nameless
}

// Side is the samples of a selection, or of a part of it.
type Side struct {
	Samples int
	Weight  uint64
}

// A Change is what became of one line, function, object or call path.
type Change struct {
	Label string   // "" of a call path
	Path  CallPath // which that is
	A, B  Side

	// What is compared: the share of the weight of its selection or, by Comparing.Times, the
	// weight itself, in gticks. Of repeated runs it is their mean.
	ShareA, ShareB float64
	ErrorA, ErrorB float64 // standard errors of these

	// Deviations is the difference in standard deviations, those that
	// it would have by chance if the program were the same.
	Deviations float64
	Welch      Welch // of repeated runs
	// Distinguishable says that there are more than two deviations, which one in
	// twenty-two differences by chance has, and of repeated runs that Welch's test
	// says so, too.
	Distinguishable bool

	// The instructions of each side, where frames alone were compared.
	InA, InB []Instruction

	runsA, runsB []uint64 // weights in the runs
}

// Rest are the changes that are not distinguishable.
type Rest struct {
	Number         int
	ShareA, ShareB float64
}

// Difference returns the change, B minus A.
func (c *Change) Difference() float64 { return c.ShareB - c.ShareA }

// Comparing says what is compared.
type Comparing struct {
	Options
	Paths bool // call paths of functions, as Paths has them, with Levels; else innermost frames
	Times bool // weights instead of shares
	Brief bool // only changes that are distinguishable are wanted
}

// frames reports whether innermost frames are all that matters: call paths need not be
// known, and instructions are.
func (by Comparing) frames() bool { return !by.Paths && len(by.Refinements) == 0 }

// functions reports whether what is compared has names that are looked up.
func (by Comparing) functions() bool {
	return by.Paths || by.Granularity != Address && by.Granularity != Object
}

// compared is what is compared, by numbers: those of labels, or the nodes of call paths.
type compared struct {
	paths    tree             // of both sides
	numbers  map[string]int32 // of labels; nil where call paths are compared
	labels   []string
	sums     [2][]Side          // of A and B
	runs     [2][][]uint64      // weights in each run, where these are repeated
	in       [2][][]Instruction // where frames alone are compared
	repeated bool
}

func (c *compared) number(label string) int32 {
	n, ok := c.numbers[label]
	if !ok {
		n = int32(len(c.labels))
		c.numbers[label], c.labels = n, append(c.labels, label)
	}
	return n
}

// add adds a part of a run of a side, 0 or 1.
func (c *compared) add(side, run int, number int32, p Side, in []Instruction) {
	sum := at(&c.sums[side], number)
	sum.Samples += p.Samples
	sum.Weight += p.Weight
	if c.repeated {
		*at(&c.runs[side][run], number) += p.Weight
	}
	if len(in) > 0 {
		all := at(&c.in[side], number)
		*all = append(*all, in...)
	}
}

// at is an element of a slice that grows as needed.
func at[T any](all *[]T, i int32) *T {
	if lack := int(i) + 1 - len(*all); lack > 0 {
		*all = append(*all, make([]T, lack)...)
	}
	return &(*all)[i]
}

// of returns an element, zero behind the end.
func of[T any](all []T, i int32) (element T) {
	if int(i) < len(all) {
		element = all[i]
	}
	return element
}

// change returns what became of a number, but for what follows from the whole.
func (c *compared) change(number int32) Change {
	change := Change{Label: c.label(number), A: of(c.sums[0], number), B: of(c.sums[1], number)}
	switch {
	case c.numbers != nil:
		change.InA, change.InB = of(c.in[0], number), of(c.in[1], number)
	case number != 0:
		change.Path = CallPath{c.paths, number}
	}
	for _, run := range c.runs[0] {
		change.runsA = append(change.runsA, of(run, number))
	}
	for _, run := range c.runs[1] {
		change.runsB = append(change.runsB, of(run, number))
	}
	return change
}

// label is that of the change of a number.
func (c *compared) label(number int32) string {
	switch {
	case c.numbers != nil:
		return c.labels[number]
	case number == 0:
		return outside
	}
	return ""
}

// Compare compares two sides, by their weights. Each is a selection or, two or more
// on each side, several runs of the same work; several on one side alone are added up.
// Innermost frames are told apart by their labels in Flat, with the base name instead of
// the path of an object that is at another path in the other side.
func Compare(a, b []*Selection, t Translator, by Comparing) (*Comparison, error) {
	c := &Comparison{RunsA: len(a), RunsB: len(b), Repeated: len(a) > 1 && len(b) > 1}
	if err := c.objects(a, b, t, by); err != nil {
		return nil, err
	}
	namesA, namesB := map[string]string{}, map[string]string{}
	for _, m := range c.Matched {
		namesA[m.A], namesB[m.B] = m.Name, m.Name
	}
	all := &compared{paths: newTree(), repeated: c.Repeated}
	if !by.Paths {
		all.numbers = map[string]int32{}
	}
	for side, selected := range [][]*Selection{a, b} {
		if c.Repeated {
			all.runs[side] = make([][]uint64, len(selected))
		}
		for run, s := range selected {
			add := func(number int32, p Side, in []Instruction) { all.add(side, run, number, p, in) }
			if err := s.parts(t, by, []map[string]string{namesA, namesB}[side], all, add); err != nil {
				return nil, err
			}
		}
	}
	all.paths.Settle()
	c.Total = all.total()
	c.A, c.B = c.Total.A, c.Total.B
	whole := c.Total
	type row struct {
		number     int32
		known      bool
		difference float64
	}
	var rows []row
	full := func(number int32) Change {
		change := all.change(number)
		change.compare(&whole, by.Times, c.Repeated)
		return change
	}
	for number := range int32(max(len(all.sums[0]), len(all.sums[1]))) {
		if of(all.sums[0], number).Samples+of(all.sums[1], number).Samples > 0 {
			change := full(number)
			rows = append(rows, row{number, change.Distinguishable, math.Abs(change.Difference())})
		}
	}
	c.Total.compare(&whole, true, c.Repeated)
	slices.SortFunc(rows, func(x, y row) int {
		if x.known != y.known {
			if x.known {
				return -1
			}
			return 1
		}
		if order := cmp.Or(cmp.Compare(y.difference, x.difference), cmp.Compare(all.label(x.number), all.label(y.number))); order != 0 || !by.Paths {
			return order
		}
		return all.paths.compare(x.number, y.number)
	})
	for _, r := range rows {
		change := full(r.number)
		if !by.Brief || r.known {
			c.Changes = append(c.Changes, change)
		}
		if r.known {
			c.Known++
			continue
		}
		c.Rest.Number++
		c.Rest.ShareA += change.ShareA
		c.Rest.ShareB += change.ShareB
	}
	return c, nil
}

// total is the change of all.
func (c *compared) total() (t Change) {
	for side, sum := range []*Side{&t.A, &t.B} {
		for _, s := range c.sums[side] {
			sum.Samples += s.Samples
			sum.Weight += s.Weight
		}
	}
	for side, runs := range []*[]uint64{&t.runsA, &t.runsB} {
		for _, run := range c.runs[side] {
			sum := uint64(0)
			for _, w := range run {
				sum += w
			}
			*runs = append(*runs, sum)
		}
	}
	return t
}

// objects fills in what is said of objects.
func (c *Comparison) objects(a, b []*Selection, t Translator, by Comparing) (err error) {
	inA, inB := builds(a), builds(b)
	if !by.Paths {
		c.Matched = match(inA, inB)
		if m, ok := matchPrograms(a, b, inA, inB, c.Matched); ok {
			c.Matched = append(c.Matched, m)
		}
	}
	if t == nil || !by.functions() {
		return nil
	}
	if c.NamelessA, err = nameless(a, inA, inB, t); err != nil {
		return err
	}
	c.NamelessB, err = nameless(b, inB, inA, t)
	return err
}

// parts divides the selection among what is compared; call paths are put into a tree. An object's name, if it
// has one, stands for its path in a label.
func (s *Selection) parts(t Translator, by Comparing, names map[string]string, all *compared, add func(int32, Side, []Instruction)) error {
	if !by.frames() {
		return s.pathParts(t, by, names, all, add)
	}
	instructions, err := s.Instructions(t)
	if err != nil {
		return err
	}
	rest := Side{s.Samples(), s.Weight()}
	for i, in := range instructions {
		in.Object = cmp.Or(names[in.Object], in.Object)
		add(all.number(in.Label(by.Granularity, by.Templates)), Side{in.Samples, in.Weight}, instructions[i:i+1])
		rest.Samples -= in.Samples
		rest.Weight -= in.Weight
	}
	if rest.Samples > 0 {
		add(all.number(outside), rest, nil)
	}
	return nil
}

// pathParts adds the call paths that refinements keep, or their innermost frames.
func (s *Selection) pathParts(t Translator, by Comparing, names map[string]string, all *compared, add func(int32, Side, []Instruction)) error {
	paths := all.paths
	o := by.Options
	if !by.Paths {
		o.Granularity = Location // by which functions are known, too
	}
	calls, err := s.Calls(t, o)
	if err != nil {
		return err
	}
	for _, group := range calls.Groups {
		tree := group.Tree
		if !by.Paths {
			for node, w := range tree.Self {
				if w.Samples == 0 {
					continue
				}
				label := outside
				if f := &tree.Frames[tree.Nodes[node].Frame]; node > 0 && f.Name != outside {
					label = frame{function: f.Function, file: f.File, line: f.Line, object: cmp.Or(names[f.Object], f.Object), addr: f.Addr}.label(by.Granularity)
				}
				add(all.number(label), Side{w.Samples, w.Weight}, nil)
			}
			continue
		}
		frames := make([]int32, len(tree.Frames)) // in paths
		for i := range tree.Frames {
			frames[i] = paths.Frame(calltree.Frame{Name: tree.Frames[i].Name})
		}
		at := make([]int32, len(tree.Nodes)) // in paths
		for node, w := range tree.Self {
			if node > 0 {
				n := tree.Nodes[node]
				at[node] = paths.Child(at[n.Parent], frames[n.Frame])
			}
			if w.Samples == 0 {
				continue
			}
			of := at[node]
			if of != 0 && by.Levels > 0 {
				of = paths.cut(of, by.Levels)
			}
			add(of, Side{w.Samples, w.Weight}, nil)
		}
	}
	return nil
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

// compare fills in what is compared, and whether it is distinguishable, from the change
// of all that was selected.
//
// Chance in the choice of samples is the least by which runs differ: judge and judgeTimes
// allow for it alone. Where runs are repeated, Welch's test allows for all else, too: the
// machine, the input, the order of memory. A difference has to pass both: with few runs
// of few samples these can be equal by chance, which Welch's test takes for certainty.
func (c *Change) compare(whole *Change, times, repeated bool) {
	if times {
		c.judgeTimes()
	} else {
		c.judge(whole.A, whole.B)
	}
	if !repeated {
		return
	}
	of := func(runs, totals []uint64) []float64 {
		var values []float64
		for i, w := range runs {
			switch {
			case times:
				values = append(values, float64(w))
			case totals[i] > 0:
				values = append(values, share(w, totals[i]))
			}
		}
		return values
	}
	c.Welch = welch(of(c.runsA, whole.runsA), of(c.runsB, whole.runsB))
	c.ShareA, c.ShareB = c.Welch.meanA, c.Welch.meanB
	c.ErrorA, c.ErrorB = c.Welch.errorA, c.Welch.errorB
	c.Distinguishable = c.Distinguishable && c.Welch.P < level
}

// judgeTimes is judge, for the weights themselves. Numbers of samples are taken for
// those of a Poisson process, of which clocks with a steady period have less variance.
func (c *Change) judgeTimes() {
	c.ShareA, c.ShareB = float64(c.A.Weight), float64(c.B.Weight)
	errorOf := func(s Side) float64 {
		if s.Samples == 0 {
			return 0
		}
		return float64(s.Weight) / math.Sqrt(float64(s.Samples))
	}
	c.ErrorA, c.ErrorB = errorOf(c.A), errorOf(c.B)
	if e := math.Hypot(c.ErrorA, c.ErrorB); e > 0 {
		c.Deviations = math.Abs(c.Difference()) / e
	}
	c.Distinguishable = c.Deviations > deviations && beyondChance(c.A.Samples, c.B.Samples, 1, 1)
}

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
	c.ErrorA, c.ErrorB = binomialError(c.ShareA, n1), binomialError(c.ShareB, n2)
	p := (c.ShareA*n1 + c.ShareB*n2) / (n1 + n2)
	if variance := p * (1 - p) * (1/n1 + 1/n2); variance > 0 {
		c.Deviations = math.Abs(c.Difference()) / math.Sqrt(variance)
	}
	c.Distinguishable = c.Deviations > deviations &&
		beyondChance(c.A.Samples, c.B.Samples, totalA.Samples, totalB.Samples) &&
		beyondChance(totalA.Samples-c.A.Samples, totalB.Samples-c.B.Samples, totalA.Samples, totalB.Samples)
}

func binomialError(p, n float64) float64 {
	if n == 0 {
		return 0
	}
	return math.Sqrt(max(0, p*(1-p)) / n)
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
