package chance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// record is a test whose failures are not ours.
type record struct {
	testing.TB
	failed bool
	log    string
}

func (r *record) Failed() bool                      { return r.failed }
func (r *record) Fail()                             { r.failed = true }
func (r *record) Error(args ...any)                 { r.failed = true; r.Logf("%s", fmt.Sprint(args...)) }
func (r *record) Errorf(format string, args ...any) { r.failed = true; r.Logf(format, args...) }
func (r *record) Logf(format string, args ...any)   { r.log += fmt.Sprintf(format, args...) + "\n" }
func (r *record) Log(args ...any)                   { r.Logf("%s", fmt.Sprint(args...)) }

// A quantity that is off is drawn once more, with a stricter bound, and the test says so.
func TestDraws(t *testing.T) {
	type draw map[string]float64 // by how many standard errors each quantity is off
	for name, tt := range map[string]struct {
		draws  []draw
		failed bool
	}{
		"fine":                            {[]draw{{"a": 3.9, "b": -3.9}}, false},
		"a false alarm":                   {[]draw{{"a": 4.1, "b": 0}, {"a": 2.9, "b": 0}}, false},
		"on the left side":                {[]draw{{"a": -4.1}, {"a": -3.1}}, true},
		"a bias":                          {[]draw{{"a": 4.1}, {"a": 3.1}}, true},
		"stricter for what was off alone": {[]draw{{"a": 4.1, "b": 3.9}, {"a": 0, "b": 3.9}}, false},
		"two different ones":              {[]draw{{"a": 4.1, "b": 0}, {"a": 0, "b": 4.1}}, true},
		"no number":                       {[]draw{{"a": math.NaN()}, {"a": math.NaN()}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r, n := &record{TB: t}, 0
			Test(r, func(d *Draw) {
				for name, off := range tt.draws[n] {
					d.Check(Quantity{Name: name, Got: 7 + 2*off, Want: 7, Error: 2, Why: "made up"})
				}
				n++
			})
			if r.failed != tt.failed || n != len(tt.draws) {
				t.Errorf("failed %v after %d draws:\n%s", r.failed, n, r.log)
			}
			if again := strings.Contains(r.log, "drawing once more"); again != (n > 1) {
				t.Errorf("it draws %d times and says:\n%s", n, r.log)
			}
		})
	}
}

// A bias is allowed for beside chance, in both draws.
func TestBias(t *testing.T) {
	for got, wrong := range map[float64]bool{13.4: false, 13.6: true} {
		r, n := &record{TB: t}, 0
		Test(r, func(d *Draw) {
			d.Check(Quantity{Name: "a", Got: got - 0.5*float64(n), Want: 5, Error: 2, Bias: 0.5, Why: "made up"})
			n++
		})
		if r.failed != wrong {
			t.Errorf("%v: failed %v:\n%s", got, r.failed, r.log)
		}
	}
}

// What fails but by chance fails at once.
func TestFailure(t *testing.T) {
	r, n := &record{TB: t}, 0
	Test(r, func(d *Draw) {
		d.Check(Quantity{Name: "a", Got: 1, Error: 0.1})
		d.Error("something else")
		n++
	})
	if !r.failed || n != 1 {
		t.Errorf("failed %v after %d draws", r.failed, n)
	}
}

// Fair draws pass, if need be the second time. A share that is off by six standard errors is found
// but in few of a thousand cases: 2 % of the first draws and 0.1 % of the second ones miss it.
func TestPower(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const rounds, n = 1000, 400
	failed := func(p float64) (failed int) {
		for range rounds {
			r := &record{TB: t}
			Test(r, func(d *Draw) {
				k := 0.0
				for range n {
					if random.Float64() < p {
						k++
					}
				}
				d.Check(Share("a", k, n, 0.5))
			})
			if r.failed {
				failed++
			}
		}
		return failed
	}
	fair, biased := failed(0.5), failed(0.5+6*0.5/math.Sqrt(n))
	if fair > 0 || biased < rounds*95/100 {
		t.Errorf("of %d tests, %d fail without a bias and %d with one", rounds, fair, biased)
	}
}

// A script is run once more, from its start and in a directory of its own, if a quantity was off.
func TestScripts(t *testing.T) {
	for name, tt := range map[string]struct {
		text   string
		runs   int
		failed bool
	}{
		"fine":          {"off 1\n", 1, false},
		"a false alarm": {"! exists made\ncp given made\noff 5 1\n", 2, false},
		"a bias":        {"off 5 5\nexists given\n", 2, true},
		"a failure":     {"off 5\nexists nothing\n", 1, true},
		"none skips":    {"skip\n", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.txtar")
			if err := os.WriteFile(file, []byte(tt.text+"-- given --\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			runs := 0
			off := func(ts *testscript.TestScript, neg bool, args []string) {
				var by float64
				_, err := fmt.Sscan(args[runs], &by)
				ts.Check(err)
				Of(ts).Check(Quantity{Name: "a", Got: by, Error: 1})
				runs++
			}
			r := &record{TB: t}
			runScript(r, file, testscript.Params{
				Setup: func(*testscript.Env) error { return nil },
				Cmds:  map[string]func(*testscript.TestScript, bool, []string){"off": off},
			})
			if r.failed != tt.failed || runs != tt.runs {
				t.Errorf("failed %v after %d runs:\n%s", r.failed, runs, r.log)
			}
		})
	}
}
