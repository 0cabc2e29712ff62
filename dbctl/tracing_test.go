package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A page's program, and its scripts: what is run, the script, and lines that it prints.
var (
	pageProgram = regexp.MustCompile("(?s)<!-- serve.c -->\n```c\n(.*?)```")
	pageScript  = regexp.MustCompile("(?s)<!-- (\\w+\\.dbctl) ([^\n]*) -->\n```dbctl\n(.*?)```\n\n```text\n(.*?)```")
)

// TestTracingPage: the scripts of the page on tracing print what it says, but for numbers, beside other lines.
func TestTracingPage(t *testing.T) {
	page, err := os.ReadFile("../docs/TRACING.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := pageProgram.FindSubmatch(page)
	if program == nil {
		t.Fatal("the page has no program")
	}
	if err := os.WriteFile(filepath.Join(dir, "serve.c"), program[1], 0o666); err != nil {
		t.Fatal(err)
	}
	compile := exec.Command("gcc", "-g", "-pthread", "-o", "serve", "serve.c")
	compile.Dir = dir
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	scripts := pageScript.FindAllSubmatch(page, -1)
	if len(scripts) != 5 {
		t.Fatalf("the page has %d scripts, want 5", len(scripts))
	}
	for _, m := range scripts {
		name, command, want := string(m[1]), string(m[2]), string(m[4])
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := os.WriteFile(filepath.Join(dir, name), m[3], 0o666); err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(string(m[3]), "\n"); lines > 8 {
				t.Errorf("the script has %d lines", lines)
			}
			cmd := exec.Command("sh", "-c", `exec "$0" -o runs `+name+" "+command, filepath.Join(tree.bin, "dbctl"))
			cmd.Dir, cmd.Env = dir, environment(t)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && (name != "opens.dbctl" || !errors.As(err, &exit)) { // whose ls fails
				t.Fatalf("%v\n%s", err, out)
			}
			got := "\n" + withoutNumbers(string(out))
			for line := range strings.Lines(withoutNumbers(want)) {
				if !strings.Contains(got, "\n"+line) {
					t.Errorf("it does not print %sbut\n%s", line, out)
				}
			}
		})
	}
}

// withoutNumbers has N for each number, and single blanks and marks.
func withoutNumbers(text string) string {
	text = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+(\.[0-9]+)?(e-?[0-9]+)?`).ReplaceAllString(text, "N")
	text = regexp.MustCompile(`@+ *`).ReplaceAllString(text, "@")
	return regexp.MustCompile(`(?m)^ +| +`).ReplaceAllString(text, " ")
}
