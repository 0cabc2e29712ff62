// Package chance is for tests of quantities that chance decides, such as a share of samples. Only
// tests import it.
//
// Such a test states each quantity, its expected value and its tolerance: the standard error of one
// draw, and the bias that is allowed beside it, with the reason. A quantity may be off by four
// standard errors and the bias. If one is further off, the test draws once more, with fresh data,
// and this quantity may then be off by three standard errors and the bias. A false alarm needs both
// draws: its probability is the product, 6.3e-5 × 2.7e-3, once in six million runs. A real bias that
// the first bound shows is further outside the second one. What is off is logged each time. Every
// other failure of a draw fails the test at once.
package chance

import (
	"fmt"
	"math"
	"testing"
)

// The bounds of the first draw, and of the second one for what was off in the first, in standard
// errors.
const first, second = 4, 3

// A Quantity is what a draw yields.
type Quantity struct {
	Name      string // the same in each draw
	Got, Want float64
	Error     float64 // the standard error of Got
	Bias      float64 // the deviation that is allowed beside chance
	Why       string  // the derivation of Error and Bias
}

// Share is the share that k of n independent samples have, where p is expected. Its standard error
// is the binomial one. As p of 0 or 1 leaves no room for a single sample that met something else,
// the variance is that of one sample at least.
func Share(name string, k, n, p float64) Quantity {
	return Quantity{Name: name, Got: k / n, Want: p, Error: math.Sqrt(max(n*p*(1-p), 1)) / n,
		Why: fmt.Sprintf("binomial error of %.0f samples", n)}
}

// A Draw is one execution of a test. Its own failures are those of the test.
type Draw struct {
	testing.TB
	strict map[string]bool // these were off in the draw before
	off    map[string]bool
}

// Test executes draw, and once more if a quantity was off.
func Test(t testing.TB, draw func(*Draw)) {
	t.Helper()
	d := &Draw{TB: t, off: map[string]bool{}}
	draw(d)
	if len(d.off) == 0 || t.Failed() {
		return
	}
	t.Logf("chance: drawing once more, with a stricter bound for what was off")
	d = &Draw{TB: t, strict: d.off, off: map[string]bool{}}
	draw(d)
	for name := range d.off {
		t.Errorf("chance: %s is off in both draws, or for the first time in the second one", name)
	}
}

// Check judges a quantity.
func (d *Draw) Check(q Quantity) {
	d.Helper()
	deviations := float64(first)
	if d.strict[q.Name] {
		deviations = second
	}
	// What is no number is off.
	if bound := deviations*q.Error + q.Bias; !(math.Abs(q.Got-q.Want) <= bound) {
		d.off[q.Name] = true
		d.Logf("chance: %s: %.4g, want %.4g ± %.2g (%g standard errors of %.2g and a bias of %.2g: %s)",
			q.Name, q.Got, q.Want, bound, deviations, q.Error, q.Bias, q.Why)
	}
}
