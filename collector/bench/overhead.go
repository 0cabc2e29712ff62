package bench

import (
	"fmt"
	"math"
	"strconv"

	"github.com/profilecollection/pct/bench/harness"
)

// gapName is the program that looks for gaps, among the others.
const gapName = "gaps, 50 deep"

const overheadTitle = `
Percent more CPU time, and by how much that may be off (a standard error), %d rounds

Each program runs before all other work of the machine, by a real-time priority if that is permitted, so
that little of that is seen in its CPU time. Programs: the middle one of the ratios to the bare run of the same round. Of the
program that looks for gaps it is the time in gaps, which tells more finely what signals take, but not what
they drive out of caches.

`

// overheads measures what sampling within a program costs it, more finely than beside other
// work. Samplers with processes of their own aren't in it: these would have to wait.
func (b *bench) overheads() error {
	programs := b.pathPrograms("overhead/")
	if b.Match.MatchString("overhead/gaps") {
		programs = append([]pathProgram{{name: gapName}}, programs...)
	}
	if len(programs) == 0 {
		return nil
	}
	b.first = true
	defer func() { b.first = false }()
	_, methods, err := b.pathMethods()
	if err != nil {
		return err
	}
	program, err := b.compile("gap", gapSource)
	if err != nil {
		return err
	}
	seconds := gapSeconds
	if b.quick {
		seconds = "0.1"
	}
	if programs[0].name == gapName {
		programs[0].argv = []string{program, seconds, "50"}
	}
	p := &pathBench{bench: b, programs: programs, methods: methods, roots: newRoots()}
	more := make(map[cell][]float64)
	problems := make(map[cell]string)
	rounds := b.InRounds(b.pathBudget, func() {
		for _, program := range p.programs {
			p.overheadsOf(program, more, problems)
		}
		p.round++
	})
	b.Progress("")
	fmt.Fprintf(b.Out, overheadTitle, rounds)
	w := b.Table()
	fmt.Fprint(w, "how\tHz\t")
	for _, program := range p.programs {
		fmt.Fprintf(w, "%s\t", program.name)
	}
	fmt.Fprintln(w)
	for i, m := range methods {
		if i == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t", m.name, strconv.Itoa(m.hz))
		for _, program := range p.programs {
			c := cell{program.name, i}
			text := problems[c]
			if len(more[c]) > 0 {
				text = percent(more[c])
			}
			fmt.Fprintf(w, "%s\t", text)
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// overheadsOf takes a round of one program: what each method takes, in percent.
func (p *pathBench) overheadsOf(program pathProgram, more map[cell][]float64, problems map[cell]string) {
	used := make([]float64, len(p.methods))
	for i := range p.methods {
		i = (i + 3*p.round) % len(p.methods)
		m, c := p.methods[i], cell{program.name, i}
		argv, why := m.cannot(program)
		if why != "" {
			problems[c] = "n/a: " + why
			continue
		}
		p.Progress("overhead, round %d: %s, %s %d", p.round+1, program.name, m.name, m.hz)
		r, err := p.measurePath(m, argv)
		if err != nil {
			problems[c] = "n/a: " + oneLine(err.Error())
			p.fail("overhead/"+program.name, m.method, err)
			continue
		}
		used[i] = r.target.Seconds()
		if m.name == callsName && !r.data.counted {
			problems[c], used[i] = "off", 0
		}
		if program.name == gapName {
			var number int
			var middle, gaps float64
			if _, err := fmt.Sscan(r.stdout, &number, &middle, &gaps); err != nil {
				p.fail("overhead/"+program.name, m.method, err)
				used[i] = 0
				continue
			}
			// Of the time that is asked for, so that ratios to a bare run without gaps can be told, too.
			asked, _ := strconv.ParseFloat(argv[1], 64)
			used[i] = asked + gaps/1e6
		}
	}
	for i := range p.methods {
		if i > 0 && used[i] > 0 && used[0] > 0 {
			c := cell{program.name, i}
			more[c] = append(more[c], 100*(used[i]/used[0]-1))
		}
	}
}

// percent shows the middle one of some figures and its standard error, by their quartiles: those
// of normally distributed ones are 1.349 standard deviations apart, and the error of
// their middle one is 1.253 times that of their mean. Other work makes few of them very large.
func percent(values []float64) string {
	q := harness.QuartilesOf(values)
	if len(values) < 3 {
		return fmt.Sprintf("%+.2f", q.Middle)
	}
	return fmt.Sprintf("%+.2f ± %.2f", q.Middle, 1.253*(q.Third-q.First)/1.349/math.Sqrt(float64(len(values))))
}
