package export

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/profilecollection/pct/pct/internal/path"
)

func ownJSON(samples bool) func(io.Writer, *Profile) error {
	return func(w io.Writer, p *Profile) error { return JSON(w, p, samples) }
}

func TestJSON(t *testing.T) {
	at := file(t, "p.json", write(t, profileOf(t, forms), ownJSON(true)))
	for query, want := range map[string]string{
		`[.format, .version, .resource, .unit, .period_ns, .start, .commands[0]] | map(tostring) | join(" ")`: "pct 1 cpu µs 10000000 2023-11-14T22:13:20Z ./forms 7",
		`.groups[0] | [.name, .samples, .weight] | map(tostring) | join(" ")`:                                 "" + " 388 3880000",
		`.frames as $f | .groups[0].nodes | map(select($f[.frame].name == "spin").self_samples) | add`:        "385",
		`.groups[0].nodes | map(select(.parent == 0).total) | add`:                                            "3880000",
		`.groups[0].nodes as $n | ([$n[].id] | index($n[4].parent)) < 4`:                                      "true",
		`.samples | length`: "388",
		`.samples | map(select(.thread == 4711).weight) | add`:                                                                                                         "1940000",
		`.samples[2] | [.pid, .time_ns, .fields.n, .program] | join(" ")`:                                                                                              "4711 20000000 2 /bin/forms",
		`.frames | map(select(.name == "a" and .file == "/src/forms.c" and .line == 10 and .address == "0x1000")) | length`:                                            "1",
		`. as $p | [.samples[].node] | group_by(.) | map({n: .[0], c: length}) | map(. as $x | $p.groups[0].nodes[] | select(.id == $x.n).self_samples == $x.c) | all`: "true",
	} {
		if got := strings.TrimSuffix(run(t, "jq", "-r", query, at), "\n"); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	// A reader that knows no more than the description.
	const totals = `
import json, sys
p = json.load(open(sys.argv[1]))
names = [f["name"] for f in p["frames"]]
for g in p["groups"]:
    nodes = {n["id"]: n for n in g["nodes"]}
    below = {i: n["self"] for i, n in nodes.items()}
    total = {}
    for n in reversed(g["nodes"]):
        assert below[n["id"]] == n["total"], n
        if n["parent"]:
            below[n["parent"]] += n["total"]
        path, at = set(), n["id"]
        while at:
            path.add(names[nodes[at]["frame"]])
            at = nodes[at]["parent"]
        for name in path:
            total[name] = total.get(name, 0) + n["self_samples"]
    print(total["even"], total["odd"], total["main"])
`
	if got := run(t, "python3", "-c", totals, at); got != "193 146 384\n" {
		t.Errorf("python: %s", got)
	}
}

// decoded is what a reader of our own JSON gets of names.
type decoded struct {
	Creator            string
	Commands, Selected []string
	Frames             []struct{ Name, File, Object, Address string }
	Groups             []struct {
		Name  string
		Nodes []struct{ ID, Parent, Frame, Total int }
	}
	Samples []struct{ Fields map[string]string }
}

func TestJSONHostile(t *testing.T) {
	text := write(t, hostileProfile(t), ownJSON(true))
	var d decoded
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, '\x1b') || strings.Contains(text, "<script") {
		t.Error("there are bytes that no JSON should have, or a page cannot")
	}
	if len(d.Frames) != len(hostile)+1 || len(d.Samples) != len(hostile)+1 {
		t.Fatalf("%d frames, %d samples", len(d.Frames), len(d.Samples))
	}
	for i, name := range hostile {
		want := strings.ReplaceAll(strings.ReplaceAll(name, "\xff", "\uFFFD"), "\xfe", "\uFFFD")
		if f := d.Frames[i+1]; f.Name != want || f.File != want || f.Address != "0xffffffff81000000" || d.Commands[i] != want {
			t.Errorf("%q became %+v", name, f)
		}
	}
}

func TestJSONGroups(t *testing.T) {
	one, two := profileOf(t, "main a 3\n"), profileOf(t, "main b 4\n")
	two.Groups[0].Tree.Frames = append(one.Groups[0].Tree.Frames, two.Groups[0].Tree.Frames[1])
	two.Groups[0].Tree.Nodes[2].Frame = 2
	one.Groups[0].Tree.Frames = two.Groups[0].Tree.Frames
	p := &Profile{Groups: []path.Group{{Name: "n=2", Tree: two.Groups[0].Tree}, {Name: "n=1", Tree: one.Groups[0].Tree}}}
	var d decoded
	if err := json.Unmarshal([]byte(write(t, p, ownJSON(false))), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Groups) != 2 || d.Groups[0].Name != "n=2" || d.Frames[d.Groups[0].Nodes[1].Frame].Name != "b" || d.Frames[d.Groups[1].Nodes[1].Frame].Name != "a" {
		t.Errorf("got %+v", d)
	}
}

// TestJSONEmpty has formats with nothing to say stay JSON.
func TestJSONEmpty(t *testing.T) {
	for name, writer := range map[string]func(io.Writer, *Profile) error{"json": ownJSON(false), "speedscope": Speedscope, "firefox": Firefox} {
		if text := write(t, &Profile{}, writer); !json.Valid([]byte(text)) {
			t.Errorf("%s: %s", name, text)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		p := randomProfile(r)
		for name, writer := range map[string]func(io.Writer, *Profile) error{"json": ownJSON(true), "speedscope": Speedscope, "firefox": Firefox} {
			if text := write(t, p, writer); !json.Valid([]byte(text)) {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}
