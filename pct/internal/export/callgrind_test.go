package export

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// costs are what a reader of Callgrind's format finds for the functions, by their names
// without objects.
type costs struct {
	self, out, in map[string]uint64
	summary       uint64
	calls         int
}

// numbered is a name in the format: a number, and at its first use what it stands for.
var numbered = regexp.MustCompile(`^\((\d+)\)\s*(.*)$`)

// readCallgrind reads the format as its specification has it, for the first event.
func readCallgrind(t *testing.T, text string) costs {
	t.Helper()
	c := costs{map[string]uint64{}, map[string]uint64{}, map[string]uint64{}, 0, 0}
	names := map[string]string{}
	named := func(kind, value string) string {
		if m := numbered.FindStringSubmatch(value); m != nil {
			key := kind + m[1]
			if m[2] != "" {
				if names[key] != "" && names[key] != m[2] {
					t.Errorf("%s is %q and %q", key, names[key], m[2])
				}
				names[key] = m[2]
			}
			if names[key] == "" {
				t.Errorf("%s is not defined", key)
			}
			return names[key]
		}
		t.Errorf("name without a number: %s=%s", kind, value)
		return value
	}
	function, callee, calling, body := "", "", false, false
	for text := range strings.Lines(text) {
		text = strings.TrimSuffix(text, "\n")
		key, value, isName := strings.Cut(text, "=")
		switch {
		case strings.HasPrefix(text, "events: "):
			body = true
		case strings.HasPrefix(text, "summary: "):
			fmt.Sscanf(text, "summary: %d", &c.summary)
		case !body || text == "":
		case isName && key == "calls":
			if value != "1 0" {
				t.Errorf("calls=%s", value)
			}
			calling = true
			c.calls++
		case isName && key == "fn":
			function = named("fn", value)
		case isName && key == "cfn":
			callee = named("fn", value)
		case isName && (key == "ob" || key == "fl" || key == "cob" || key == "cfl"):
			named(key[len(key)-2:], value)
		default:
			var at int
			var cost uint64
			var samples int
			if n, err := fmt.Sscanf(text, "%d %d %d", &at, &cost, &samples); n != 3 {
				t.Fatalf("line %q: %v", text, err)
			}
			if calling {
				c.out[function] += cost
				c.in[callee] += cost
			} else {
				c.self[function] += cost
			}
			calling = false
		}
	}
	return c
}

// TestCallgrindRecursion holds the costs of random trees against their definition: the
// inclusive cost of a function is the weight of the samples that have its name on their
// path, each once, whether a reader adds up what calls it or what it calls; that of f'2
// and so on is never more.
func TestCallgrindRecursion(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	recursive := 0
	for range 2000 {
		p := randomProfile(r)
		tree := p.Groups[0].Tree
		text := write(t, p, Callgrind)
		c := readCallgrind(t, text)
		total, self, whole := map[string]uint64{}, map[string]uint64{}, uint64(0)
		roots := map[string]uint64{}
		for n, w := range tree.Self {
			whole += w.Weight
			counted := map[string]bool{}
			frames := tree.Path(int32(n))
			for i, f := range frames {
				name := tree.Frames[f].Name
				if i == 0 {
					self[name] += w.Weight
				}
				if i == len(frames)-1 {
					roots[name] += w.Weight
				}
				if !counted[name] {
					counted[name] = true
					total[name] += w.Weight
				}
			}
		}
		if c.summary != whole {
			t.Fatalf("summary %d, want %d", c.summary, whole)
		}
		selfs := map[string]uint64{}
		for name, cost := range c.self {
			outer, level, inner := strings.Cut(name, "'")
			selfs[outer] += cost
			if inner && level != "1" {
				recursive++
			}
		}
		for name, want := range total {
			in := c.in[name]
			if in == 0 {
				in = roots[name] // callgrind_annotate: what is not called has what it calls
			}
			if out := c.self[name] + c.out[name]; out != want || in != want || selfs[name] != self[name] {
				t.Fatalf("%s: inclusive %d by callees and %d by callers, want %d; self %d, want %d in\n%s", name, out, in, want, selfs[name], self[name], text)
			}
		}
		for name := range c.in {
			outer, _, inner := strings.Cut(name, "'")
			if out := c.self[name] + c.out[name]; out != c.in[name] && c.in[name] != 0 || out > total[outer] {
				t.Fatalf("%s (%v): %d by callers, %d by callees, %d in all", name, inner, c.in[name], out, total[outer])
			}
		}
	}
	if recursive == 0 {
		t.Error("no tree had any recursion")
	}
}

