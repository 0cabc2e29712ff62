package main_test

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// names returns the call path of a sample, innermost first: functions of the program, of
// others the base name of the object, of the kernel [kernel].
func names(t *testing.T, run *data.Run, prog string, s data.Sample) []string {
	t.Helper()
	all := symbols(t, prog)
	var path []string
	for id := s.Node; id != 0; id = run.Nodes[id].Parent {
		o, vaddr := at(run, data.Sample{Node: id})
		name := filepath.Base(o.Path)
		if i := slices.IndexFunc(all, func(y elf.Symbol) bool {
			return elf.ST_TYPE(y.Info) == elf.STT_FUNC && vaddr >= y.Value && vaddr < y.Value+y.Size
		}); name == prog && i >= 0 {
			name = all[i].Name
		}
		path = append(path, name)
	}
	return path
}

// below counts the samples whose path has some functions in this order, from the inside
// out, and those that have the first of them.
func below(t *testing.T, run *data.Run, prog string, want ...string) (n, of int) {
	t.Helper()
	known := map[data.NodeID]string{}
	for _, s := range run.Samples() {
		if known[s.Node] == "" {
			known[s.Node] = strings.Join(names(t, run, prog, s), " ") + " "
		}
		path := known[s.Node]
		if strings.Contains(path, want[0]+" ") {
			of++
		}
		if strings.Contains(path, strings.Join(want, " ")+" ") {
			n++
		}
	}
	return n, of
}

// whole expects nearly all call paths to reach their outermost frame: at least 99.5 %, besides
// so many of the last ones.
func whole(t *testing.T, run *data.Run, last int) {
	t.Helper()
	partial := 0
	for _, s := range run.Samples() {
		if s.Partial {
			partial++
		}
	}
	if n := len(run.Samples()); n < 100 || 200*(partial-last) > n || int(run.Meta.Partial) != partial {
		t.Errorf("%d of %d call paths are partial, %d by meta", partial, n, run.Meta.Partial)
	}
}

// Call paths are found in optimised code, dynamic and static, launched and attached to.
func TestPaths(t *testing.T) {
	for _, prog := range []string{"deep", "deep-static"} {
		for _, how := range []string{"-cpus", "-threads"} {
			t.Run(prog+how, func(t *testing.T) {
				chance.Test(t, func(d *chance.Draw) {
					r := command(t, "-paths", how, "-F", "997", prog, units(40), "5")
					r.want(0)
					run := r.only(prog)
					whole(t, run, 0)
					left, all := below(t, run, prog, "work", "left", "rounds", "dive", "dive", "dive", "dive", "dive", "main")
					near(d, "left", left, all, 0.75)
				})
			})
		}
	}
}

// A stack may be deeper than what is copied of it, and the program may have ended when that is seen.
func TestDeepPaths(t *testing.T) {
	for _, c := range []struct {
		prog, how string
		depth     int
	}{{"deep", "-cpus", 1000}, {"deep", "-threads", 1000}, {"deep-static", "-threads", 1000}, {"deep", "-threads", 9000}} {
		t.Run(fmt.Sprint(c.prog, c.how, c.depth), func(t *testing.T) {
			chance.Test(t, func(d *chance.Draw) {
				r := command(t, "-paths", c.how, "-F", "997", c.prog, units(40), fmt.Sprint(c.depth))
				r.want(0)
				run := r.only(c.prog)
				whole(t, run, 0)
				left, all := below(t, run, c.prog, append(append([]string{"work", "left", "rounds"}, slices.Repeat([]string{"dive"}, c.depth)...), "main")...)
				near(d, "left", left, all, 0.75)
			})
		})
	}
}

// Threads that descend and return on deep stacks, and exceptions, which write over frames, have whole paths.
func TestPathsThatChange(t *testing.T) {
	for _, args := range [][]string{
		{"threads", "3", "20", units(1)},
		{"threads", "3", "3000", units(1)},
		{"throws", units(150)},
	} {
		t.Run(strings.Join(args[:len(args)-1], " "), func(t *testing.T) {
			r := command(t, append([]string{"-paths", "-threads", "-F", "997", "stacks"}, args...)...)
			r.want(0)
			whole(t, r.only("stacks"), 0)
		})
	}
}

// A compiler has large frames, on stacks that are larger than the kernel copies.
func TestPathsOfCompiler(t *testing.T) {
	cc1, err := exec.Command("gcc", "-print-prog-name=cc1").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "big.c")
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, bigFunction, i, 2+i%9)
	}
	if err := os.WriteFile(source, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r := command(t, "-paths", "-threads", "-F", "997", strings.TrimSpace(string(cc1)), "-quiet", "-O2", source, "-o", os.DevNull)
	r.want(0)
	whole(t, r.only("cc1"), 0)
}

const bigFunction = `
struct s%[1]d { int key; struct s%[1]d *next; double weight[%[2]d]; };
int f%[1]d(struct s%[1]d *list, int n, const char *text) {
	int sum = %[1]d;
	for (struct s%[1]d *p = list; p; p = p->next) {
		switch ((p->key + n) %% 7) {
		case 0: sum += p->key * 3; break;
		case 1: sum ^= (int)p->weight[n %% %[2]d]; break;
		case 2: for (int i = 0; text[i]; i++) sum += text[i] << (i %% 5); break;
		case 3: if (p->next) p->next->key += sum / (1 + (n & 15)); break;
		default: p->weight[sum & 1] += 0.5 * n; sum -= %[1]d;
		}
	}
	return sum;
}
`

// With -k the kernel's part of a path stands inside the program's.
func TestKernelPaths(t *testing.T) {
	r := command(t, "-paths", "-k", "-F", "997", "deep", "read", "400000")
	r.want(0)
	run := r.only("deep")
	whole(t, run, 0)
	inKernel, nested, byRead := 0, 0, 0 // the kernel's entry has no caller in it
	for _, s := range run.Samples() {
		path := strings.Join(names(t, run, "deep", s), " ")
		if strings.HasPrefix(path, "[kernel] ") {
			inKernel++
		}
		if strings.HasPrefix(path, "[kernel] [kernel] ") {
			nested++
		}
		if strings.Contains(path, "[kernel] libc.so.6 main ") {
			byRead++
		}
	}
	if 2*byRead < len(run.Samples()) || byRead > inKernel || 2*nested < inKernel {
		t.Errorf("of %d samples %d are in the kernel, %d of them with callers there, %d on behalf of read", len(run.Samples()), inKernel, nested, byRead)
	}
}

// Short processes have ended when their stacks are looked at.
func TestPathsOfShortProcesses(t *testing.T) {
	r := command(t, "-paths", "-cpus", "-F", "997", "sh", "-c", fmt.Sprintf("for i in $(seq 40); do %s/deep %s 5; done", built, units(2)))
	r.want(0)
	samples, partial := 0, 0
	for _, run := range r.runs("deep") {
		for _, s := range run.Samples() {
			samples++
			if s.Partial {
				partial++
			}
		}
	}
	if samples < 100 || 200*partial > samples {
		t.Errorf("%d of %d call paths are partial", partial, samples)
	}
}
