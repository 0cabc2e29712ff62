package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profilecollection/pct/pct/internal/synthetic"
)

// What is written of values is what it was when the golden reports were made.
func TestTypedFilesStay(t *testing.T) {
	kept, made := t.TempDir(), t.TempDir()
	if out, err := exec.Command("tar", "-xzf", "testdata/golden/typed.tar.gz", "-C", kept).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dirs, err := synthetic.WriteValues(made, 500)
	check(t, err)
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		check(t, err)
		for _, e := range entries {
			got, err := os.ReadFile(filepath.Join(dir, e.Name()))
			check(t, err)
			want, err := os.ReadFile(filepath.Join(kept, "typed", filepath.Base(dir), e.Name()))
			check(t, err)
			if !bytes.Equal(got, want) {
				t.Errorf("%s is another one than the golden one", filepath.Join(filepath.Base(dir), e.Name()))
			}
		}
	}
}

// Samples whose values are known are no more than the others: costs of calls are the same without values.
func TestCostsWithValues(t *testing.T) {
	dirs, err := synthetic.WriteValues(t.TempDir(), 500)
	check(t, err)
	translator := goldenNames(t)
	report := func() string {
		var stdout, stderr bytes.Buffer
		args := []string{"paths", "-calls", "-e", "-translator", translator, dirs[1]}
		if status := run(args, strings.NewReader(""), &stdout, &stderr); status != succeeded {
			t.Fatal(stderr.String())
		}
		_, rows, _ := strings.Cut(stdout.String(), "# total")
		return rows
	}
	with := report()
	check(t, os.Remove(filepath.Join(dirs[1], "values.cpu")))
	if without := report(); with != without || !strings.Contains(with, "set <- loop <- main") {
		t.Errorf("with values\n%s\nwithout\n%s", with, without)
	}
}

// The files of dbctl and of the library tell the same of the same samples.
func TestFormsOfValuesAgree(t *testing.T) {
	dirs, err := synthetic.WriteValues(t.TempDir(), 20000)
	check(t, err)
	translator := goldenNames(t)
	for _, args := range [][]string{
		{"values", "-expr", "req->len", "-expr", "key"},
		{"values", "-expr", "cmd", "-by", "kind"},
		{"values", "-expr", "req->len", "-by", "path", "-l", "1", "-translator", translator},
		{"obj", "-by", "key", "-where", `req->len > 100 && strcmp(cmd, "GET") != 0 && kind == SET`},
	} {
		var reports []string
		for _, dir := range dirs {
			var stdout, stderr bytes.Buffer
			if status := run(append(args, dir), strings.NewReader(""), &stdout, &stderr); status != succeeded {
				t.Fatalf("%s: %s", args, stderr.String())
			}
			// Only the library could not store some values.
			var lines []string
			for line := range strings.Lines(stdout.String()) {
				if !strings.Contains(line, "samples have no value") {
					lines = append(lines, line)
				}
			}
			reports = append(reports, strings.Join(lines, ""))
		}
		if reports[0] != reports[1] {
			t.Errorf("%s: of dbctl\n%s\nof the library\n%s", args, reports[0], reports[1])
		}
	}
}
