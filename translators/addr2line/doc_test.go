package addr2line

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The session that docs/TRANSLATORS.md shows is what happens.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/TRANSLATORS.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		m := regexp.MustCompile("(?s)\n```" + language + "\n(.*?)```\n").FindSubmatch(text)
		if m == nil {
			t.Fatalf("no block of %s", language)
		}
		return string(m[1])
	}
	dir, bin := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "width.c"), []byte(block("c")), 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, "", "go", "build", "-o", filepath.Join(bin, "pct-addr2line"), "../../tools")
	want := block("console")
	var got strings.Builder
	for line := range strings.Lines(want) {
		typed, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		got.WriteString(line)
		cmd := exec.Command("sh", "-c", typed)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", typed, err, out)
		}
		got.Write(out)
	}
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
