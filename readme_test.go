package pct_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestReadme runs the commands of README.md and docs/TOUR.md, the test command excepted,
// in a copy of the tree. It compares their output with the documents: tables must be equal,
// profiles must have the rows that matter.
func TestReadme(t *testing.T) {
	var text string
	for _, document := range []string{"README.md", "docs/TOUR.md"} {
		b, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	tree := copyTree(t)
	data := filepath.Join(t.TempDir(), "pct")
	for name, language := range map[string]string{"hier-test.c": "c", "build.mk": "make", "server.c": "c", "words.pl": "perl", "faster.pl": "perl"} {
		file := fenced(text, "<!-- "+name+" -->\n```"+language+"\n")
		if err := os.WriteFile(filepath.Join(tree, name), []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	steps := commandsOf(text)
	if len(steps) < 20 {
		t.Fatalf("README.md and docs/TOUR.md have only %d commands", len(steps))
	}
	for _, s := range steps {
		if s.command == "make test" {
			continue // we are in it
		}
		// Data of other runs must not be mixed in.
		command := strings.ReplaceAll(s.command, "/tmp/pct", data)
		got := runIn(t, tree, data, command)
		compareOutput(t, s, got)
	}
}

// A step is a command of a document and the output printed there.
type step struct{ command, output string }

// commandsOf reads the lines that begin with "$ " in fenced blocks, each with the
// lines that follow it there.
func commandsOf(document string) []step {
	var steps []step
	inside := false
	for line := range strings.Lines(document) {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside
		case inside && isCommand:
			steps = append(steps, step{command: strings.TrimSpace(command)})
		case inside && len(steps) > 0:
			steps[len(steps)-1].output += line
		}
	}
	return steps
}

// fenced is the text between an opening line and the end of its block.
func fenced(document, opening string) string {
	_, block, _ := strings.Cut(document, opening)
	block, _, _ = strings.Cut(block, "```")
	return block
}

var row = regexp.MustCompile(`^ *([0-9.]+)% (?:±[0-9.]+| +[0-9.]+%| +[0-9]+ +[0-9.]+ ±[0-9.]+ m?s| +[0-9]+  )? *(.*)$`)

// callPathRow is a row of a call path profile, or of one of functions.
var callPathRow = regexp.MustCompile(`^([01]\.[0-9]+) (?:±[0-9.]+ )?(.+) \[[0-9]+\]\n$`)

// compareOutput looks, for each row of the document with a fifth of the samples or
// more, for a row of that name in what was printed, with a share that is not quite
// another (examples/ measures shares); and for a table or number where the document
// shows one.
func compareOutput(t *testing.T, s step, got string) {
	t.Helper()
	shares := map[string]float64{}
	fractions := map[string]float64{}
	for line := range strings.Lines(got) {
		if m := callPathRow.FindStringSubmatch(line); m != nil {
			fractions[m[2]], _ = strconv.ParseFloat(m[1], 64)
		}
		if m := row.FindStringSubmatch(line); m != nil {
			shares[filepath.Base(strings.TrimSpace(m[2]))], _ = strconv.ParseFloat(m[1], 64)
		}
	}
	for line := range strings.Lines(s.output) {
		if m := callPathRow.FindStringSubmatch(line); m != nil {
			want, _ := strconv.ParseFloat(m[1], 64)
			if f := fractions[m[2]]; want >= 0.2 && f < want/4 {
				t.Errorf("$ %s\nhas the fraction %.4f for %s, the document %.4f:\n%s", s.command, f, m[2], want, got)
			}
		}
		switch m := row.FindStringSubmatch(line); {
		case m != nil:
			want, _ := strconv.ParseFloat(m[1], 64)
			name := filepath.Base(strings.TrimSpace(m[2]))
			if share := shares[name]; want >= 20 && share < want/4 {
				t.Errorf("$ %s\nhas %.1f%% for %s, the document %.1f%%:\n%s", s.command, share, name, want, got)
			}
		case strings.HasPrefix(strings.TrimSpace(line), "from "):
			if !strings.Contains(got, line) {
				t.Errorf("$ %s\nhas no line %q:\n%s", s.command, line, got)
			}
		case regexp.MustCompile(`^[0-9.e+]+\n$`).MatchString(line):
			want, _ := strconv.ParseFloat(strings.TrimSpace(line), 64)
			if x, err := strconv.ParseFloat(strings.TrimSpace(got), 64); err != nil || x < want/2 || x > want*2 {
				t.Errorf("$ %s\nprints %q, the document %q", s.command, got, line)
			}
		}
	}
}

func runIn(t *testing.T, tree, data, command string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "PCT_DIR="+data, "MAKEFLAGS=", "MAKELEVEL=",
		"PATH="+filepath.Join(tree, "bin")+":"+os.Getenv("PATH"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("$ %s\n%v\n%s%s", command, err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// copyTree copies what a fresh clone would have of the working tree.
func copyTree(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	command := `find . -name .git -prune -o -path ./bin -prune -o -type f -print0 | tar --null --files-from=- -cf - | tar -xf - -C "$1"`
	if out, err := exec.Command("/bin/sh", "-c", command, "sh", tree).CombinedOutput(); err != nil {
		t.Fatalf("copying the tree: %v\n%s", err, out)
	}
	return tree
}
