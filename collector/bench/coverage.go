package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "embed"
)

//go:embed target/coverage.c
var coverageSource string

// covered counts the runs of a program in which intervals of two standard errors hold the truth.
type covered struct {
	runs, cost, share int
	costOff           float64 // the sum of what the costs are off, by the truth
}

// coverage prints in how many of short runs the program's own clock is within two standard errors of the cost of its long
// calls, and of the share of all.
func (b *bench) coverage() error {
	runs := min(100, b.Rounds)
	if b.long {
		runs = min(1000, b.Rounds)
	}
	program, err := b.compile("coverage", coverageSource)
	if err != nil {
		return err
	}
	fmt.Fprint(b.Out, "\nwithin two errors, % of runs  runs  cost of long calls  share  cost off by, %\n")
	for _, name := range []string{"apart", "near", "pairs", "mixed", "phases", "kernel"} {
		var c covered
		for i := range runs {
			if err := b.cover(&c, program, name, i+1); err != nil {
				return err
			}
		}
		part := func(n int) float64 { return 100 * float64(n) / float64(c.runs) }
		fmt.Fprintf(b.Out, "%-28s  %-4d  %-18.1f  %-5.1f  %+.2f\n", name, c.runs, part(c.cost), part(c.share), 100*c.costOff/float64(c.runs))
	}
	return nil
}

// sampledTime is the CPU time of a run that samples can stand for, in ns.
func sampledTime(dir string) (float64, error) {
	text, err := os.ReadFile(filepath.Join(dir, "meta"))
	if err != nil {
		return 0, err
	}
	var sum float64
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		sign := map[string]float64{"cpu": 1, "unsampled": -1}[key]
		if sign == 0 {
			continue
		}
		ns, err := time.ParseDuration(value)
		if err != nil {
			return 0, err
		}
		sum += sign * float64(ns)
	}
	return sum, nil
}

func (b *bench) cover(c *covered, program, name string, seed int) error {
	dir := filepath.Join(b.Dir, "covered")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	command := exec.Command(program, name, strconv.Itoa(seed))
	command.Env = append(os.Environ(), "LD_PRELOAD="+filepath.Join(b.Bin, "lib", "libpct.so"), "PCT=s e q1000", "PCT_DIR="+dir)
	printed, err := command.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var mean, sum float64
	if _, err := fmt.Sscan(string(printed), &mean, &sum); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	data, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(data) != 1 {
		return fmt.Errorf("%s: %d run directories", name, len(data))
	}
	cpu, err := sampledTime(data[0])
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	share := sum / cpu
	var report struct {
		Frames []struct{ Name string }
		Groups []struct {
			Weight float64
			Nodes  []struct {
				ID, Parent, Frame int
				Total             float64
				LongCost          float64 `json:"long_cost"`
				LongError         float64 `json:"long_error"`
				ShareError        float64 `json:"share_error"`
			}
		}
	}
	text, err := exec.Command(filepath.Join(b.Bin, "pct"), "json", "-calls", data[0]).Output()
	if err != nil {
		return fmt.Errorf("%s: pct json: %w", name, err)
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&report); err != nil {
		return err
	}
	for _, n := range report.Groups[0].Nodes {
		if report.Frames[n.Frame].Name != "f" {
			continue
		}
		c.runs++
		if math.Abs(1e3*n.LongCost-mean) <= 2e3*n.LongError {
			c.cost++
		}
		if math.Abs(n.Total/report.Groups[0].Weight-share) <= 2*n.ShareError {
			c.share++
		}
		c.costOff += 1e3*n.LongCost/mean - 1
		return nil
	}
	return fmt.Errorf("%s: no samples of f", name)
}
