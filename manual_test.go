package pct_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestManualFlags holds the flags that a command's -h lists against the entries
// of its manual page, both ways.
func TestManualFlags(t *testing.T) {
	bin := t.TempDir()
	for command, source := range map[string]string{"dbctl": "dbctl", "pct": "pct", "pct-pr": "tools", "pct-ring": "collector/ring/pct-ring", "profile": "profile"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, command), "./"+source).CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", command, err, out)
		}
	}
	pct := filepath.Join(bin, "pct")
	overview := help(t, pct)
	verbs := verbsOf(overview)
	if len(verbs) == 0 {
		t.Fatalf("pct -h lists no verbs:\n%s", overview)
	}
	pctHelp := overview
	for _, v := range verbs {
		pctHelp += help(t, pct, v)
	}
	for _, tt := range []struct{ page, help string }{
		{"docs/man/profile.1", help(t, filepath.Join(bin, "profile"))},
		{"docs/man/dbctl.1", help(t, filepath.Join(bin, "dbctl"))},
		{"docs/man/pct.1", pctHelp},
		{"docs/man/pct-pr.1", help(t, filepath.Join(bin, "pct-pr"))},
		{"docs/man/pct-ring.1", help(t, filepath.Join(bin, "pct-ring"))},
	} {
		page, err := os.ReadFile(tt.page)
		if err != nil {
			t.Fatal(err)
		}
		listed, described := helpFlags(tt.help), pageFlags(string(page))
		if len(listed) == 0 {
			t.Errorf("no flag found in the -h text for %s:\n%s", tt.page, tt.help)
		}
		for _, f := range listed {
			if !slices.Contains(described, f) {
				t.Errorf("-h lists -%s, but %s has no entry (.It Fl %s)", f, tt.page, f)
			}
		}
		for _, f := range described {
			if !slices.Contains(listed, f) {
				t.Errorf("%s has an entry for -%s, which -h does not list", tt.page, f)
			}
		}
	}
	page, err := os.ReadFile("docs/man/pct.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verbs {
		if !regexp.MustCompile(`(?m)^\.It Cm ` + regexp.QuoteMeta(v) + `\b`).Match(page) {
			t.Errorf("pct -h lists the verb %s, but docs/man/pct.1 has no entry (.It Cm %s)", v, v)
		}
	}
}

// TestManualPages formats each page with all of groff's warnings on.
func TestManualPages(t *testing.T) {
	pages, err := filepath.Glob("docs/man/*.1")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no manual pages (%v)", err)
	}
	for _, page := range pages {
		out, err := exec.Command("groff", "-mdoc", "-Tutf8", "-ww", "-z", page).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", page, err, out)
		}
	}
}

// help is what a command prints for -h, which must be successful and on stdout.
func help(t *testing.T, command string, args ...string) string {
	t.Helper()
	cmd := exec.Command(command, append(args, "-h")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.String())
	}
	return stdout.String()
}

// helpFlags finds the flags that begin a line, each option's own line in -h.
func helpFlags(help string) []string {
	return found(`(?m)^[ \t]+-([A-Za-z][\w-]*)`, help)
}

// pageFlags finds the entries of option lists.
func pageFlags(page string) []string {
	return found(`(?m)^\.It Fl ([A-Za-z][\w-]*)`, page)
}

// verbsOf finds the verbs in pct -h: lines indented by two, a word and, in a column
// of their own, what it is.
func verbsOf(help string) []string {
	help, _, _ = strings.Cut(help, "\nExample")
	return found(`(?m)^  (\w+) +[A-Z]`, help)
}

func found(pattern, text string) []string {
	var list []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestHelpFits holds every -h against a terminal of 80 columns, and to 60 lines with an example.
func TestHelpFits(t *testing.T) {
	bin := t.TempDir()
	commands := map[string]string{"dbctl": "dbctl", "pct": "pct", "pct-pr": "tools", "pct-ring": "collector/ring/pct-ring"}
	for _, translator := range []string{"pct-addr2line", "pct-addr2nm", "pct-disasm", "pct-gdbline"} {
		commands[translator] = "tools"
	}
	texts := map[string]string{}
	for command, source := range commands {
		file := filepath.Join(bin, command)
		if out, err := exec.Command("go", "build", "-o", file, "./"+source).CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", command, err, out)
		}
		texts[command] = help(t, file)
	}
	for _, script := range []string{"pct-binutils", "pct-llvm-symbolizer"} {
		texts[script] = help(t, "examples/translators/"+script)
	}
	for _, v := range verbsOf(texts["pct"]) {
		texts["pct "+v] = help(t, filepath.Join(bin, "pct"), v)
	}
	for command, text := range texts {
		if lines := strings.Count(text, "\n"); lines > 60 {
			t.Errorf("%s -h has %d lines", command, lines)
		}
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%s -h has a line of more than 80 columns: %s", command, line)
			}
		}
		if !regexp.MustCompile(`(?m)^[Ee]xamples?:`).MatchString(text) {
			t.Errorf("%s -h has no example", command)
		}
	}
}
