package main

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/internal/value"
	"github.com/profilecollection/pct/pct/data"
)

// viewedRun has samples of a string and of a vector of numbers.
func viewedRun(t *testing.T) string {
	t.Helper()
	word := func(name string, offset uint64) value.Field {
		return value.Field{Name: name, Offset: offset, Type: &value.Type{Kind: value.Integer, Name: "unsigned long", Size: 8}}
	}
	command := &value.Type{Kind: value.Structure, Name: "string", Size: 16, Fields: []value.Field{word("text", 0), word("length", 8)}, View: &value.View{Kind: value.AsText}}
	sizes := &value.Type{Kind: value.Structure, Name: "sizes", Size: 8, Fields: []value.Field{word("begin", 0)},
		View: &value.View{Kind: value.AsVector, Elem: &value.Type{Kind: value.Integer, Name: "int", Size: 4, Signed: true}}}
	d, err := data.Create(t.TempDir(), "/bin/server", 7)
	check(t, err)
	start := time.Unix(1000, 0)
	w, err := d.NewWriter(data.Header{Resource: "cpu", Unit: "µs", Clock: "perf", Period: time.Millisecond, Start: start})
	check(t, err)
	var fields []data.FieldID
	for i, typ := range []*value.Type{command, sizes} {
		described, err := typ.Describe()
		check(t, err)
		fields = append(fields, w.TypedField(data.PlanField{Name: []string{"command", "sizes"}[i], Type: described}))
	}
	o := w.Object("/bin/server", "", 0, 0x1000, 0x2000, 0)
	for i, text := range []string{"GET", "SET", "GET", "torn"} {
		b := binary.LittleEndian.AppendUint64(nil, 0x5000)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(text)))
		if text == "torn" {
			b = binary.LittleEndian.AppendUint64(b, value.NoContent)
		} else {
			b = binary.LittleEndian.AppendUint64(b, uint64(len(text)))
			b = append(binary.LittleEndian.AppendUint16(b, uint16(len(text))), text...)
		}
		v := binary.LittleEndian.AppendUint64(nil, 0x6000)
		v = binary.LittleEndian.AppendUint64(v, 2)
		v = binary.LittleEndian.AppendUint64(v, 4)
		v = append(binary.LittleEndian.AppendUint16(v, 8), 1, 0, 0, 0, 2, 0, 0, 0)
		at := time.Duration(i+1) * time.Millisecond
		check(t, w.Sample(data.Sample{Time: at, CPU: at, Thread: 7, Weight: 1000, Node: w.Node(0, o, 0x1010),
			Fields: []data.FieldValue{{Field: fields[0], Value: string(b)}, {Field: fields[1], Value: string(v)}}}))
	}
	check(t, w.Close())
	check(t, d.WriteMeta(data.Meta{Argv: []string{"server"}, Exe: "/bin/server", Pid: 7, Start: start, End: start.Add(time.Second), Clock: "perf", Period: time.Millisecond, Samples: 4, State: "complete"}))
	check(t, d.Close())
	return d.Path()
}

// Strings and containers are what they hold, for tables, conditions and splits; -members shows their members.
func TestViewsInReports(t *testing.T) {
	dir := viewedRun(t)
	for _, x := range []struct{ args, want string }{
		{"values -raw -expr command", "\"GET\"\n\"SET\"\n\"GET\"\n{text = 20480, length = 4}\n"},
		{"values -raw -expr sizes -where strcmp(command,\"SET\")==0", "std::vector of length 2, capacity 4 = {1, 2}\n"},
		{"values -raw -expr command -where command==\"GET\"", "\"GET\"\n\"GET\"\n"},
		{"values -raw -members -expr command", "{text = 20480, length = 3}\n{text = 20480, length = 3}\n{text = 20480, length = 3}\n{text = 20480, length = 4}\n"},
		{"obj% -by command", `command="GET"`},
		{"obj% -by command -members", "command={text = 20480, length = 3}"},
		{"obj% -by sizes", "sizes=std::vector of length 2, capacity 4 = {1, 2}"},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(append(strings.Fields(x.args), dir), strings.NewReader(""), &stdout, &stderr); status != succeeded {
			t.Errorf("%s: %s", x.args, stderr.String())
		}
		if got := stdout.String(); strings.HasSuffix(x.want, "\n") && got != x.want || !strings.Contains(got, x.want) {
			t.Errorf("%s:\n%s, want\n%s", x.args, got, x.want)
		}
	}
}
