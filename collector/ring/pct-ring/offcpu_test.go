package main_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/chance"
)

// times are what uses has printed: ms that its words took, and CPU time.
func times(t *testing.T, text string) (took, cpu map[string]float64) {
	t.Helper()
	took, cpu = map[string]float64{}, map[string]float64{}
	for line := range strings.Lines(text) {
		var word string
		var a, b float64
		if _, err := fmt.Sscan(line, &word, &a, &b); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		took[word], cpu[word] = a, b
	}
	return took, cpu
}

// Real time is found where a program runs, and where it's blocked, with the reason.
func TestReal(t *testing.T) {
	for _, args := range [][]string{{"-paths"}, {"-paths", "-r", "switches:1", "-r", "faults:1"}} {
		t.Run(strings.Join(args, ""), func(t *testing.T) {
			r := command(t, append(append([]string{"-r", "real:1ms"}, args...), "uses-static", "sleep", "20", "10", "wait", "10", "30", "spin", "200")...)
			var out strings.Builder
			r.Stdout = &out
			r.want(0)
			took, cpu := times(t, out.String())
			run := r.of("uses-static", "real")
			const ms, few = 1000, 8
			slept, _ := usage(t, run, "uses-static", "sleeping", "main")
			about(t, "sleep", slept, took["sleep"]*ms, few*ms)
			waited, _ := usage(t, run, "uses-static", "waiting", "main")
			about(t, "wait", waited, took["wait"]*ms, few*ms)
			asleep, _ := usage(t, run, "uses-static", "[blocked", "in", "clock_nanosleep]")
			about(t, "blocked in clock_nanosleep", asleep, (took["sleep"]-cpu["sleep"])*ms, took["sleep"]*ms/10)
			futex, _ := usage(t, run, "uses-static", "[blocked", "in", "futex]")
			about(t, "blocked in futex", futex, (took["wait"]-cpu["wait"])*ms, took["wait"]*ms/10)
			spun, _ := usage(t, run, "uses-static", "spin", "main")
			// The clock of a processor that is taken from a virtual machine does not tick.
			if s := float64(spun) / ms; s < cpu["spin"]/2 || s > took["spin"]*1.1 {
				t.Errorf("spin: %.0f ms of %.0f, CPU time %.0f", s, took["spin"], cpu["spin"])
			}
			if len(args) > 1 {
				switches, _ := usage(t, r.of("uses-static", "switches"), "uses-static", "waiting", "main")
				if switches < 10 || switches > 100 {
					t.Errorf("%d switches in 10 waits", switches)
				}
			}
		})
	}
}

// However often a thread is switched out, there are about as many samples as the time is
// intervals, of the right weight.
func TestManySwitches(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { manySwitches(t, d) })
}

func manySwitches(t *testing.T, d *chance.Draw) {
	r := command(t, "-paths", "-r", "real:2ms", "uses-static", "nap", "20000")
	var out strings.Builder
	r.Stdout = &out
	r.want(0)
	took, _ := times(t, out.String())
	var word string
	var real, cpu, squares float64
	if _, err := fmt.Sscan(out.String(), &word, &real, &cpu, &squares); err != nil {
		t.Fatal(err)
	}
	run := r.of("uses-static", "real")
	napped, hits := usage(t, run, "uses-static", "nap", "main")
	within := took["nap"] / 20
	d.Check(chance.Quantity{Name: "nap", Got: float64(napped), Want: took["nap"] * 1000, Error: math.Sqrt(15*squares) * 1000, Bias: within * 1000,
		Why: "of 16 naps one is seen, and counts for all: on a busy machine some are very long; a twentieth is for what the clocks see beside"})
	within += 5 * math.Sqrt(15*squares)
	if most := (took["nap"] + within) / 2; float64(hits) > most || napped != hits*2000 {
		t.Errorf("%d samples that weigh %d µs, want at most %.0f of 2000 each", hits, napped, most)
	}
}

// Threads that are blocked all the time that we look are found, and told.
func TestBlockedThroughout(t *testing.T) {
	for _, paths := range []string{"-paths", "-k"} {
		program := exec.Command(built+"/uses-static", "rest")
		stdin, err := program.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		blockedIn := func(numbers string) bool {
			tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", program.Process.Pid))
			all := ""
			for _, file := range tasks {
				text, _ := os.ReadFile(file)
				number, _, _ := strings.Cut(string(text), " ")
				all += number + " "
			}
			return all == numbers
		}
		until(t, "both threads to be blocked", func() bool { return blockedIn("0 202 ") })
		r := command(t, paths, "-r", "real:5ms", "-t", "0.5", "-p", fmt.Sprint(program.Process.Pid))
		r.want(0)
		stdin.Close()
		if err := program.Wait(); err != nil {
			t.Fatal(err)
		}
		run := r.only("uses-static")
		var want = map[string][]string{
			"[blocked in read]": {"[blocked", "in", "read]"}, "[blocked in futex]": {"[blocked", "in", "futex]"},
		}
		span := float64(run.Meta.End.Sub(run.Meta.Start).Microseconds())
		for what, path := range want {
			weight, _ := usage(t, run, "uses-static", path...)
			about(t, what, weight, span, 20e3+span/20)
		}
		notes := strings.Join(run.Meta.Notes, "\n")
		for _, says := range []string{"2 threads were off the processor during the whole run", "[blocked in read]", "[blocked in futex]"} {
			if !strings.Contains(notes, says) {
				t.Errorf("notes %q, want %q", notes, says)
			}
		}
		if weight, _ := usage(t, run, "uses-static", "waiting", "forever"); paths == "-paths" && weight == 0 {
			t.Error("no path of the thread that waits")
		}
	}
}