// TestCallgrindDeep holds the numbers of names of deep recursions down.
func TestCallgrindDeep(t *testing.T) {
	for _, c := range []struct {
		loop  string
		names int
	}{{"f ", 2}, {"f g ", 4}, {"f g h ", 6}} {
		text := write(t, profileOf(t, strings.Repeat(c.loop, 10_000/len(strings.Fields(c.loop)))+"leaf 5"), Callgrind)
		if got := len(regexp.MustCompile(`(?m)^c?fn=\(\d+\) [fgh]`).FindAllString(text, -1)); got != c.names {
			t.Errorf("%s: %d names, want %d:\n%s", c.loop, got, c.names, text)
		}
	}
}

// row finds the costs of a row of callgrind_annotate: "380,000 (49.35%) 190 (49.35%)  *  NAME".
func row(t *testing.T, report, mark, name string) (cost int, percent float64) {
	t.Helper()
	m := regexp.MustCompile(`(?m)^ *([\d,]+) +\( *([\d.]+)%\) +[\d,]+ +\( *[\d.]+%\) +` + mark + ` *` + regexp.QuoteMeta(name) + `(?: |$)`).FindStringSubmatch(report)
	if m == nil {
		t.Fatalf("no row of %s %s in\n%s", mark, name, report)
	}
	cost, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	if err != nil {
		t.Fatal(err)
	}
	percent, err = strconv.ParseFloat(m[2], 64)
	if err != nil {
		t.Fatal(err)
	}
	return cost, percent
}

func TestCallgrindAnnotate(t *testing.T) {
	at := file(t, "callgrind.out", write(t, profileOf(t, forms), Callgrind))
	const all = 388
	inclusive := run(t, "callgrind_annotate", "--inclusive=yes", "--tree=both", "--threshold=100", at)
	for _, want := range []struct {
		mark, name string
		samples    int
	}{
		{`\*`, "/src/forms.c:main", 384}, {`\*`, "/src/forms.c:spin", 385}, {`\*`, "/src/forms.c:a", 146},
		{`\*`, "/src/forms.c:even", 193}, {`\*`, "/src/forms.c:odd", 146}, {`\*`, "/src/forms.c:even'2", 93}, {`\*`, "/src/forms.c:odd'2", 45},
		{">", "/src/forms.c:even'2", 93}, {"<", "/src/forms.c:b", 48}, {"<", "/src/forms.c:odd'2", 45}, {"<", "???:(root)", 1},
	} {
		cost, percent := row(t, inclusive, want.mark, want.name)
		if cost != want.samples*10_000 || fmt.Sprintf("%.2f", percent) != fmt.Sprintf("%.2f", 100*float64(want.samples)/all) {
			t.Errorf("%s %s: %d (%.2f%%), want %d samples of %d", want.mark, want.name, cost, percent, want.samples, all)
		}
	}
	exclusive := run(t, "callgrind_annotate", "--threshold=100", at)
	for name, samples := range map[string]int{"/src/forms.c:spin": 385, "/src/forms.c:even": 3} {
		if cost, _ := row(t, exclusive, "", name); cost != samples*10_000 {
			t.Errorf("%s itself: %d, want %d samples", name, cost, samples)
		}
	}
	if cost, _ := row(t, exclusive, "", "PROGRAM TOTALS"); cost != all*10_000 {
		t.Errorf("totals: %d", cost)
	}
}

func TestCallgrindHostile(t *testing.T) {
	text := write(t, hostileProfile(t), Callgrind)
	c := readCallgrind(t, text)
	if want := uint64(len(hostile)+1) * 10_000; c.summary != want || c.calls < len(hostile) {
		t.Errorf("summary %d, want %d; %d calls", c.summary, want, c.calls)
	}
	report := run(t, "callgrind_annotate", "--inclusive=yes", "--tree=both", "--threshold=100", file(t, "callgrind.out", text))
	if strings.Contains(report, "malformed") || strings.ContainsRune(report, '\x1b') {
		t.Errorf("report:\n%s", report)
	}
}
