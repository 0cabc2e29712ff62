package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/pct/data"
)

// textsRun has samples of a pointer to characters at several addresses, as the program has it and as a debugger shows it.
func textsRun(t *testing.T) string {
	t.Helper()
	pointer := &value.Type{Kind: value.Pointer, Size: 8, Elem: &value.Type{Kind: value.Character, Name: "char", Size: 1, Signed: true}}
	described, err := pointer.Describe()
	check(t, err)
	d, err := data.Create(t.TempDir(), "/bin/server", 7)
	check(t, err)
	start := time.Unix(1000, 0)
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: time.Millisecond, Start: start})
	check(t, err)
	typed, shown := w.TypedField(data.PlanField{Name: "typed", Type: described}), w.Field("shown")
	o := w.Object("/bin/server", "", 0, 0x1000, 0x2000, 0)
	for i, text := range []string{"GET", "SET", "GET", "DEL"} {
		addr := uint64(0x5000 + 16*i)
		b := append(binary.LittleEndian.AppendUint64(nil, addr), byte(len(text)+1), 0)
		at := time.Duration(i+1) * time.Millisecond
		check(t, w.Sample(data.Sample{Time: at, CPU: at, Thread: 7, Weight: 1000, Node: w.Node(0, o, 0x1010), Fields: []data.FieldValue{
			{Field: typed, Value: string(b) + text + "\x00"}, {Field: shown, Value: fmt.Sprintf("%#x <pool+%d> \"%s\"", addr, 16*i, text)},
		}}))
	}
	check(t, w.Close())
	check(t, d.WriteMeta(data.Meta{Argv: []string{"server"}, Exe: "/bin/server", Pid: 7, Start: start, End: start.Add(time.Second), Clock: "perf", Period: time.Millisecond, Samples: 4, State: "complete"}))
	check(t, d.Close())
	return d.Path()
}

// Equal texts are one value, wherever they stand; -members shows where that is.
func TestTextsAreOne(t *testing.T) {
	dir := textsRun(t)
	for _, x := range []struct{ args, want string }{
		{"values -raw -expr NAME", "\"GET\"\n\"SET\"\n\"GET\"\n\"DEL\"\n"},
		{"values -expr NAME", " 50.0%   \"GET\"\n"},
		{"obj% -by NAME", "50.0%   NAME=\"GET\""},
		{"values -raw -expr NAME -where NAME==\"GET\"", "\"GET\"\n\"GET\"\n"},
		{"values -raw -expr NAME -where strcmp(NAME,\"GET\")>0", "\"SET\"\n"},
	} {
		for _, name := range []string{"typed", "shown"} {
			if got, want := reported(t, x.args, name, dir), strings.ReplaceAll(x.want, "NAME", name); !strings.Contains(got, want) {
				t.Errorf("%s of %s:\n%s, want\n%s", x.args, name, got, want)
			}
		}
	}
	for name, want := range map[string]string{"typed": "0x5000 \"GET\"\n", "shown": "0x5000 <pool+0> \"GET\"\n"} {
		if got := reported(t, "values -raw -members -expr NAME", name, dir); !strings.HasPrefix(got, want) {
			t.Errorf("-members of %s:\n%s, want\n%s", name, got, want)
		}
	}
}

// reported is the report of a command on a field, for which NAME stands.
func reported(t *testing.T, args, name, dir string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(append(strings.Fields(strings.ReplaceAll(args, "NAME", name)), dir), strings.NewReader(""), &stdout, &stderr); status != succeeded {
		t.Fatalf("%s: %s", args, stderr.String())
	}
	return stdout.String()
}
