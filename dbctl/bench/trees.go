package bench

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

var (
	//go:embed target/project.sh
	projectScript string
	//go:embed target/handover.c
	handoverSource string
)

// A tree is a command that makes many processes: a row of the table of trees.
type tree struct {
	name    string
	prepare func(dir string) error // makes what the command needs in dir, before each run
	argv    []string               // run in dir
}

func nothing(string) error { return nil }

func trees() []tree {
	return []tree{
		{"script of 500 processes", nothing, []string{"sh", "-c", "i=0; while [ $i -lt 500 ]; do /bin/true; i=$((i+1)); done"}},
		{"make -j2 of 41 files", project, []string{"make", "-s", "-j2"}},
	}
}

// project puts the sources of a C project in dir, and takes away what was made
// of them.
func project(dir string) error {
	cmd := exec.Command("sh", "-c", `sh -c "$0" project.sh . 40 && make -s clean`, projectScript)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// A follower is a way to run a tree: what is put before its command.
type follower struct {
	name string
	argv []string
}

// followers returns those of this machine, the bare run first.
func (b *bench) followers() []follower {
	all := []follower{
		{"bare", nil},
		{"dbctl", []string{b.dbctl, "-o", filepath.Join(b.Dir, "runs"), "profile.dbctl"}},
		{"strace -f", []string{"strace", "-f", "-o", "/dev/null"}},
		{"perf record", []string{"perf", "record", "-q", "-o", "/dev/null"}},
	}
	return slices.DeleteFunc(all, follower.missing)
}

// missing reports whether this machine lacks the tool.
func (f follower) missing() bool {
	if f.argv == nil {
		return false
	}
	_, err := exec.LookPath(f.argv[0])
	return err != nil
}

// trees measures and prints what it costs process trees to be followed, and how
// long a child takes to run with a debugger of its own. A third of the budget is
// for it.
func (b *bench) trees() error {
	walls := make(map[cell][]time.Duration)
	handovers := make(map[string][]time.Duration)
	program, err := compile(b.Dir, "handover", handoverSource)
	if err != nil {
		return err
	}
	b.InRounds(b.budget/3, func() {
		for _, f := range b.followers() {
			for _, t := range trees() {
				if b.Match.MatchString(t.name) {
					b.noteTree(walls, t, f)
				}
			}
		}
		if b.Match.MatchString(handover) {
			for _, f := range b.handovers() {
				b.noteHandover(handovers, f, program)
			}
		}
	})
	b.printTrees(walls)
	b.printHandovers(handovers)
	return nil
}

func (b *bench) noteTree(walls map[cell][]time.Duration, t tree, f follower) {
	dir := filepath.Join(b.Dir, "tree")
	wall, err := func() (time.Duration, error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return 0, err
		}
		if err := t.prepare(dir); err != nil {
			return 0, err
		}
		cmd := command(append(append([]string(nil), f.argv...), t.argv...))
		cmd.Dir, cmd.Stderr = dir, b.Err
		cost, err := harness.Measure(cmd, 0)
		return cost.Wall, err
	}()
	os.RemoveAll(filepath.Join(b.Dir, "runs"))
	if err != nil {
		b.Fail(t.name, f.name, err)
		return
	}
	walls[cell{t.name, f.name}] = append(walls[cell{t.name, f.name}], wall)
}

func command(argv []string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }

func (b *bench) printTrees(walls map[cell][]time.Duration) {
	w := b.Table()
	fmt.Fprintln(w, "\ntree\thow\twall, ms\tmin..max\ttimes bare")
	rows := 0
	for _, t := range trees() {
		bare := harness.SpreadOf(walls[cell{t.name, "bare"}], milliseconds)
		for _, f := range b.followers() {
			runs := walls[cell{t.name, f.name}]
			if len(runs) == 0 {
				continue
			}
			rows++
			wall := harness.SpreadOf(runs, milliseconds)
			ratio := ""
			if bare.Middle > 0 && f.argv != nil {
				ratio = fmt.Sprintf("%.2f", wall.Middle/bare.Middle)
			}
			fmt.Fprintf(w, "%s\t%s\t%.0f\t%.0f..%.0f\t%s\n", t.name, f.name, wall.Middle, wall.Least, wall.Most, ratio)
		}
	}
	if rows > 0 {
		w.Flush()
	}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

// handover is the name of the row that tells how long a child takes to begin.
const handover = "hand-over"

// handovers are the ways in which a child begins: by itself, followed, and with
// a debugger that has answered before its first instruction.
func (b *bench) handovers() []follower {
	const debugged = `EXEC() ".*" {
  PAT_GROUP(default) {
    PAT() "^started " { "info registers rip" | OUT("pc"); "continue"; }
    PAT() "^(?:fork|vfork|clone) child=\"(?P<child>[0-9]+)\"" { SPAWN($child); }
  }
}
`
	runs := filepath.Join(b.Dir, "runs")
	return []follower{
		{"bare", nil},
		{"dbctl, followed", []string{b.dbctl, "-o", runs, "profile.dbctl"}},
		{"dbctl, own debugger", []string{b.dbctl, "-o", runs, "-e", debugged}},
	}
}

func (b *bench) noteHandover(took map[string][]time.Duration, f follower, program string) {
	const children = 20
	cmd := command(append(append([]string(nil), f.argv...), program, strconv.Itoa(children)))
	cmd.Stderr = b.Err
	out, err := cmd.Output()
	os.RemoveAll(filepath.Join(b.Dir, "runs"))
	lines := strings.Fields(string(out))
	if err == nil && len(lines) != children {
		err = fmt.Errorf("it tells of %d children", len(lines))
	}
	for _, line := range lines {
		ns, wrong := strconv.ParseInt(line, 10, 64)
		if wrong != nil {
			err = wrong
			break
		}
		took[f.name] = append(took[f.name], time.Duration(ns))
	}
	if err != nil {
		b.Fail(handover, f.name, err)
	}
}

func (b *bench) printHandovers(took map[string][]time.Duration) {
	w := b.Table()
	fmt.Fprintln(w, "\nfork to child's first instruction\tms\tmin..max")
	for _, f := range b.handovers() {
		s := harness.SpreadOf(took[f.name], milliseconds)
		fmt.Fprintf(w, "%s, %s\t%.2f\t%.2f..%.2f\n", handover, f.name, s.Middle, s.Least, s.Most)
	}
	if len(took) > 0 {
		w.Flush()
	}
}
