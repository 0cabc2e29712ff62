package path

import (
	"math"

	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/pct/internal/calltree"
)

// Cost is what the samples tell of the activations of a context that they saw.
//
// An activation that is seen by k samples, a period T apart, lasted between (k-1)T and (k+1)T. What lasts 2T
// is seen by two samples for sure, what lasts T by one, and what is shorter by chance. So
// only those that two samples saw are known to be long, and only of these a mean is told.
//
// Samples may weigh several periods, for time before them that no sample saw: what the kernel's tick finds in the
// kernel does. Such a sample says as much of lengths as others, and its weight may be anyone's.
type Cost struct {
	Calls     uint64  // activations that a sample saw, 0 unknown
	Long      uint64  // of them, those that two samples saw, or more
	Mean      float64 // of Long, in the unit
	Error     float64 // its standard error
	Most      float64 // of the longest of them, about; 0 unknown
	Once      float64 // of all others together, those that no sample saw too
	OnceError float64
	Bound     float64 // each of the others cost less
	// Old says that only the number of activations is known, as in data of old versions: Bound is that of the mean of all.
	Old bool

	variance float64 // of the weight; 0 unknown
	period   float64
	clump    float64 // as in sampling
}

// activated adds up what is known of the activations of a context.
type activated struct {
	calls         uint64
	twice, thrice uint64
	next, near    uint64
	most          float64
	weight        float64 // of all samples that saw them
	once          float64 // of those that were seen by one sample
	scaled        float64 // weight, as scale says
	period        float64 // the longest of all runs
	heaviness     float64 // variance by samples that weigh more than a period
	heavy         float64 // the weight of such a sample, if there are some
	missing       float64 // variance by what no sample stands for
	clump         float64
	irregular     bool // samples are not a period apart
	old           bool
}

// seen are the samples of a node and of all below it.
type seen struct {
	weight                  uint64
	heavy, heavier, squares uint64 // of those that weigh more than a period, as in data.Lasting
}

func (s *seen) add(o seen) {
	s.weight += o.weight
	s.heavy += o.heavy
	s.heavier += o.heavier
	s.squares += o.squares
}

const (
	// aBoundary is the variance, in periods squared, of the number of samples before an
	// instant that is anywhere between two of them. An activation has two.
	aBoundary = 1. / 12
	// irregularly is the same where each sample stands anywhere in an interval of its own.
	irregularly = 1. / 6
	// certain is the number of standard deviations that a bound is above the mean.
	certain = 2
)

// sampling is how the samples of a run tell of activations.
type sampling struct {
	period    float64 // in the unit
	scale     float64 // of costs, to what the kernel counted
	lacking   float64 // the part of what the kernel counted that scale does not make up for
	irregular bool
	missing   float64 // the difference of the two counts, as a part of the weight; 0 if the clock's ends explain it
	whole     seen    // all samples
	clump     float64 // by which samples that weigh more than a period make variances greater; 1 if there are none
}

// unexplained is how far what the kernel counted is from the weight of a clock's samples. The clock's first and last period are cut:
// in 24 runs of 25 that makes less than 0.8 periods, which tell nothing. What is more may be of one context.
func unexplained(difference, period float64) float64 {
	const cut = 0.8
	if d := math.Abs(difference); d > cut*period {
		return d
	}
	return 0
}

// add adds the activations of a context that samples of a run saw.
func (a *activated) add(calls uint64, l data.Lasting, known bool, by seen, how sampling) {
	weight := float64(by.weight)
	a.calls += calls
	a.twice += uint64(l.Twice)
	a.thrice += uint64(l.Thrice)
	a.next += uint64(l.Next)
	a.near += uint64(l.Near)
	a.most = max(a.most, float64(l.Most)*how.period*how.scale)
	a.weight += weight
	a.scaled += weight * how.scale
	a.once += (float64(calls) - float64(l.Twice) + float64(l.Alone)) * how.period
	a.period = max(a.period, how.period)
	a.irregular = a.irregular || how.irregular
	a.old = a.old || calls > 0 && !known
	a.clump = max(a.clump, how.clump)
	a.missing += how.missing * weight * how.period
	if n := float64(how.whole.heavy); n > 0 {
		// Such samples come by chance. Where they should be some and are none, one stands for that. What all of
		// them weigh is known: a context that has all the time can't have more of it.
		part := weight / float64(how.whole.weight)
		none := min(1, n*part) * float64(how.whole.squares) / n
		a.heaviness += (1 - part) * (float64(by.squares) + none) * how.period * how.period
	}
	if by.heavy > 0 {
		a.heavy = max(a.heavy, how.period*float64(how.whole.heavier)/float64(how.whole.heavy))
	}
}

