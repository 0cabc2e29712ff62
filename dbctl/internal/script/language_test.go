package script

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

const language = "../../../docs/LANGUAGE.md"

// A fence is a block of code in a document.
type fence struct {
	info, text string
	line       int
}

func fences(t *testing.T, path string) []fence {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []fence
	var now *fence
	for i, line := range strings.SplitAfter(string(text), "\n") {
		switch info, ok := strings.CutPrefix(line, "```"); {
		case ok && now == nil:
			now = &fence{info: strings.TrimSpace(info), line: i + 1}
		case ok:
			out, now = append(out, *now), nil
		case now != nil:
			now.text += line
		}
	}
	if now != nil {
		t.Fatalf("the block of line %d does not end", now.line)
	}
	return out
}

// Every script of the document loads, and does what the document says.
func TestLanguageDocument(t *testing.T) {
	var program *machine.Program
	var wrong string
	count := make(map[string]int)
	for _, f := range fences(t, language) {
		count[f.info]++
		t.Run(fmt.Sprintf("line %d", f.line), func(t *testing.T) {
			var err error
			switch f.info {
			case "dbctl":
				program, err = Load("script.dbctl", []byte(f.text), Options{Include: []string{"../../../scripts"}})
				if err != nil {
					t.Error(err)
				}
			case "dbctl wrong":
				if _, err = Load("script.dbctl", []byte(f.text), Options{}); err == nil {
					t.Fatal("no error")
				}
				wrong = err.Error() + "\n"
			case "text":
				if f.text != wrong {
					t.Errorf("the errors are\n%s", wrong)
				}
			case "trace":
				if got := play(program, f.text); got != f.text {
					t.Errorf("the script does\n%s", got)
				}
			case "ebnf":
				if f.text != Grammar() {
					t.Errorf("the grammar is\n%s", Grammar())
				}
			default:
				t.Errorf("unknown kind of block %q", f.info)
			}
		})
	}
	if count["dbctl"] < 20 || count["trace"] < 20 || count["text"] != 1 || count["ebnf"] != 1 {
		t.Errorf("blocks: %v", count)
	}
}

// Every verb, output and shipped script has its place in the document.
func TestLanguageDocumentIsComplete(t *testing.T) {
	text, err := os.ReadFile(language)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verbWords() {
		if !strings.Contains(string(text), "\n### "+v+"\n") {
			t.Errorf("no section on %s", v)
		}
	}
	for _, w := range append(sinkWords, reserved...) {
		if !regexp.MustCompile(`(?m)^\| .*\b` + w + `\b`).Match(text) {
			t.Errorf("no row on %s", w)
		}
	}
	for _, event := range strings.Fields("started attached stopped breakpoint fork vfork clone exec loaded unloaded call first return left stands thread syscall exited killed error timeout eof") {
		if !regexp.MustCompile("(?m)^\\| .*`" + event + "\\b").Match(text) {
			t.Errorf("no row on the event %s", event)
		}
	}
}

// play offers the events of a trace to a new machine and writes the trace that
// should have been: events, or raw lines after the word raw, and the actions of
// each below it. The answer for a VAR is taken from the trace, after =>.
func play(program *machine.Program, trace string) string {
	m := machine.New(program, program.Execs[0], nil)
	for name, value := range map[string]string{"pid": "812", "exe": "/bin/example", "cpu": "0.25", "time": "1.5", "path": "worker <- main"} {
		m.Set(name, value)
	}
	answers := make(map[string]string)
	for _, found := range regexp.MustCompile(`(?m)^  (.*) => (.*)$`).FindAllStringSubmatch(trace, -1) {
		answers[found[1]] = found[2]
	}
	var b strings.Builder
	for line := range strings.Lines(trace) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, " ") {
			continue
		}
		fmt.Fprintln(&b, line)
		raw, isRaw := strings.CutPrefix(line, "raw ")
		if isRaw && !m.StepRaw(raw) || !isRaw && !m.Step(line) {
			fmt.Fprintln(&b, "  no pattern matches")
			continue
		}
		for portion := m.Next(); portion != nil; portion = m.Next() {
			for _, a := range portion {
				text := a.String()
				b.WriteString("  " + text)
				for _, s := range a.Sinks {
					if s.Kind == machine.Var {
						m.Capture(s.Arg, answers[text])
						b.WriteString(" => " + answers[text])
					}
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}
