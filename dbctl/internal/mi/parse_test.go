package mi

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

func constant(name, text string) Value { return Value{Name: name, Text: text} }

func TestParse(t *testing.T) {
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	for _, test := range []struct {
		line string
		want Record // Raw left out
	}{
		{`(gdb) `, Record{Kind: Prompt}},
		{`(gdb)`, Record{Kind: Prompt}},
		{`^done`, Record{Kind: Result, Class: "done", Results: Value{Tuple: true}}},
		{"12^done\r", Record{Kind: Result, Token: 12, Class: "done", Results: Value{Tuple: true}}},
		{`*stopped`, Record{Kind: Exec, Class: "stopped", Results: Value{Tuple: true}}},
		{`=thread-created,id="1",group-id="i1"`, Record{Kind: Notify, Class: "thread-created",
			Results: Value{Tuple: true, Items: []Value{constant("id", "1"), constant("group-id", "i1")}}}},
		{`+download,{section=".text"}`, Record{Kind: Status, Class: "download",
			Results: Value{Tuple: true, Items: []Value{{Tuple: true, Items: []Value{constant("section", ".text")}}}}}},
		{`^done,a={},b=[],c=""`, Record{Kind: Result, Class: "done",
			Results: Value{Tuple: true, Items: []Value{{Name: "a", Tuple: true}, {Name: "b", List: true}, {Name: "c"}}}}},
		{`^done,f=["x",{n="1",n="2"},["y"]]`, Record{Kind: Result, Class: "done",
			Results: Value{Tuple: true, Items: []Value{{Name: "f", List: true, Items: []Value{
				constant("", "x"),
				{Tuple: true, Items: []Value{constant("n", "1"), constant("n", "2")}},
				{List: true, Items: []Value{constant("", "y")}},
			}}}}}},
		{`7^done,bkpt={n="1",script={"silent","continue"}},{n="1.1"}`, Record{Kind: Result, Token: 7, Class: "done",
			Results: Value{Tuple: true, Items: []Value{
				{Name: "bkpt", Tuple: true, Items: []Value{
					constant("n", "1"),
					{Name: "script", Tuple: true, Items: []Value{constant("", "silent"), constant("", "continue")}},
				}},
				{Tuple: true, Items: []Value{constant("n", "1.1")}},
			}}}},
		{`^done,v="\"a\\033b\\377\302\265\\033\"",w="\101\1012\7x"`, Record{Kind: Result, Class: "done",
			Results: Value{Tuple: true, Items: []Value{constant("v", `"a\033b\377`+"µ"+`\033"`), constant("w", "AA2\ax")}}}},
		{`~"\e[1m\a\b\f\n\r\t\v\\\"\303\251\q"`, Record{Kind: Console, Text: "\033[1m\a\b\f\n\r\t\v\\\"éq"}},
		{`@"out"`, Record{Kind: Target, Text: "out"}},
		{`&"bt\n"`, Record{Kind: Log, Text: "bt\n"}},

		{``, Record{}},
		{`12`, Record{}},
		{`hello`, Record{}},
		{`12-exec-continue`, Record{}},
		{`=====`, Record{}},
		{`*** stack smashing detected ***`, Record{}},
		{`(lldb) `, Record{}},
		{`1(gdb) `, Record{}},
		{`^`, Record{}},
		{`^done,`, Record{}},
		{`^done,a`, Record{}},
		{`^done,a=`, Record{}},
		{`^done,a="`, Record{}},
		{`^done,a="x`, Record{}},
		{`^done,a="x\`, Record{}},
		{`^done,a="x"b`, Record{}},
		{`^done,a="x",`, Record{}},
		{`^done,a={b="x"`, Record{}},
		{`^done,a={b="x"]`, Record{}},
		{`^done,a=["x",]`, Record{}},
		{"^done,a=\"x\"\x00", Record{}},
		{`^done a="x"`, Record{}},
		{`~"x"y`, Record{}},
		{`~x`, Record{}},
		{`~`, Record{}},
		{`1234567890123456789012^done`, Record{}},
		{`^done,a=[` + deep + `]`, Record{}},
	} {
		got := Parse([]byte(test.line + "\n"))
		if string(got.Raw) != test.line {
			t.Errorf("Parse(%q): Raw %q", test.line, got.Raw)
		}
		got.Raw = nil
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("Parse(%q)\n got %+v\nwant %+v", test.line, got, test.want)
		}
	}
	if r := Parse([]byte(`^done,a=` + deep)); r.Kind != Result {
		t.Errorf("%d levels: not parsed", maxDepth)
	}
}

func TestGet(t *testing.T) {
	r := Parse([]byte(`^done,stack=[frame={level="0",f="a"},frame={level="1",f="b",f="c"}]`))
	for _, test := range []struct {
		path []string
		want string
	}{
		{[]string{"stack", "frame", "f"}, "a"},
		{[]string{"stack"}, ""},
		{[]string{"stack", "nothing", "f"}, ""},
		{[]string{"nothing"}, ""},
		{nil, ""},
	} {
		if got := r.Str(test.path...); got != test.want {
			t.Errorf("Str(%q) = %q, want %q", test.path, got, test.want)
		}
	}
	if got := r.Results.Get("stack").Items[1].Str("f"); got != "b" {
		t.Errorf("the first of two items of one name: %q", got)
	}
}

// corpus returns the lines that gdb said in testdata/record.sh.
func corpus(t testing.TB) [][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/gdb13.mi")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

// TestCorpus parses what a real gdb said: all of it is MI but the numbers
// that the target prints, and each command of the session has its answer.
func TestCorpus(t *testing.T) {
	kinds := map[Kind]int{}
	next := 1
	for _, line := range corpus(t) {
		r := Parse(line)
		kinds[r.Kind]++
		if r.Kind == Other && len(bytes.Trim(line, "0123456789")) > 0 {
			t.Errorf("not parsed: %.100s", line)
		}
		if r.Kind == Result {
			if r.Token != next {
				t.Errorf("answer %d where %d was due: %.100s", r.Token, next, line)
			}
			next = r.Token + 1
		}
		if r.Class == "stopped" && r.Str("reason") == "signal-received" && r.Str("frame", "func") == "" {
			t.Errorf("a stop without its frame: %.100s", line)
		}
		roundTrip(t, line)
	}
	for _, k := range []Kind{Result, Exec, Notify, Console, Log, Prompt, Other} {
		if kinds[k] == 0 {
			t.Errorf("the corpus has no record of kind %q", k)
		}
	}
}

// TestTruncated parses every beginning of the corpus's distinct kinds of line.
func TestTruncated(t *testing.T) {
	for _, line := range corpus(t) {
		if len(line) > 2000 {
			continue
		}
		for n := range line {
			roundTrip(t, line[:n])
		}
	}
}

// roundTrip holds Parse against itself: what is printed from a record parses
// to the same record, and the client's reused parser says the same.
func roundTrip(t *testing.T, line []byte) {
	t.Helper()
	r := Parse(line)
	if r.Kind == Other {
		if r.Token != 0 || r.Class != "" || r.Text != "" || r.Results.Items != nil {
			t.Fatalf("no MI, but more than Raw: %+v", r)
		}
		return
	}
	printed := appendRecord(nil, r)
	again := Parse(printed)
	again.Raw = r.Raw
	if !reflect.DeepEqual(r, again) {
		t.Fatalf("%q\n parses as %+v,\n printed %q,\n parses as %+v", line, r, printed, again)
	}
	var p parser
	var reused Record
	p.record(&reused, []byte(`^done,old=[{a="1",b=["2","\n"]},{}]`))
	for range 2 {
		p.record(&reused, bytes.Clone(bytes.TrimSuffix(line, []byte("\n"))))
	}
	reused.Raw = r.Raw
	if !reflect.DeepEqual(r, reused) {
		t.Fatalf("%q\n parses as %+v,\n with a reused parser %+v", line, r, reused)
	}
}

// appendRecord prints a record.
func appendRecord(b []byte, r Record) []byte {
	if r.Token != 0 {
		b = fmt.Append(b, r.Token)
	}
	switch r.Kind {
	case Prompt:
		return append(b, "(gdb) "...)
	case Console, Target, Log:
		return appendConstant(append(b, byte(r.Kind)), r.Text)
	}
	b = append(append(b, byte(r.Kind)), r.Class...)
	for _, v := range r.Results.Items {
		b = appendValue(append(b, ','), v)
	}
	return b
}

func appendValue(b []byte, v Value) []byte {
	if v.Name != "" {
		b = append(append(b, v.Name...), '=')
	}
	open, end := byte('{'), byte('}')
	switch {
	case v.List:
		open, end = '[', ']'
	case !v.Tuple:
		return appendConstant(b, v.Text)
	}
	b = append(b, open)
	for i, item := range v.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, item)
	}
	return append(b, end)
}

func appendConstant(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c > '~':
			b = fmt.Appendf(b, "\\%03o", c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

func FuzzParse(f *testing.F) {
	seen := map[string]bool{}
	for _, line := range corpus(f) {
		r := Parse(line)
		if key := string(r.Kind) + r.Class; !seen[key] && len(line) < 2000 {
			seen[key] = true
			f.Add(line)
		}
	}
	f.Fuzz(roundTrip)
}

// TestReuse holds the promise that parsing makes next to no garbage: one
// string a record, and another where there are escapes.
func TestReuse(t *testing.T) {
	var p parser
	var r Record
	lines := corpus(t)
	each := func() {
		for _, line := range lines {
			p.record(&r, line)
		}
	}
	each()
	if n := testing.AllocsPerRun(10, each) / float64(len(lines)); n > 2 {
		t.Errorf("%.2f allocations a record", n)
	}
}

func benchmark(b *testing.B, parse func(line []byte)) {
	lines := corpus(b)
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			parse(line)
		}
	}
}

// BenchmarkParse is Parse, over all that gdb says in a session.
func BenchmarkParse(b *testing.B) {
	benchmark(b, func(line []byte) { Parse(line) })
}

// BenchmarkReused is what Next does.
func BenchmarkReused(b *testing.B) {
	var p parser
	var r Record
	benchmark(b, func(line []byte) { p.record(&r, line) })
}
