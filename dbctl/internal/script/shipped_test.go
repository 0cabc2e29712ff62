package script_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/profilecollection/pct/dbctl/internal/script"
)

const scripts = "../../../scripts"

// The listing of the paper, as printed.
const listing = `EXEC() ".*" {
#include "gdbprof_prologue.dbctl"

  PAT_GROUP(default) {
    PAT(1) "signal=\"SIGVTALRM\"" | OUT("pc") {
               "backtrace 4" | OUT("stack");
               # OTHER DEBUGGER EXPRESSIONS
               "continue";
           }
#include "gdbprof_epilogue.dbctl"
  }
}
`

func shipped(t *testing.T) []string {
	paths, err := filepath.Glob(scripts + "/*.dbctl")
	if err != nil || len(paths) < 6 {
		t.Fatalf("shipped scripts: %v %v", paths, err)
	}
	return paths
}

// fragments are included by scripts: what stands around them there.
var fragments = map[string][2]string{
	"gdbprof_prologue.dbctl": {"EXEC() \"\" {\n", "}\n"},
	"gdbprof_epilogue.dbctl": {"EXEC() \"\" {\nPAT_GROUP(default) {\n", "}\n}\n"},
}

func TestShippedScripts(t *testing.T) {
	for _, path := range shipped(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(path)
		around := fragments[base]
		if _, err := script.Load(path, []byte(around[0]+string(text)+around[1]), script.Options{}); err != nil {
			t.Error(err)
		}
		if base == "listing.dbctl" {
			if string(text) != listing {
				t.Errorf("%s is not the listing of the paper", path)
			}
			continue
		}
		if !strings.HasPrefix(string(text), "# "+base+": ") || !strings.Contains(string(text), "\n# example: ") {
			t.Errorf("%s does not begin with what it is for and an example", path)
		}
		if formatted, err := script.Format(path, text); err != nil || string(formatted) != string(text) {
			t.Errorf("%s is not in canonical form: %v\n%s", path, err, formatted)
		}
	}
}

const program = `
#include <unistd.h>
#include <sys/wait.h>
int worker(int n) { return n > 0 ? n + worker(n - 1) : 0; }
int first(int a) { return worker(a); }
int second(const char *b) { return b[0] + worker(0); }
int never(void) { return 0; }
int main(void)
{
	int status;
	if (fork() == 0)
		_exit(second("a \"b\"") != 97);
	wait(&status);
	return first(1) + status != 1;
}
`

// dbctl runs a shipped script on the program, and returns what it prints.
func dbctl(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, target, command := filepath.Join(dir, "calls.c"), filepath.Join(dir, "calls"), filepath.Join(dir, "dbctl")
	if err := os.WriteFile(source, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, build := range [][]string{
		{"gcc", "-g", "-O0", "-o", target, source},
		{"go", "build", "-o", command, "../.."},
	} {
		if out, err := exec.Command(build[0], build[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build, err, out)
		}
	}
	cmd := exec.Command(command, append(append([]string{"-I", scripts, "-o", filepath.Join(dir, "runs")}, args...), target)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

func TestLtrace(t *testing.T) {
	got := dbctl(t, "-D", `functions=first|second|worker`, "ltrace.dbctl")
	got = regexp.MustCompile(`(?m)^\d+\.1 |<0\.\d{6}>$|0x[0-9a-f]+`).ReplaceAllString(got, "")
	want := `second(b= "a \"b\"")
worker(n=0)
worker = 0
second = 97
first(a=1)
worker(n=1)
worker(n=0)
worker = 0
worker = 1
first = 1
`
	got = strings.ReplaceAll(got, " \n", "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Functions of a library, which the program calls through its table of them.
func TestLtraceLibrary(t *testing.T) {
	got := dbctl(t, "-D", `functions=_exit|wait`, "-D", "object=libc", "ltrace.dbctl")
	for _, want := range []string{ // by the library's debug data, if they are there
		`(?m)^\d+\.1 wait\(\w+=0x[0-9a-f]+.*\)$`, `(?m)^\d+\.1 wait = (rax=0x)?[0-9a-f]+ <0\.\d+>$`, `(?s)_exit\(.*_exit\(`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

func TestCoverage(t *testing.T) {
	got := strings.Split(dbctl(t, "coverage.dbctl"), "\n")
	if want := []string{"main", "second", "worker", "first", "worker", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
