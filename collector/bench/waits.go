package bench

import (
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"text/tabwriter"
)

var (
	//go:embed target/truth.c
	truthSource string
	//go:embed target/calls.c
	callsSource string
)

// waitRates are those at which programs that wait are sampled: below the kernel's tick of many machines, at it, hardly
// above it, and far above it.
var waitRates = [...]int{100, 250, 300, 1000}

// waiting is a program that measures by its own clock what its parts take of its CPU time.
type waiting struct {
	name    string
	process string // the name of those of its processes that are looked at
	argv    []string
	// told returns that measurement, of a run that printed this.
	told func(stdout string) (shares, error)
	// part returns the part that a function belongs to, "" if to none.
	part func(label string) string
	// public: it runs as another user, who needs to write where data are.
	public  bool
	missing string // why it can't be run
}

// agreement is how far the shares that a method gives parts of a program are off.
type agreement struct {
	samples float64
	off     map[string][]float64 // of each round, by part
	truth   map[string]float64   // the sum of all rounds
}

// waits prints by how many points the shares of parts of programs that wait are off, by every mode.
func (b *bench) waits() error {
	programs := b.waitingPrograms()
	if len(programs) == 0 {
		return nil
	}
	modes := b.modes()
	fmt.Fprint(b.Out, waitsTitle)
	w := b.Table()
	fmt.Fprint(w, "program\tpart\tof the time, %\thow")
	for _, hz := range waitRates {
		fmt.Fprintf(w, "\t%d Hz", hz)
	}
	fmt.Fprintln(w, "\tfarthest")
	for _, p := range programs {
		if p.missing != "" {
			fmt.Fprintf(w, "%s\tn/a: %s\n", p.name, p.missing)
			continue
		}
		found := make(map[string][]agreement) // of each rate, by mode
		for _, m := range modes {
			found[m.name] = make([]agreement, len(waitRates))
		}
		known := make(names)
		b.InRounds(b.waitBudget, func() {
			for i, hz := range waitRates {
				for _, m := range modes {
					b.Progress("waits: %s, %s %d", p.name, m.name, hz)
					if err := b.agree(&found[m.name][i], known, p, m, hz); err != nil {
						b.fail(p.name, m.at(hz), err)
					}
				}
			}
		})
		b.Progress("")
		for _, m := range modes {
			printAgreement(w, p, m.name, found[m.name])
		}
	}
	return w.Flush()
}

const waitsTitle = `
Programs that wait: points by which a part's share of the samples is above that of the CPU time by the program's own
clock, ± the standard error of the mean of all rounds. Farthest: the part that is farthest off, by errors, and its rate.

`

// agree adds a run of a program.
func (b *bench) agree(a *agreement, known names, p waiting, m mode, hz int) error {
	method := m.at(hz)
	if p.public {
		wrap := method.wrap
		method.wrap = func(dir string, argv []string) ([]string, []string) {
			if err := os.Chmod(dir, 0o777|fs.ModeSticky); err != nil {
				b.fail(p.name, method, err)
			}
			return wrap(dir, argv)
		}
	}
	r, err := b.measure(method, p.argv)
	if err != nil {
		return err
	}
	truth, err := p.told(r.stdout)
	if err != nil {
		return err
	}
	functions, got := make(shares), make(shares)
	if err := m.read(known, r.dir, p.process, functions); err != nil {
		return err
	}
	for label, n := range functions {
		if part := p.part(label); part != "" {
			got[part] += n
		}
	}
	if got.total() == 0 {
		return fmt.Errorf("no samples of %s", p.process)
	}
	a.add(truth, got)
	return nil
}

func (a *agreement) add(truth, got shares) {
	if a.off == nil {
		a.off, a.truth = make(map[string][]float64), make(map[string]float64)
	}
	a.samples += got.total()
	for part, ns := range truth {
		share := ns / truth.total()
		a.truth[part] += share
		a.off[part] = append(a.off[part], got[part]/got.total()-share)
	}
}

// of is by how many points a part is off, and the standard error: as the rounds spread, but no less than
// that of so many samples.
func (a *agreement) of(part string) (points, deviation float64) {
	n := float64(len(a.off[part]))
	mean, squares := 0.0, 0.0
	for _, d := range a.off[part] {
		mean += d / n
	}
	for _, d := range a.off[part] {
		squares += (d - mean) * (d - mean)
	}
	p := a.truth[part] / n
	deviation = math.Sqrt(p * (1 - p) / a.samples)
	if n > 1 {
		deviation = max(deviation, math.Sqrt(squares/(n-1)/n))
	}
	return 100 * mean, 100 * deviation
}

// printAgreement prints a row: of the part that comes first at all rates, and where any part is farthest off.
func printAgreement(w *tabwriter.Writer, p waiting, how string, rates []agreement) {
	first, truth, runs := "", 0.0, 0.0
	for _, a := range rates {
		for part, sum := range a.truth {
			if part == "work" || part == "rest" {
				first = part
				truth += sum
				runs += float64(len(a.off[part]))
			}
		}
	}
	if runs == 0 {
		fmt.Fprintf(w, "%s\t\t\t%s\tn/a\n", p.name, how)
		return
	}
	fmt.Fprintf(w, "%s\t%s\t%.1f\t%s", p.name, first, 100*truth/runs, how)
	farthest, most := "", 0.0
	for i, a := range rates {
		if len(a.off[first]) == 0 {
			fmt.Fprint(w, "\tn/a")
			continue
		}
		points, deviation := a.of(first)
		fmt.Fprintf(w, "\t%+.1f ± %.1f", points, deviation)
		for _, part := range slices.Sorted(maps.Keys(a.off)) {
			if points, deviation := a.of(part); math.Abs(points) > most*deviation {
				most = math.Abs(points) / deviation
				farthest = fmt.Sprintf("%s %+.1f ± %.1f (%d Hz)", part, points, deviation, waitRates[i])
			}
		}
	}
	fmt.Fprintf(w, "\t%s\n", farthest)
}
