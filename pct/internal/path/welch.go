package path

import "math"

// level is the probability up to which a difference is distinguishable by Welch's test.
const level = 0.05

// Welch is the result of Welch's t test of the means of two sets of runs (B. L. Welch,
// Biometrika 34, 1947), whose variances need not be equal.
type Welch struct {
	meanA, meanB   float64
	errorA, errorB float64 // standard errors of the means
	t              float64 // difference of the means in standard errors; infinite if no set varies
	Freedom        float64 // degrees of freedom, by Welch and Satterthwaite
	P              float64 // probability of such a t or more, in either direction, if there is no difference
}

// welch compares two sets of two values or more; with fewer, P is 1. Where one has two and
// the other many, the degrees of freedom are a rough approximation, and what is no
// difference has P below 0.05 about one time in eleven.
func welch(a, b []float64) Welch {
	w := Welch{P: 1}
	var va, vb float64 // of the means
	w.meanA, va = meanAndVariance(a)
	w.meanB, vb = meanAndVariance(b)
	w.errorA, w.errorB = math.Sqrt(va), math.Sqrt(vb)
	if len(a) < 2 || len(b) < 2 || w.meanA == w.meanB {
		return w
	}
	if va+vb == 0 {
		w.t, w.Freedom, w.P = math.Inf(1), float64(len(a)+len(b)-2), 0
		return w
	}
	w.t = math.Abs(w.meanB-w.meanA) / math.Sqrt(va+vb)
	w.Freedom = (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	w.P = twoSided(w.t, w.Freedom)
	return w
}

// meanAndVariance returns the mean and the variance of that mean.
func meanAndVariance(x []float64) (mean, variance float64) {
	if len(x) == 0 {
		return 0, 0
	}
	n := float64(len(x))
	for _, v := range x {
		mean += v / n
	}
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	return mean, variance / (n - 1) / n
}

// twoSided returns the probability that a variable of Student's distribution with f
// degrees of freedom is t or more from 0: the regularized incomplete beta function of
// f/(f+t²) with parameters f/2 and 1/2.
func twoSided(t, f float64) float64 { return incompleteBeta(f/(f+t*t), f/2, 0.5) }

// incompleteBeta is the regularized incomplete beta function (DLMF 8.17).
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	if x > (a+1)/(a+b+2) { // where the fraction converges slowly
		return 1 - incompleteBeta(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	return front * betaFraction(x, a, b)
}

// betaFraction is the continued fraction of the incomplete beta function, DLMF 8.17.22,
// by Lentz's method.
func betaFraction(x, a, b float64) float64 {
	const tiny, enough, most = 1e-300, 1e-15, 10_000
	away := func(v float64) float64 { // from zero
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/away(1-(a+b)*x/(a+1))
	h := d
	for i := 1; i < most; i++ {
		m := float64(i)
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / away(1+even*d)
		c = away(1 + even/c)
		h *= c * d
		d = 1 / away(1+odd*d)
		c = away(1 + odd/c)
		h *= c * d
		if math.Abs(c*d-1) < enough {
			break
		}
	}
	return h
}
