package data

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The specification's examples are what the writer writes.
func TestFormatDocument(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FORMAT.md")
	check(t, err)
	d, err := Create(t.TempDir(), "p", 1)
	check(t, err)
	w, err := d.NewWriter(Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: 10 * time.Millisecond, Start: time.Unix(1, 0)})
	check(t, err)
	n := w.Field("n")
	main := w.Node(0, w.Object("/bin/p", "ab", 0, 0x1000, 0x2000, 0x1000), 0x139)
	check(t, w.Sample(Sample{Time: 10 * time.Millisecond, CPU: time.Millisecond, Thread: 7, Node: main, Weight: 10000,
		Fields: []FieldValue{{n, "42"}}}))
	check(t, w.Lost(2, "late"))
	check(t, w.Close())
	src, err := os.ReadFile(filepath.Join(d.Path(), pathsOf("cpu")))
	check(t, err)

	dump := regexp.MustCompile(`(?m)^    ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  .*)?$`)
	var text strings.Builder
	for _, m := range dump.FindAllStringSubmatch(string(doc), -1) {
		text.WriteString(strings.ReplaceAll(m[1], " ", ""))
	}
	if want := hex.EncodeToString(src); text.String() != want {
		t.Errorf("the document shows\n%s\nthe writer writes\n%s", text.String(), want)
	}
	for _, k := range metaKeys {
		if !strings.Contains(string(doc), "`"+k.name+"`") {
			t.Errorf("the document lacks the key %s of meta", k.name)
		}
	}
}

func TestFormatDocumentTree(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FORMAT.md")
	check(t, err)
	w, dir := newTree(t)
	moment := func(ms int) time.Time { return time.Unix(1700000000, int64(ms)*1e6) }
	for _, err := range []error{
		w.Start(moment(0), 4711, 4700, "launch"),
		w.Exec(moment(0).Add(200*time.Microsecond), 4711, "/usr/bin/dash", []string{"sh", "-c", "gzip -9 <a; true"}),
		w.Mode(moment(0).Add(200*time.Microsecond), 4711, "sampled"),
		w.Start(moment(3), 4712, 4711, "fork"),
		w.Exec(moment(4), 4712, "/usr/bin/gzip", []string{"gzip", "-9"}),
		w.Dir(moment(12), 4712, "gzip.4712"),
		w.End(moment(500), 4712, 480*time.Millisecond, 48, 0, "exit 0"),
		w.End(moment(501), 4711, time.Millisecond, 0, 0, "exit 0"),
		w.Close(),
	} {
		check(t, err)
	}
	src, err := os.ReadFile(filepath.Join(dir, treeFile))
	check(t, err)
	var example strings.Builder
	for line := range strings.Lines(string(src)) {
		example.WriteString("    " + line)
	}
	if !strings.Contains(string(doc), example.String()) {
		t.Errorf("the document lacks what the writer writes:\n%s", example.String())
	}
}

func TestFormatDocumentContexts(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FORMAT.md")
	check(t, err)
	words := []uint32{0}
	for _, m := range regexp.MustCompile(`(?m)^    ((?:[0-9a-f]{8} )+)  +word (\d+): `).FindAllStringSubmatch(string(doc), -1) {
		if at := strconv.Itoa(len(words)); at != m[2] {
			t.Errorf("a chunk is said to begin at word %s: it does at %s", m[2], at)
		}
		for _, word := range strings.Fields(m[1]) {
			v, err := strconv.ParseUint(word, 16, 32)
			check(t, err)
			words = append(words, uint32(v))
		}
	}
	got := readContexts(words, false, false)
	want := []context{
		{}, {where: 0xfff0 << 48}, {where: 0xfff0<<48 | 4711, parent: 1},
		{where: 1<<48 | 0x401136, parent: 2}, {where: 1<<48 | 0x4011a0, parent: 3, self: 7}, {where: 12<<48 | 0x40, parent: 4, self: 1},
		{where: 1<<48 | 0x4011b4, parent: 3, self: 2},
	}
	if got.broken != "" || got.strange > 0 || !slices.Equal(got.all, want) {
		t.Errorf("the example says %+v, want %+v", got, want)
	}
}