// longVariance is that of the number of samples of the activations that two samples saw, or more.
//
// What ends one activation and what begins the next one of the same context are, if nothing is between them, one boundary,
// which moves no sample out of the context. If what is between is shorter than a period, it has a sample or has none:
// of next and near ones, that is a binomial distribution; with half a one more of both, since few tell little of it. Where others
// were seen once, these may be what the samples before were in.
func (a *activated) longVariance() float64 {
	if a.irregular {
		return 2 * irregularly * float64(a.twice)
	}
	next, near := float64(a.next), float64(a.near)
	if a.calls > a.twice {
		next, near = 0, 0
	}
	apart := max(float64(a.twice)-next-near, 0)
	v := 2 * aBoundary * apart
	if near > 0 {
		v += max((next+.5)*(near+.5)/(next+near), 2*aBoundary*near)
	}
	return max(v, 2*aBoundary)
}

// ShareError is the standard error of a context's part of the weight of all samples. Samples that are a period
// apart tell more of what goes on for many periods than the same number of independent ones.
func (c *Cost) ShareError(whole calltree.Weight, weight uint64) float64 {
	p := Profile{Samples: whole.Samples, Weight: whole.Weight}
	part := p.Fraction(weight)
	independent := p.StandardError(part) * math.Sqrt(max(1, c.clump))
	if c.variance == 0 {
		return independent
	}
	ends := 2 * aBoundary * part * part * c.period * c.period // of all samples
	return min(independent, math.Sqrt(c.variance+ends)/float64(p.Weight))
}

// cost is what a row says of them.
func (a *activated) cost() Cost {
	if a.calls == 0 || a.weight == 0 {
		return Cost{}
	}
	n, scale := float64(a.calls), a.scaled/a.weight
	period := a.period * scale
	c := Cost{Calls: a.calls}
	if a.old {
		c.Old, c.Bound = true, max(a.scaled/n, period)+certain*period*math.Sqrt(2*irregularly/n)
		return c
	}
	once, heaviness := max(n-float64(a.twice), 0), a.heaviness/(a.period*a.period)
	twice := float64(a.twice - min(a.thrice, a.twice))
	// Where some are seen once and some twice, those seen twice may be the ones that happened to be.
	chosen := min(once, twice) / 2
	c.Long, c.Once, c.OnceError = a.twice, a.once*scale, period*math.Sqrt(once+chosen*chosen)
	if a.once > once*a.period {
		c.OnceError = math.Hypot(c.OnceError, period*math.Sqrt(heaviness))
	}
	c.Bound = 2 * max(period, a.heavy*scale)
	if a.irregular {
		c.Bound = 3 * period
	}
	missing := a.missing / (a.period * a.period)
	variance := once + heaviness + missing
	if a.twice > 0 {
		long := float64(a.twice)
		all := max(a.scaled-c.Once, 2*period*long)
		variance += a.longVariance()
		// What scale makes up for may be in other contexts, an interrupt's time at a sample.
		missing *= all / a.scaled
		c.Mean, c.Error = all/long, period*math.Sqrt(a.longVariance()+heaviness+chosen*chosen+missing)/long
		switch c.Most = a.most; a.thrice {
		case 0:
			c.Most = 0
		case 1:
			c.Most = all - 2*period*twice
		}
	}
	c.variance, c.period, c.clump = variance*a.period*a.period, a.period, a.clump
	return c
}
