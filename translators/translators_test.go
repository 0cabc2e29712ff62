package translators

import (
	"bufio"
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/translators/internal/coproc"
)

func TestParseRequest(t *testing.T) {
	for _, c := range []struct {
		line string
		want Request
		err  string
	}{
		{line: "/bin/ls\t0x4000", want: Request{Object: "/bin/ls", Vaddr: 0x4000}},
		{line: "/bin/ls\t0xffffffffffffffff\tab01", want: Request{Object: "/bin/ls", Vaddr: 1<<64 - 1, BuildID: "ab01"}},
		{line: `/a\tb\nc\|d\\e` + "\t0x0", want: Request{Object: "/a\tb\nc|d\\e"}},
		{line: "", err: "want OBJECT<TAB>0xADDRESS"},
		{line: "/bin/ls 0x4000", err: "want OBJECT<TAB>0xADDRESS"},
		{line: "a\t0x1\tb\tc", err: "want OBJECT<TAB>0xADDRESS"},
		{line: "\t0x1", err: "no object"},
		{line: "/bin/ls\t4000", err: "not an address"},
		{line: "/bin/ls\t0x", err: "not an address"},
		{line: "/bin/ls\t0x10000000000000000", err: "not an address"},
		{line: `/a\x` + "\t0x1", err: "unknown escape"},
		{line: `/a\` + "\t0x1", err: "lone"},
	} {
		got, err := parseRequest(c.line)
		if c.err == "" && err != nil || got != c.want {
			t.Errorf("parseRequest(%q) = %+v, %v, want %+v", c.line, got, err, c.want)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("parseRequest(%q): error %v, want one with %q", c.line, err, c.err)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	for _, c := range []struct {
		line string
		want []Location
		err  string
	}{
		{line: "?|?|?", want: []Location{{}}},
		{line: "main|/src/a.c|12", want: []Location{{Func: "main", File: "/src/a.c", Line: 12}}},
		{line: "in|/a.h|3\tout|?|?", want: []Location{{Func: "in", File: "/a.h", Line: 3, Inlined: true}, {Func: "out"}}},
		{line: `operator\|\||a\tb.c|1`, want: []Location{{Func: "operator||", File: "a\tb.c", Line: 1}}},
		{line: "", err: "is not FUNCTION|FILE|LINE"},
		{line: "main", err: "is not FUNCTION|FILE|LINE"},
		{line: "main|a.c", err: "is not FUNCTION|FILE|LINE"},
		{line: "main|a.c|1|2", err: "is not a line number"},
		{line: "main|a.c|0", err: "is not a line number"},
		{line: "main|a.c|-1", err: "is not a line number"},
		{line: "main|a.c|x", err: "is not a line number"},
		{line: "main|a.c|", err: "is not a line number"},
		{line: "|a.c|1", err: "empty field"},
		{line: "main||1", err: "empty field"},
		{line: "main|a.c|1\t", err: "is not FUNCTION|FILE|LINE"},
		{line: `ma\qin|a.c|1`, err: "unknown escape"},
	} {
		got, err := parseAnswer(c.line)
		if c.err == "" && err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("parseAnswer(%q) = %+v, %v, want %+v", c.line, got, err, c.want)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("parseAnswer(%q): error %v, want one with %q", c.line, err, c.err)
		}
	}
}

// What can be parsed is written again in a form that means the same.
func FuzzParseAnswer(f *testing.F) {
	for _, s := range []string{"?|?|?", "main|/a.c|12", "in|/a.h|3\tout|?|?", `operator\|\||a\tb.c|1`, "a|b|0", "|", `\`, "\t\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		frames, err := parseAnswer(line)
		if err != nil {
			return
		}
		if len(frames) == 0 {
			t.Fatalf("no frames in %q", line)
		}
		again, err := parseAnswer(strings.TrimSuffix(string(appendAnswer(nil, frames)), "\n"))
		if err != nil || !reflect.DeepEqual(again, frames) {
			t.Fatalf("%q: %+v, then %+v, %v", line, frames, again, err)
		}
	})
}

// Whatever is asked for arrives, and what can be parsed is written again in a
// form that means the same.
func FuzzParseRequest(f *testing.F) {
	for _, s := range []string{"/bin/ls\t0x4000", "a\t0x1\tab", `a\tb` + "\t0xf", "\t", "a\t0x1\t\t"} {
		f.Add(s, "/bin/l|s", uint64(1))
	}
	f.Fuzz(func(t *testing.T, line, object string, vaddr uint64) {
		if q, err := parseRequest(line); err == nil {
			again, err := parseRequest(strings.TrimSuffix(string(appendRequest(nil, q.Object, q.BuildID, q.Vaddr)), "\n"))
			if err != nil || again != q {
				t.Fatalf("%q: %+v, then %+v, %v", line, q, again, err)
			}
		}
		if object == "" {
			return
		}
		text := string(appendRequest(nil, object, "", vaddr))
		if strings.Count(text, "\n") != 1 {
			t.Fatalf("%q is not one line", text)
		}
		if q, err := parseRequest(strings.TrimSuffix(text, "\n")); err != nil || q.Object != object || q.Vaddr != vaddr {
			t.Fatalf("%q is parsed as %+v, %v", text, q, err)
		}
	})
}

// Serve answers every line there is, and nothing else.
func FuzzServe(f *testing.F) {
	f.Add([]byte("/bin/ls\t0x4000\n/bin/ls\t0x1\n"))
	f.Add([]byte("junk\n\n\na\t0x1"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		err := Serve(bytes.NewReader(in), &out, io.Discard, func(q Request) ([]Location, error) {
			return []Location{{Func: q.Object, File: q.BuildID, Line: int(q.Vaddr & 0xffff)}}, nil
		})
		if err != nil && err != ErrRequests {
			t.Fatal(err)
		}
		want := bytes.Count(in, []byte("\n"))
		if len(in) > 0 && in[len(in)-1] != '\n' {
			want++
		}
		if got := bytes.Count(out.Bytes(), []byte("\n")); got != want {
			t.Fatalf("%d answers for %d lines", got, want)
		}
		for line := range strings.Lines(out.String()) {
			if _, err := parseAnswer(strings.TrimSuffix(line, "\n")); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestServe(t *testing.T) {
	var out, complain bytes.Buffer
	in := "a\t0x1\nnonsense\nb\t0x2\tc0ffee"
	err := Serve(strings.NewReader(in), &out, &complain, func(q Request) ([]Location, error) {
		if q.Object == "a" {
			return nil, nil
		}
		return []Location{{Func: "f", File: q.BuildID, Line: 7, Inlined: true}, {Func: "g|h"}}, nil
	})
	if err != ErrRequests {
		t.Errorf("error %v, want %v", err, ErrRequests)
	}
	if want := "?|?|?\n?|?|?\nf|c0ffee|7\tg\\|h|?|?\n"; out.String() != want {
		t.Errorf("answers\n%swant\n%s", &out, want)
	}
	if want := "line 2: want OBJECT<TAB>0xADDRESS, not \"nonsense\"\n"; complain.String() != want {
		t.Errorf("complaint %q, want %q", &complain, want)
	}
}

func TestServeStopsAtError(t *testing.T) {
	var out bytes.Buffer
	n := 0
	err := Serve(strings.NewReader("a\t0x1\na\t0x2\na\t0x3\n"), &out, io.Discard, func(Request) ([]Location, error) {
		if n++; n == 2 {
			return nil, io.ErrClosedPipe
		}
		return []Location{{Func: "f"}}, nil
	})
	if err == nil || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
		t.Errorf("error %v, want %v", err, io.ErrClosedPipe)
	}
	if out.String() != "f|?|?\n" {
		t.Errorf("answers %q", &out)
	}
}

// What has come is one batch, whatever is wrong with some lines of it; what has not
// come yet is not waited for.
func TestServeBatches(t *testing.T) {
	in, feed := io.Pipe()
	out, answers := io.Pipe()
	var complain bytes.Buffer
	var sizes []int
	done := make(chan error, 1)
	go func() {
		done <- ServeBatches(in, answers, &complain, func(batch []Request, answers [][]Location) error {
			sizes = append(sizes, len(batch))
			for i, q := range batch {
				answers[i] = []Location{{Func: q.Object, Line: int(q.Vaddr)}}
			}
			return nil
		})
		answers.Close()
	}()
	r := bufio.NewReader(out)
	for _, lines := range []string{"a\t0x1\n", "nonsense\n", "b\t0x2\nnonsense\nc\t0x3\n"} {
		if _, err := io.WriteString(feed, lines); err != nil {
			t.Fatal(err)
		}
		for want := range strings.Lines(lines) {
			if got, err := r.ReadString('\n'); err != nil || got[0] != want[0] && got != "?|?|?\n" {
				t.Fatalf("answer %q to %q, error %v", got, want, err)
			}
		}
	}
	feed.Close()
	if rest, err := io.ReadAll(r); len(rest) > 0 || err != nil {
		t.Errorf("more answers: %q, error %v", rest, err)
	}
	if err := <-done; err != ErrRequests {
		t.Errorf("error %v, want %v", err, ErrRequests)
	}
	if !slices.Equal(sizes, []int{1, 2}) {
		t.Errorf("batches of %v", sizes)
	}
	if s := complain.String(); !strings.HasPrefix(s, "line 2: ") || !strings.Contains(s, "\nline 4: ") {
		t.Errorf("complaints %q", s)
	}
}

func TestServeBatchesStopsAtError(t *testing.T) {
	var out bytes.Buffer
	err := ServeBatches(strings.NewReader("a\t0x1\na\t0x2\n"), &out, io.Discard, func([]Request, [][]Location) error {
		return io.ErrClosedPipe
	})
	if err == nil || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) || out.Len() > 0 {
		t.Errorf("error %v, answers %q", err, &out)
	}
}

func TestServeRefusesLongLine(t *testing.T) {
	in := io.MultiReader(strings.NewReader("a\t0x1\n"), strings.NewReader(strings.Repeat("x", coproc.MaxLine+1<<20)))
	var out bytes.Buffer
	err := Serve(in, &out, io.Discard, func(Request) ([]Location, error) { return nil, nil })
	if err == nil || !strings.Contains(err.Error(), "request 2: a line of more than 16 MB") {
		t.Errorf("error %v", err)
	}
	if out.String() != "?|?|?\n" {
		t.Errorf("answers %q", &out)
	}
}
