package script

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted diagnostics")

// Each archive holds a script with errors, what it includes, and the diagnostics
// as the user sees them.
func TestDiagnostics(t *testing.T) {
	archives, err := filepath.Glob("testdata/errors/*.txtar")
	if err != nil || len(archives) < 5 {
		t.Fatalf("archives: %v %v", archives, err)
	}
	for _, path := range archives {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) { diagnose(t, path) })
	}
}

func diagnose(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	files := make(map[string]string)
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err = Load("script.dbctl", []byte(files["script.dbctl"]), Options{Include: []string{"library"}, Strict: true})
	if err == nil {
		t.Fatal("no error")
	}
	got := err.Error() + "\n"
	if *update {
		for i := range archive.Files {
			if archive.Files[i].Name == "want" {
				archive.Files[i].Data = []byte(got)
			}
		}
		if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != files["want"] {
		t.Errorf("got\n%s\nwant\n%s", got, files["want"])
	}
}

// wrap puts statements of a block into a script, on a line of its own: line 3.
func wrap(statements string) string {
	return "EXEC() \"\" { PAT_GROUP(default) {\nPAT() \"x\" {\n" + statements + "\n}\n} }\n"
}

func TestMessages(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"", "1:1-2: the script is empty"},
		{"# only a comment\n", "1:1-2: the script is empty"},
		{`SET(a, "1");`, "1:1-2: the script has no EXEC"},
		{`EXEC() "" {`, "1:11-12: this { is never closed"},
		{`EXEC() "" { } }`, "1:15-16: this } closes nothing"},
		{`EXEC() "" { };`, "1:14-15: a ; without a statement"},
		{`EXEC() ""`, "1:10-11: expected {, found the end of the file"},
		{`EXEC() "" PAT_GROUP(a) { }`, "1:11-20: expected {, found PAT_GROUP"},
		{`EXEC "" { }`, `1:6-8: expected (, found the string ""`},
		{`EXEC(a) "" { }`, "1:7-8: expected =, found )"},
		{`EXEC(a="1" b="2") "" { }`, "1:12-13: expected ) or ,, found b"},
		{`EXEC() { }`, "1:8-9: expected a string, found {"},
		{`EXEC() "" { PAT_GROUP("a") { } }`, `1:23-26: expected a name, found the string "a"`},
		{`EXEC() "" { PAT_GROUP(PAT) { } }`, `1:23-26: expected a name, found PAT`},
		{`EXEC() "" { PAT_GROUP(a) { PAT() } }`, "1:34-35: expected a string or RAW, found }"},
		{`EXEC() "" { PAT_GROUP(a) { PAT() "x" } }`, "1:37-38: a ; is missing here"},
		{`EXEC() "" { PAT_GROUP(a) { PAT() "x" "y"; } }`, `1:38-41: expected IF, |, { or ;, found the string "y"`},
		{`EXEC() "" { PAT_GROUP(a) { PAT(99999999999) "x"; } }`, "1:32-43: this rank is too large"},
		{`EXEC() "" { PAT_GROUP(a) { PAT() "(?P<pid>.)"; } }`, "1:34-46: $pid is kept by dbctl and cannot be set"},
		{`EXEC() "" { PAT() "x"; }`, "1:13-16: PAT cannot stand in EXEC"},
		{`EXEC() "" { "x"; }`, `1:13-16: the string "x" cannot stand in EXEC`},
		{`EXEC() "" { ECHO("x"); }`, "1:13-17: ECHO cannot stand in EXEC"},
		{`EXEC() "" { PAT_GROUP(a) { SET(x, "1"); } }`, "1:28-31: SET cannot stand in PAT_GROUP"},
		{`EXEC() "" { 12 }`, "1:13-15: unexpected 12"},
		{`EXEC() "" { nonsense; }`, "1:13-21: unknown statement nonsense"},
		{`SET(a, "$b"); SET(b, "${a}"); EXEC() "" { }`, "1:8-12: the value of $a mentions $a itself\n1:22-28: the value of $b mentions $b itself"},
		{`SET(exe, "1"); EXEC() "" { }`, "1:5-8: $exe is kept by dbctl and cannot be set"},
		{`SET(a, b); EXEC() "" { }`, "1:8-9: expected a string, found b"},
		{`EXEC() "" { } // why`, `1:15-16: unexpected character "/"`},
		{`EXEC() "" { } "`, "1:15-16: this string is not closed on its line"},
		{"EXEC() \"\" {\n#include\n}", "2:1-9: #include wants the name of a file in quotes"},
		{"EXEC() \"\" {\n#include \"\"\n}", "2:10-12: #include wants the name of a file"},
		{"EXEC() \"\" {\n#include \"/nonexistent/x\"\n}", "2:10-26: there is no such file"},
		{"EXEC() \"\" {\n#include \".\"\n}", "2:10-13: cannot read the file: read .: is a directory"},

		{wrap(`GOTO(lat);`), "3:6-9: unknown group lat"},
		{wrap(`GOTO("default");`), "3:6-15: group of GOTO must be the name of a PAT_GROUP"},
		{wrap(`GOTO();`), "3:1-5: GOTO takes 1 argument, not 0"},
		{wrap(`CLOCK();`), "3:1-6: CLOCK takes 1 to 3 arguments, not 0"},
		{wrap(`CLOCK(best);`), "3:1-6: CLOCK wants an interval, of time in microseconds"},
		{wrap(`CLOCK(best, -1);`), "3:13-15: interval of CLOCK must be a number, 1 or more"},
		{wrap(`CLOCK(best, "ten");`), "3:13-18: interval of CLOCK must be a number, 1 or more"},
		{wrap(`CLOCK(best, 10, 2);`), "3:17-18: random of CLOCK must be a number from 0 to 1"},
		{wrap(`SET("a", "b");`), "3:5-8: name of SET must be the name of a variable, or a string \"name[key]\""},
		{wrap(`SET("pid[$x]", "b"); LET("a[${b[$x]}]", "1 + ${c[a]}"); ECHO("x") IF("${d[$1]}") | OUT("x");`), "<nil>"},
		{wrap(`SET("a[$x", "b");`), "3:5-11: name of SET must be the name of a variable, or a string \"name[key]\""},
		{wrap(`SET("t.a[x]", "b");`), "3:5-13: name of SET must be the name of a variable, or a string \"name[key]\""},
		{wrap(`ECHO("${a[$x}");`), "3:6-15: ${ does not begin a variable"},
		{wrap(`ECHO("x") IF("$x >");`), "3:14-20: bad formula: a number, a $variable or a 'text' is expected, not the end"},
		{wrap(`"bt" | OUT("x") IF("$x");`), "3:17-19: expected | or ;, found IF"},
		{wrap(`SET(a.n, "b");`), "3:5-8: $a.n is a field or an argument of the event and cannot be set"},
		{wrap(`SET(cpu, "b");`), "3:5-8: $cpu is kept by dbctl and cannot be set"},
		{wrap(`ECHO(text);`), "3:6-10: text of ECHO must be a string"},
		{wrap(`DETACH(1);`), "3:1-7: DETACH takes 0 arguments, not 1"},
		{wrap(`SAMPLE() | OUT("x");`), "3:12-15: SAMPLE yields no text to send to OUT"},
		{wrap(`KILL(SIGNOTHING);`), "3:6-16: signal of KILL must be a signal such as SIGTERM"},
		{wrap(`QUIT(256);`), "3:6-9: status of QUIT must be a number from 0 to 255"},
		{wrap(`SPAWN(0);`), "3:7-8: pid of SPAWN must be a number, 1 or more"},
		{wrap(`EVAL("(", "n");`), "3:6-9: bad regular expression: missing closing ): `(`"},
		{wrap(`EVAL(worker, "n");`), "3:6-12: function of EVAL must be a regular expression in quotes"},
		{wrap(`"print n" | FIELD(n);`), "3:13-18: FIELD belongs to a sample, and this block has no SAMPLE"},
		{wrap(`SAMPLE(); "p n" | FIELD("");`), "3:25-27: a field must have a name"},
		{wrap(`"bt" | OUT(stack);`), "3:12-17: OUT wants a string in quotes"},
		{wrap(`"bt" | OUT("a/b");`), "3:12-17: OUT wants the name of a file without its directory"},
		{wrap(`"bt" | OUT("meta");`), "3:12-18: the file meta of a run directory is written by dbctl itself"},
		{wrap(`"bt" | PIPE("");`), "3:13-15: an empty command"},
		{wrap(`"bt" | VAR("x");`), "3:12-15: VAR wants the name of a variable, without quotes"},
		{wrap(`SET(e.func, "b");`), "3:5-11: $e.func is a field or an argument of the event and cannot be set"},
		{wrap(`"bt" | VAR(pid);`), "3:12-15: $pid is kept by dbctl and cannot be set"},
		{wrap(`"bt" | OUTT("x");`), "3:8-12: unknown output OUTT"},
		{wrap(`"bt" OUT("x");`), "3:6-9: expected IF, | or ;, found OUT"},
		{wrap(`" ";`), "3:1-4: an empty command"},
		{wrap(`"print ${";`), "3:1-11: ${ does not begin a variable"},
		{wrap(`'bt';`), `3:1-2: unexpected character "'"` + "\n" + `3:4-5: unexpected character "'"`},
		{wrap(`"bt"`), "3:5-6: a ; is missing here"},
		{wrap("\"bt\" | OUT(\"x\")\nGOTTO(a);"), "3:16-17: a ; is missing here\n4:1-6: unknown verb GOTTO"},
		{wrap("GOTO(lat)\n\"bt\";"), "3:6-9: unknown group lat\n3:10-11: a ; is missing here"},
		{wrap(`KILL(TERM); KILL(SIGUSR1); KILL($0); EVAL("^(a|b)$$", "$x");`), "<nil>"},
		{wrap(`DETACH;`), "3:7-8: expected (, found ;"},
		{wrap(`ECHO("a" "b");`), `3:10-13: expected ) or ,, found the string "b"`},
		{wrap(`ECHO(=);`), "3:6-7: expected ), a string, a number, a name or a $variable, found ="},
		{wrap(`"unterminated; ECHO(`) + `"`, "3:1-21: this string is not closed on its line\n6:1-2: this string is not closed on its line"},
	} {
		_, err := Load("f", []byte(test.src), Options{})
		if got := messages(err); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.src, got, test.want)
		}
	}
}

