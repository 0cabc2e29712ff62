package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

// pathRow is what was measured of one program by one method, in all rounds.
type pathRow struct {
	cpu, target, wall, rate []float64 // the first three by the same of the bare run in the round
	sample                  []float64 // bytes of a sample
	nodes                   []float64 // of them: nodes
	sum                     collected
	problem                 string // the last one
}

// pathRun is one measured run.
type pathRun struct {
	measured
	target time.Duration // CPU time of the program without the sampler's own
	alone  *pathRun      // the bare run of the same work; nil: that of the round
	data   collected
}

// pathBench is a run of the tables about call paths.
type pathBench struct {
	*bench
	roots    *roots
	programs []pathProgram
	methods  []pathMethod
	rows     map[cell]*pathRow
	slopes   map[cell]*slope
	round    int
}

// paths measures what call paths cost, how many of them are whole and how much data they
// make, and prints that.
func (b *bench) paths() error {
	programs := b.pathPrograms("paths/")
	if len(programs) == 0 {
		return nil
	}
	methods, _, err := b.pathMethods()
	if err != nil {
		return err
	}
	p := &pathBench{bench: b, roots: newRoots(), programs: programs, methods: methods,
		rows: make(map[cell]*pathRow), slopes: make(map[cell]*slope)}
	rounds := b.InRounds(b.pathBudget, p.oneRound)
	b.Progress("")
	p.printCosts(rounds)
	p.printSlopes()
	return nil
}

// oneRound takes all methods of all programs by turns.
func (p *pathBench) oneRound() {
	for _, program := range p.programs {
		now := make(map[int]pathRun)
		for i := range p.methods {
			i = (i + 5*p.round) % len(p.methods)
			if r, ok := p.take(program, i); ok {
				now[i] = r
			}
		}
		if alone, ok := now[0]; ok {
			p.note(program, alone, now)
		}
	}
	p.round++
}

// take measures one run; false if there is none.
func (p *pathBench) take(program pathProgram, i int) (r pathRun, ok bool) {
	m := p.methods[i]
	if m.fast && !program.slope || m.seldom && p.round > 0 {
		return r, false
	}
	row := p.row(program, i)
	argv, why := m.cannot(program)
	if why != "" {
		row.problem = why
		return r, false
	}
	p.Progress("round %d: %s, %s %d", p.round+1, program.name, m.name, m.hz)
	r, err := p.measurePath(m, argv)
	if err == nil && m.seldom {
		r.alone = new(pathRun)
		*r.alone, err = p.measurePath(p.methods[0], argv)
	}
	if err != nil {
		p.Progress("")
		row.problem = oneLine(err.Error())
		p.fail("paths/"+program.name, m.method, err)
		return r, false
	}
	return r, true
}

func (p *pathBench) row(program pathProgram, i int) *pathRow {
	c := cell{program.name, i}
	if p.rows[c] == nil {
		p.rows[c] = &pathRow{}
	}
	return p.rows[c]
}

// measurePath runs a program by a method and reads what it left.
func (p *pathBench) measurePath(m pathMethod, argv []string) (r pathRun, err error) {
	if err := os.Remove(p.usedFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	if r.measured, err = p.measure(m.method, argv); err != nil {
		return r, err
	}
	text, err := os.ReadFile(p.usedFile())
	if err != nil {
		return r, err
	}
	used, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		return r, err
	}
	r.target = time.Duration(used * float64(time.Microsecond))
	if m.read != nil {
		r.data, err = m.read(p.roots, r.dir)
	}
	return r, err
}

// note adds a round of one program.
func (p *pathBench) note(program pathProgram, alone pathRun, now map[int]pathRun) {
	for i, r := range now {
		row, alone := p.row(program, i), alone
		if r.alone != nil {
			alone = *r.alone
		}
		row.cpu = append(row.cpu, r.cpu.Seconds()/alone.cpu.Seconds())
		row.target = append(row.target, r.target.Seconds()/alone.target.Seconds())
		row.wall = append(row.wall, r.wall.Seconds()/alone.wall.Seconds())
		if p.methods[i].read == nil {
			continue
		}
		row.rate = append(row.rate, float64(r.data.samples)/alone.target.Seconds())
		row.sample = append(row.sample, float64(r.data.bytes)/float64(r.data.samples))
		row.nodes = append(row.nodes, float64(r.data.nodes)/float64(r.data.samples))
		row.sum.add(r.data)
	}
	p.noteSlopes(program, now)
}

