package script

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// dump writes all of a program but its positions.
func dump(p *machine.Program) string {
	var b strings.Builder
	set := func(s machine.Set) { fmt.Fprintf(&b, "set %q %q\n", s.Name, s.Value) }
	for _, s := range p.Sets {
		set(s)
	}
	for _, e := range p.Execs {
		fmt.Fprintf(&b, "exec %q %v\n", e.Regex, e.Options)
		for _, s := range e.Sets {
			set(s)
		}
		for _, g := range e.Groups {
			fmt.Fprintf(&b, "group %q\n", g.Name)
			for _, p := range g.Pats {
				fmt.Fprintf(&b, "pat %d %q %v %v\n", p.Rank, p.Regex, p.Raw, p.Sinks)
				for _, a := range p.Actions {
					fmt.Fprintf(&b, "  %v %q %q\n", a.Verb, a.Args, a.Sinks)
				}
			}
		}
	}
	return b.String()
}

// Whatever the text: loading neither panics nor hangs, and says something where
// it fails; what is accepted is accepted by the whole grammar; formatting keeps
// the program and can be repeated; a machine can run it.
func FuzzLoad(f *testing.F) {
	scripts, err := filepath.Glob("../../../scripts/*.dbctl")
	if err != nil || len(scripts) == 0 {
		f.Fatal("no scripts")
	}
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, src := range []string{
		wrap(`"a $b" | OUT("$c") | VAR(d); SET(e, "${f}"); GOTO(default); SAMPLE(); EVAL("f", "x") | FIELD(x);`),
		"SET(a, \"$a\");", "EXEC() \"(?P<x>\" {", "}{", "#include \"\"", "\"\\\"\\", "EXEC()\"\"{PAT_GROUP(a){PAT(1)RAW\"\"#\n{\"\";}}}",
		"EXEC() \"\" { PAT_GROUP(a) { PAT() \"\" { PAT() \"\" { PAT_GROUP(b) { EXEC() \"\" {", strings.Repeat("PAT()\"\"{", 60), "PAT()\"^call\"IF(\"$t.x>1\"){LET(t.x,\"$t.x+1\");}",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		p := &parser{}
		p.script(&source{name: "f", text: []byte(src)})
		formatted, formatError := Format("f", []byte(src))
		if len(p.list) == 0 && formatError != nil {
			t.Fatalf("parsed, but not formatted: %v", formatError)
		}
		if formatError == nil {
			checkFormatted(t, src, string(formatted))
		}
		if len(p.list) == 0 {
			if _, err := grammar.ParseString("f", tokensOnly(src)); err != nil {
				t.Fatalf("the whole grammar does not accept it: %v", err)
			}
		}
		if strings.Contains(src, includeWord) {
			return // no files are read here
		}
		program, err := Load("f", []byte(src), Options{})
		if err != nil {
			list := err.(*Errors).List
			for _, d := range list {
				if d.Message == "" || d.Pos.Line < 1 || d.Pos.Col < 1 || d.EndCol <= d.Pos.Col || d.Pos.File != "f" {
					t.Fatalf("a bad diagnostic: %+v", d)
				}
			}
			if err.Error() == "" {
				t.Fatal("an empty error")
			}
			return
		}
		if formatError != nil {
			t.Fatalf("loaded, but not formatted: %v", formatError)
		}
		again, err := Load("f", formatted, Options{})
		if err != nil {
			t.Fatalf("the formatted script has errors: %v", err)
		}
		if a, b := dump(program), dump(again); a != b {
			t.Fatalf("formatting changed\n%s\nto\n%s", a, b)
		}
		for _, e := range program.Execs {
			m := machine.New(program, e, nil)
			for _, line := range []string{"", `started pid="1"`, `stopped signal="SIGVTALRM"`, src} {
				m.Step(line)
				for m.Next() != nil {
				}
			}
		}
	})
}
