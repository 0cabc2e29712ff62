package export

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/internal/calltree"
	"github.com/profilecollection/pct/pct/internal/path"
)

// forms are call paths with their samples, as profileOf takes them: "main a b 3", each frame
// NAME or NAME:LINE.
const forms = `
main:37 a:10 spin:5 146
main:38 b:15 spin:6 48
main:39 even:22 odd:29 even:22 odd:30 spin:5 45
main:39 even:22 odd:29 even:23 spin:5 48
main:39 even:22 odd:30 spin:5 50
main:39 even:23 spin:6 47
? odd:29 even:23 3
spin:6 1
`

// profileOf makes a profile of stacks, whose samples come one after the other in two
// threads of a process, by turns, every 10 ms. Names have _ for blanks.
func profileOf(t testing.TB, stacks string) *Profile {
	t.Helper()
	b := calltree.NewBuilder()
	var samples []path.CallSample
	self := map[int32]calltree.Weight{}
	for text := range strings.Lines(stacks) {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		count, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			t.Fatal(err)
		}
		node := int32(0)
		for _, word := range words[:len(words)-1] {
			name, number, _ := strings.Cut(word, ":")
			f := calltree.Frame{Name: name, Function: name}
			if name != "?" {
				f.File, f.Object, f.Addr = "/src/forms.c", "/bin/forms", 0x1000
			}
			f.Line, _ = strconv.Atoi(number)
			node = b.Child(node, b.Frame(f))
		}
		for range count {
			n := len(samples)
			samples = append(samples, path.CallSample{
				Pid: 4711, Program: "/bin/forms", Thread: uint32(4711 + n%2), Time: time.Duration(n) * 10 * time.Millisecond,
				Node: node, Weight: calltree.Weight{Weight: 10_000, Samples: 1},
				Fields: []path.Field{{Name: "n", Value: strconv.Itoa(n % 7)}},
			})
			self[node] = self[node].Plus(samples[n].Weight)
		}
	}
	return profileFrom(b, self, samples)
}

func profileFrom(b *calltree.Builder, self map[int32]calltree.Weight, samples []path.CallSample) *Profile {
	tree := &calltree.Tree{Frames: b.Frames, Nodes: b.Nodes, Self: make([]calltree.Weight, len(b.Nodes))}
	for n, w := range self {
		tree.Self[n] = w
	}
	return &Profile{
		Creator: "pct test", Commands: []string{"./forms 7"}, Resource: "cpu", Unit: "µs",
		Period: 10 * time.Millisecond, Start: time.Unix(1_700_000_000, 0).UTC(),
		Groups: []path.Group{{Tree: tree}},
		Samples: func(yield func(path.CallSample) bool) {
			for _, s := range samples {
				if !yield(s) {
					return
				}
			}
		},
	}
}

// hostile are names that profiled programs can have.
var hostile = []string{
	"a;b c", "new\nline", "tab\tand\x1b[31mred", `quote"back\slash`, "<script>alert(1)</script>", "&amp;", "(3) number", "fn=(1)",
	"std::map<" + strings.Repeat("std::pair<int, ", 700) + ">", "größe→", "bad\xff\xfeutf8", "", " ", "#comment", "12 34", "\\N\\n%s{}", "]]>", "'2",
	"\u2028line", "+3", "calls=1 0",
}

// hostileProfile has a sample in each hostile name called by main, and one of each name
// that calls all.
func hostileProfile(t testing.TB) *Profile {
	t.Helper()
	b := calltree.NewBuilder()
	self := map[int32]calltree.Weight{}
	var samples []path.CallSample
	add := func(node int32) {
		w := calltree.Weight{Weight: 10_000, Samples: 1}
		samples = append(samples, path.CallSample{
			Pid: 1, Program: hostile[5], Thread: 1, Time: time.Duration(len(samples)) * time.Millisecond, Node: node, Weight: w,
			Fields: []path.Field{{Name: hostile[len(samples)%len(hostile)], Value: hostile[len(samples)%7]}},
		})
		self[node] = self[node].Plus(w)
	}
	outermost := b.Child(0, b.Frame(calltree.Frame{Name: "main"}))
	chain := outermost
	for _, name := range hostile {
		f := b.Frame(calltree.Frame{Name: name, File: name, Object: name, Line: 3, Addr: 0xffffffff81000000})
		add(b.Child(outermost, f))
		chain = b.Child(chain, f)
	}
	add(chain)
	p := profileFrom(b, self, samples)
	p.Commands, p.Limits = hostile, hostile
	p.Creator = hostile[1]
	return p
}

// randomProfile has trees full of recursion; some functions have the same name in two
// objects.
func randomProfile(r *rand.Rand) *Profile {
	b := calltree.NewBuilder()
	self := map[int32]calltree.Weight{}
	functions := 1 + r.IntN(5)
	for range 1 + r.IntN(12) {
		node := int32(0)
		for range 1 + r.IntN(12) {
			name := string(rune('a' + r.IntN(functions)))
			object := "/o"
			if r.IntN(6) == 0 {
				object = "/p"
			}
			node = b.Child(node, b.Frame(calltree.Frame{Name: name, Function: name, Object: object, File: "/f.c", Line: 1 + r.IntN(2)}))
		}
		self[node] = self[node].Plus(calltree.Weight{Weight: uint64(r.IntN(1000)), Samples: 1 + r.IntN(3)})
	}
	return profileFrom(b, self, nil)
}

// write returns what a writer writes of a profile.
func write(t testing.TB, p *Profile, writer func(io.Writer, *Profile) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := writer(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// file writes a text to a file of a name in a directory of the test.
func file(t *testing.T, name, text string) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// run runs a program and returns what it prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir = t.TempDir()
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, stderr.String())
	}
	return string(out)
}
