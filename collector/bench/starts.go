package bench

import (
	"fmt"
	"strconv"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

// startsAtOnce is how many processes one run starts.
const startsAtOnce = 200

// starts measures how long a process takes that ends at once. perf's own start is
// not in it: a process below perf record costs what it costs bare.
func (b *bench) starts() error {
	program, err := b.compile("spawn", spawnSource)
	if err != nil {
		return err
	}
	budget := 10 * time.Second
	if b.long {
		budget *= 6
	}
	took := make([][]float64, len(b.methods))
	rounds := b.InRounds(budget, func() {
		for i, m := range b.methods {
			r, err := b.measure(m, []string{program, strconv.Itoa(startsAtOnce), "/bin/true"})
			var middle float64
			if err == nil {
				_, err = fmt.Sscan(r.stdout, &middle)
			}
			if err != nil {
				b.fail("starts", m, err)
				continue
			}
			took[i] = append(took[i], middle/1e3)
		}
	})
	fmt.Fprintf(b.Out, "\nA process that ends at once (/bin/true), the middle of %d, %d rounds\n\n", startsAtOnce, rounds)
	w := b.Table()
	fmt.Fprintln(w, "how\tasked, Hz\twall, ms\tquartiles\tbeyond an empty library, ms")
	base := harness.QuartilesOf(took[1]).Middle
	for i, m := range b.methods {
		beyond := ""
		if m.hz > 0 {
			beyond = fmt.Sprintf("%+.3f", harness.QuartilesOf(took[i]).Middle-base)
		}
		asked := ""
		if m.hz > 0 {
			asked = strconv.Itoa(m.hz)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", m.name, asked, harness.QuartilesOf(took[i]).Show(3), beyond)
	}
	return w.Flush()
}
