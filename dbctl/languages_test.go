package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestLanguages: dbctl and gdb show the same of a thread that stands still, in the language of the function, which is
// found by the name that it has there.
func TestLanguages(t *testing.T) {
	var (
		fortran = [][2]string{
			{"leaf", "N"}, {"shapes::leaf", "a(2)"}, {"leaf", "b%corner"}, {"leaf", "b%sizes(1) + 1"}, {"leaf", "b%next"}, {"leaf", "b%label"},
			{"leaf", "b%marks(3)"}, {"leaf", "t(1,2)"}, {"leaf", "grid"}, {"leaf", "n > 3 .and. b%filled"}, {"demo", "values(3)"}, {"leaf", "aim"},
		}
		ada = [][2]string{
			{"leaf", "N"}, {`shapes\.leaf`, "P.all.Corner.Y"}, {"leaf", "p.next"}, {"leaf", "local"}, {"leaf", "list (2)"}, {"leaf", "shapes.grid"},
			{"leaf", "shade"}, {"leaf", "n /= 5 or yes"}, {"work", "outer (3)"}, {"leaf", "text (2)"}, {"leaf", "text"},
		}
		golang = [][2]string{
			{`main\.\(\*shape\)\.leaf`, "n"}, {`main\.\(\*shape\)\.leaf`, "s.corner.y * 2"}, {`main\.\(\*shape\)\.leaf`, "s.sizes[1]"}, {`main\.\(\*shape\)\.leaf`, "s"},
			{`main\.\(\*shape\)\.leaf`, "list[1]"}, {`main\.\(\*shape\)\.leaf`, "main.grid"}, {`main\.\(\*shape\)\.leaf`, "&main.grid"}, {`main\.\(\*shape\)\.leaf`, "grid[1][2]"},
			{`main\.\(\*shape\)\.leaf`, "main.first.kind"}, {`main\.main`, "values"}, {`main\.\(\*shape\)\.leaf`, "main.first.label"},
		}
		rust = [][2]string{
			{"shapes::inner::Shape::leaf", "n"}, {"shapes::inner::Shape::leaf", "self.corner"}, {"shapes::inner::Shape::leaf", "self.pair.0"}, {"shapes::inner::Shape::leaf", "self.sizes"},
			{"shapes::inner::Shape::leaf", "self.color"}, {"shapes::inner::Shape::leaf", "crate::COUNTER"}, {"shapes::inner::Shape::leaf", "shapes::GRID[1]"}, {"shapes::inner::Shape::leaf", "list[1]"},
			{"shapes::inner::Shape::leaf", "p.y * 2.0"}, {"shapes::inner::Shape::leaf", "self"}, {"shapes::main", "values.len"}, {"shapes::inner::Shape::leaf", "&self.pair"},
		}
	)
	for _, p := range []struct {
		source string
		build  []string
		asked  [][2]string // a function and an expression
	}{
		{"shapes.f90", []string{"gfortran", "-g", "-O0"}, fortran},
		{"shapes.f90", []string{"gfortran", "-g", "-O2"}, fortran},
		{"ada/work.adb", []string{"gnatmake", "-q", "-g", "-O0"}, ada},
		{"shapes.go", []string{"go", "build", "-gcflags=-N -l"}, golang},
		{"shapes.go", []string{"go", "build"}, golang},
		{"shapes.rs", []string{"rustc", "-g"}, rust},
		{"shapes.rs", []string{"rustc", "-g", "-O"}, rust},
	} {
		t.Run(strings.Join(p.build, " "), func(t *testing.T) {
			dir := t.TempDir()
			source, err := filepath.Abs("../internal/expression/testdata/languages/" + p.source)
			if err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(dir, "program")
			compile := exec.Command(p.build[0], append(p.build[1:], "-o", program, source)...)
			compile.Dir = dir
			if out, err := compile.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			run := exec.Command(program)
			run.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			defer run.Wait()
			defer run.Process.Kill()
			var script strings.Builder
			script.WriteString(`EXEC() ".*" { PAT_GROUP(default) { PAT() "^attached" { CLOCK(best, 7000); } PAT() "SIGVTALRM" {` + "\n")
			for i, a := range p.asked {
				fmt.Fprintf(&script, "EVAL(%q, %q) | FIELD(f%d);\n", a[0], a[1], i)
			}
			script.WriteString("SAMPLE();\n} } }\n")
			file := filepath.Join(dir, "asked.dbctl")
			if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(filepath.Join(tree.bin, "dbctl"), "-eval", "both", "-samples", "5", "-p", strconv.Itoa(run.Process.Pid), file)
			cmd.Env = environment(t)
			out, err := cmd.CombinedOutput()
			counts := regexp.MustCompile(`(?m)^dbctl: ([0-9]+) values compared with gdb's: 0 differ$`).FindSubmatch(out)
			if err != nil || counts == nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if n, _ := strconv.Atoi(string(counts[1])); n < len(p.asked) {
				t.Errorf("%d values of five samples compared\n%s", n, out)
			}
			t.Logf("%s", out)
		})
	}
}

// TestGoRegisters: functions in Go preserve no registers, whatever its debug data say of variables in callers.
func TestGoRegisters(t *testing.T) {
	const program = `package main

import "time"

type job struct{ n int }

//go:noinline
func burn(n int) int {
	s := 0
	for i := range n * 1000 {
		s += i ^ n
	}
	return s
}

//go:noinline
func process(j *job, depth int) int {
	if j.n%2 == 0 {
		return burn(200)
	}
	return burn(100)
}

func main() {
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		process(&job{100}, 1)
	}
}
`
	dir := t.TempDir()
	source, target := filepath.Join(dir, "program.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", target, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	script := `PAT() "^started" { CLOCK(best, 2000); } PAT() "SIGVTALRM" { EVAL("main.process", "depth") | VAR(d); ECHO("depth [$d]"); SAMPLE(); }`
	cmd := exec.Command(filepath.Join(tree.bin, "dbctl"), "-samples", "50", "-o", dir, "-e", script, target)
	cmd.Env = environment(t)
	// dbctl waits for the program.
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if why := "dbctl: no value of depth: calls in Go preserve no registers: it is known only where main.process is the innermost function\n"; !strings.Contains(string(out), why) {
		t.Errorf("it does not say %s%s", why, out)
	}
	for _, m := range regexp.MustCompile(`depth \[(.*)\]`).FindAllStringSubmatch(string(out), -1) {
		if m[1] != "" && m[1] != "1" && m[1] != "<optimized out>" {
			t.Errorf("depth is %s, want 1", m[1])
		}
	}
}
