package report

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
)

// Pulse is what the head of a frame of top says.
type Pulse struct {
	Time       time.Time
	Alive      int // processes
	Processes  int
	Samples    int
	Lost       uint64
	SampleRate float64       // a second of real time, since the frame before
	CPU        time.Duration // of all processes
	Cores      float64       // CPU time a second of real time, since the frame before
	Limits     []string      // what selected the samples
}

// Top writes a frame: how the processes are, and where their time goes.
func Top(w io.Writer, p Pulse, rows []path.HotRow, weight uint64) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s   %d of %s alive   %s (%.1f/s)", p.Time.Format("15:04:05"), p.Alive, plural(p.Processes, "process"),
		plural(p.Samples, "sample"), p.SampleRate)
	if p.Lost > 0 {
		fmt.Fprintf(out, ", %d lost", p.Lost)
	}
	fmt.Fprintf(out, "   CPU %.2fs (%.2f cores)\n", p.CPU.Seconds(), p.Cores)
	for _, limit := range p.Limits {
		fmt.Fprintf(out, "# %s\n", visible.Text(limit))
	}
	fmt.Fprintf(out, "#  self    total\n")
	if len(rows) == 0 {
		fmt.Fprintln(out, "# no samples yet")
	}
	for _, row := range rows {
		fmt.Fprintf(out, "%6.1f%%   %5.1f%%%s", 100*share(row.Self, weight), 100*share(row.Total, weight), gap)
		if row.Group != "" {
			fmt.Fprint(out, visible.Text(row.Group)+gap)
		}
		fmt.Fprintln(out, visible.Text(row.Name))
	}
	return out.Flush()
}
