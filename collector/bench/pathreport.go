package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

// reportLimit is for how long a report may be made.
const reportLimit = time.Minute

// pathReports measures what reports of call paths take, of the library's data and of those of
// perf record of the same program.
func (b *bench) pathReports() error {
	programs := b.pathPrograms("paths/")
	methods, _, err := b.pathMethods()
	if err != nil {
		return err
	}
	p := &pathBench{bench: b, roots: newRoots()}
	fmt.Fprintf(b.Out, "\nReports of call paths: the first time, and the middle of %d further ones\n\n", reportRounds)
	w := b.Table()
	fmt.Fprintln(w, "program\treport\tsamples\tfirst: CPU, s\twall, s\tagain: CPU, s\tquartiles\twall, s\t")
	for _, program := range programs {
		for _, m := range methods {
			if m.fast || m.hz < usualPaths-1 || m.name != oursName && m.name != perfDwarf {
				continue
			}
			argv, why := m.cannot(program)
			var r pathRun
			if why == "" {
				b.Progress("reports of %s: %s", program.name, m.name)
				if r, err = p.measurePath(m, argv); err != nil {
					why = oneLine(err.Error())
					b.fail("paths-report", m.method, err)
				}
			}
			for _, report := range b.reportsOf(m.name, r.dir) {
				name := strings.Join(report[:len(report)-1], " ")
				if why != "" {
					b.Progress("")
					fmt.Fprintf(w, "%s\t%s\t", program.name, filepath.Base(name))
					notAvailable(w, 6, why)
					continue
				}
				b.Progress("%s: %s", program.name, name)
				fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", program.name, filepath.Base(name), r.data.samples, b.timesOf(report))
			}
		}
	}
	b.Progress("")
	return w.Flush()
}

// reportsOf are the commands that make reports, the data last.
func (b *bench) reportsOf(method, dir string) [][]string {
	if method == perfDwarf {
		file := filepath.Join(dir, "perf.data")
		return [][]string{
			{"perf", "report", "--stdio", "--children", "-g", "none", "--no-inline", "-i", file},
			{"perf", "report", "--stdio", "-g", "caller", "--no-inline", "-i", file},
			{"perf", "report", "--stdio", "-g", "caller", "-i", file},
		}
	}
	pct := filepath.Join(b.Bin, "pct")
	found, _ := filepath.Glob(filepath.Join(dir, "*"))
	newest := dir // where nothing was measured
	if len(found) > 0 {
		newest = found[len(found)-1]
	}
	return [][]string{{pct, "fn", newest}, {pct, "paths", newest}}
}

const reportRounds = 3

// timesOf makes a report several times and returns the cells of its row. The first time no
// answers of translators are kept yet.
func (b *bench) timesOf(argv []string) string {
	kept, err := os.MkdirTemp(b.Dir, "answers")
	if err != nil {
		return "n/a\t\t\t\t\t" + oneLine(err.Error())
	}
	var first string
	var cpu, wall []float64
	for i := range 1 + reportRounds {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "PCT_CACHE="+kept)
		cost, err := harness.Measure(cmd, reportLimit)
		if err != nil {
			return "n/a\t\t\t\t\t" + oneLine(err.Error())
		}
		used, took := cost.CPU.Seconds(), cost.Wall.Seconds()
		if i == 0 {
			first = fmt.Sprintf("%.2f\t%.2f", used, took)
			continue
		}
		cpu, wall = append(cpu, used), append(wall, took)
	}
	return fmt.Sprintf("%s\t%s\t%.2f\t", first, harness.QuartilesOf(cpu).Show(2), harness.QuartilesOf(wall).Middle)
}
