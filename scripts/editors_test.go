package scripts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const listings = "../docs/LISTINGS.md"

// fenced returns the blocks of a language in the documentation of listings.
func fenced(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(listings)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(m[1]))
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no block of %s", listings, language)
	}
	return blocks
}

// TestVim loads a report by the commands that the documentation gives, and has vim go
// from line to line.
func TestVim(t *testing.T) {
	pctInPath(t)
	blocks := fenced(t, "vim")
	if len(blocks) != 2 {
		t.Fatalf("%d blocks", len(blocks))
	}
	runs := strings.NewReplacer("/tmp/pct/hot.*", "hot.*", "\n:", "\n").Replace("\n" + blocks[0])
	// Where the cursor is after each step, a line FILE:LINE each.
	where := "call writefile([expand('%:t') . ':' . line('.')], 'where', 'a')\n"
	steps := "cc\n" + where + "cnext\n" + where + "cnext\n" + where +
		"call writefile(map(getqflist(), 'v:val.text'), 'texts')\nqa!\n"
	want := "hot.c:12\nhot.c:6\nhot.c:8\n"
	texts := "45.0% (9 samples)\n30.0% (6 samples)\n5.0% (1 sample)\n"
	for name, script := range map[string]string{
		"by hand":    runs + steps,
		"by command": blocks[1] + "Pct hot.1 hot.2\n" + steps,
	} {
		t.Run(name, func(t *testing.T) {
			dir := hotRun(t)
			write(t, filepath.Join(dir, "script.vim"), script)
			inDir(t, dir, "vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "-S", "script.vim")
			checkFile(t, filepath.Join(dir, "where"), want)
			// What pct said on standard error is a message without a place.
			checkLines(t, filepath.Join(dir, "texts"), texts)
		})
	}
}

// TestVimFile starts vim on a report that was written to a file.
func TestVimFile(t *testing.T) {
	pctInPath(t)
	dir := hotRun(t)
	inDir(t, dir, "pct", "line", "-quickfix", "-O", "report", "hot.1")
	write(t, filepath.Join(dir, "script.vim"), "call writefile([expand('%:t') . ':' . line('.')], 'where', 'a')\ncnext\n"+
		"call writefile([expand('%:t') . ':' . line('.')], 'where', 'a')\nqa!\n")
	inDir(t, dir, "vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "-q", "report", "-S", "script.vim")
	checkFile(t, filepath.Join(dir, "where"), "hot.c:6\nhot.c:12\n")
}

func checkFile(t *testing.T, name, want string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil || string(got) != want {
		t.Errorf("%s: %v, got\n%swant\n%s", filepath.Base(name), err, got, want)
	}
}

// checkLines looks for lines in a file, in their order, among others.
func checkLines(t *testing.T, name, want string) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rest := strings.Split(want, "\n")
	for line := range strings.Lines(string(got)) {
		if line = strings.TrimSpace(line); line == rest[0] {
			rest = rest[1:]
		}
	}
	if len(rest) != 1 {
		t.Errorf("%s: got\n%swant\n%s", filepath.Base(name), got, want)
	}
}

// TestProblemMatcher reads a report as VS Code does by the task of the documentation.
func TestProblemMatcher(t *testing.T) {
	pctInPath(t)
	var file struct {
		Tasks []struct {
			Command string
			Matcher struct {
				FileLocation string
				Pattern      struct {
					Regexp              string
					File, Line, Message int
				}
			} `json:"problemMatcher"`
		}
	}
	if err := json.Unmarshal([]byte(fenced(t, "json")[0]), &file); err != nil {
		t.Fatal(err)
	}
	task := file.Tasks[0]
	dir := hotRun(t)
	command := strings.Replace(task.Command, "${input:runs}", "hot.1 2>/dev/null", 1)
	if task.Matcher.FileLocation != "absolute" || command == task.Command {
		t.Fatalf("%+v", task)
	}
	pattern := regexp.MustCompile(task.Matcher.Pattern.Regexp)
	place := task.Matcher.Pattern
	var got []string
	for line := range strings.Lines(inDir(t, dir, "sh", "-c", command)) {
		m := pattern.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Fatalf("%q is not matched", line)
		}
		got = append(got, m[place.File], m[place.Line], m[place.Message])
	}
	source := filepath.Join(dir, "hot.c")
	want := []string{source, "6", "60.0% (6 samples)", source, "12", "30.0% (3 samples)"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}