// messages are those of an error, with their places and without the rest.
func messages(err error) string {
	e, ok := err.(*Errors)
	if !ok {
		return fmt.Sprint(err)
	}
	var out []string
	for _, d := range e.List {
		if d.Pos.File != "f" {
			return "an error in " + d.Pos.File
		}
		out = append(out, fmt.Sprintf("%d:%d-%d: %s", d.Pos.Line, d.Pos.Col, d.EndCol, d.Message))
	}
	return strings.Join(out, "\n")
}

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{
		"GOTTO": "GOTO", "goto": "GOTO", "SAMPEL": "SAMPLE", "SAMPLES": "SAMPLE", "KIL": "KILL", "XYZZY": "", "": "", "EVALUATE": "",
	} {
		if got := nearest(word, verbWords()); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

func TestDeepNesting(t *testing.T) {
	src := strings.Repeat(`EXEC() "" { `, 1_000) + strings.Repeat("}", 1_000)
	_, err := Load("f", []byte(src), Options{})
	if got := messages(err); !strings.HasSuffix(got, "EXEC cannot stand in EXEC\n1:611-612: blocks are nested too deeply") {
		t.Errorf("got %s", got)
	}
}

// A few files that include each other twice would never end.
func TestManyIncludes(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range 30 {
		text := fmt.Sprintf("#include \"%d\"\n#include \"%d\"\n", i+1, i+1)
		if err := os.WriteFile(fmt.Sprint(i), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Load("f", []byte("#include \"0\"\n"), Options{})
	if err == nil || !strings.Contains(err.Error(), "more than 500 files are included") {
		t.Errorf("got %v", err)
	}
}