func (c *collected) add(d collected) {
	c.samples += d.samples
	c.user += d.user
	c.whole += d.whole
	c.frames += d.frames
	c.lost += d.lost
	c.counted = c.counted || d.counted
	c.remark = d.remark
}

// pathColumns is how many columns hold figures.
const pathColumns = 11

// notAvailable ends a row of a table without figures, whose reason stands behind all columns.
func notAvailable(w io.Writer, columns int, why string) {
	fmt.Fprintf(w, "n/a%s%s\n", strings.Repeat("\t", columns), why)
}

const pathTitle = `
Call paths, %d rounds, the middle and the quartiles; ratios are by the bare run of the same round

CPU: of the program, its children and the sampler; target: without the sampler's own; wall: of the whole
command. Whole: of the samples with a place in the program those whose path reaches its outermost frame.
Bytes: room on the disk for a sample; nodes: of them, those of the mapped tree. Bare again: how far two runs
of the same are apart. Off: what was asked for was not done, and the row is that of the same without it.
callgrind has one round, of a tenth of the work.

`

// printCosts prints the table of whole programs.
func (p *pathBench) printCosts(rounds int) {
	fmt.Fprintf(p.Out, pathTitle, rounds)
	w := p.Table()
	fmt.Fprintln(w, "program\thow\tasked, Hz\tgot, Hz\tCPU\tquartiles\ttarget\tquartiles\twall\twhole, %\tframes\tlost\tbytes\tnodes\t")
	for _, program := range p.programs {
		for i, m := range p.methods {
			if m.fast {
				continue
			}
			row := p.row(program, i)
			asked := ""
			if m.hz > 0 {
				asked = strconv.Itoa(m.hz)
			}
			name, remark := m.shown(row.sum), ""
			if name != m.name {
				remark = row.sum.remark
				if remark == "" {
					remark = "calls were not counted; no reason is told"
				}
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t", program.name, name, asked)
			switch {
			case len(row.cpu) > 0:
				fmt.Fprintln(w, row.show(m)+remark)
			case row.problem == "":
				notAvailable(w, pathColumns, "no bare run to compare with")
			default:
				notAvailable(w, pathColumns, row.problem)
			}
		}
	}
	w.Flush()
}

// shown is the method's name; it tells where calls should be counted, and are not.
func (m pathMethod) shown(c collected) string {
	if m.name == callsName && c.samples > 0 && !c.counted {
		return m.name + ", off"
	}
	return m.name
}

// show prints a row's figures, those about samples only where some are taken.
func (r *pathRow) show(m pathMethod) string {
	got := ""
	if m.read != nil {
		got = fmt.Sprintf("%.0f", harness.QuartilesOf(r.rate).Middle)
	}
	text := fmt.Sprintf("%s\t%s\t%s\t%.2f", got, harness.QuartilesOf(r.cpu).Show(3), harness.QuartilesOf(r.target).Show(3), harness.QuartilesOf(r.wall).Middle)
	if m.read == nil {
		return text + "\t\t\t\t\t\t"
	}
	user := max(1, float64(r.sum.user))
	nodes := ""
	if slices.Max(r.nodes) > 0 {
		nodes = fmt.Sprintf("%.1f", harness.QuartilesOf(r.nodes).Middle)
	}
	return fmt.Sprintf("%s\t%.2f\t%.1f\t%d\t%.1f\t%s\t", text, 100*float64(r.sum.whole)/user, float64(r.sum.frames)/user, r.sum.lost,
		harness.QuartilesOf(r.sample).Middle, nodes)
}
