package script_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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
		if _, err := script.Load(path, []byte(around[0]+string(text)+around[1]), script.Options{Strict: around[0] == ""}); err != nil {
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
	source, target := filepath.Join(dir, "calls.c"), filepath.Join(dir, "calls")
	if err := os.WriteFile(source, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-g", "-O0", "-o", target, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command, err := built()
	if err != nil {
		t.Fatal(err)
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
	got = regexp.MustCompile(`(?m)^\d+\.1 |<0\.\d{9}>$|0x[0-9a-f]+`).ReplaceAllString(got, "")
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

// In any program: the longest calls are first, and all paths of recursion are told apart.
func TestLatency(t *testing.T) {
	got := dbctl(t, "-D", `functions=first|worker`, "latency.dbctl")
	counts := regexp.MustCompile(`(?m)^ +(\d+) +[0-9.e-]+ +[0-9.e-]+ +[0-9.e-]+ +[0-9.e-]+  (.* <- .*)$`).FindAllStringSubmatch(got, -1)
	var paths []string
	for _, c := range counts {
		paths = append(paths, c[1]+" "+c[2])
	}
	slices.Sort(paths)
	want := []string{"1 first <- main", "1 worker <- first <- main", "1 worker <- second <- main", "1 worker <- worker <- first <- main"}
	if !slices.Equal(paths, want) {
		t.Errorf("got %q of\n%s\nwant %q", paths, got, want)
	}
	if !regexp.MustCompile(`(?m)^seconds worker: 3, mean `).MatchString(got) {
		t.Errorf("no histogram of three calls in\n%s", got)
	}
}

// A process ends by a signal of its own, one by another's while it waits, one handles a signal.
func TestCrash(t *testing.T) {
	got := shell(t, "crash.dbctl", `./faults fault; echo $?; ./faults wait; echo $?; ./faults handle; echo $?`)
	for _, want := range []string{
		`(?m)^\S+/faults \(\d+\) ended by SIGSEGV: set\(at=0x0, to=5\) <- fault\(n=5\) <- main\(`, `(?m)^139$`,
		`(?m)^\S+/faults \(\d+\) ended by SIGTERM: .*main\(`, `(?m)^143$`, `(?m)^0$`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "SIGUSR1") {
		t.Errorf("a signal that is handled is told of:\n%s", got)
	}
}

func TestSignals(t *testing.T) {
	got := shell(t, "signals.dbctl", `./faults handle`)
	if want := `(?m)^\d+\.1 SIGUSR1 in .*<- main$`; !regexp.MustCompile(want).MatchString(got) {
		t.Errorf("%s is not in\n%s", want, got)
	}
}

const faults = `
#include <signal.h>
#include <string.h>
#include <unistd.h>
static void handler(int sig) { (void)sig; }
static void set(volatile int *at, int to) { *at = to; }
static void fault(int n) { set(0, n); }
int main(int argc, char **argv)
{
	(void)argc;
	if (!strcmp(argv[1], "fault"))
		fault(5);
	if (!strcmp(argv[1], "wait"))
		kill(getpid(), SIGTERM);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	return 0;
}
`

// shell runs a shipped script on commands of a shell, in a folder with a program whose calls fail.
func shell(t *testing.T, name, commands string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "faults.c"), []byte(faults), 0o666); err != nil {
		t.Fatal(err)
	}
	command, err := built()
	if err != nil {
		t.Fatal(err)
	}
	build := exec.Command("gcc", "-g", "-O0", "-o", "faults", "faults.c")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	include, err := filepath.Abs(scripts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command, "-I", include, "-o", filepath.Join(dir, "runs"), name, "sh", "-c", commands)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// folder is for what tests build once.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "dbctl-shipped-"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// built is the path of dbctl.
var built = sync.OnceValues(func() (string, error) {
	command := filepath.Join(folder, "dbctl")
	if out, err := exec.Command("go", "build", "-o", command, "../..").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return command, nil
})

func TestCoverage(t *testing.T) {
	got := strings.Split(dbctl(t, "coverage.dbctl"), "\n")
	if want := []string{"main", "second", "worker", "first", "worker", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Each edge of the call graph has as many calls as the program makes, also of recursion.
func TestCalls(t *testing.T) {
	got := dbctl(t, "calls", "-functions", "first|second|worker")
	edges := regexp.MustCompile(`(?m)^ +(\d+) +[0-9.e-]+ +[0-9.e-]+ +[0-9.e-]+ +[0-9.e-]+  (\w+ -> \w+)$`).FindAllStringSubmatch(got, -1)
	var counts []string
	for _, e := range edges {
		counts = append(counts, e[1]+" "+e[2])
	}
	slices.Sort(counts)
	want := []string{"1 first -> worker", "1 main -> first", "1 main -> second", "1 second -> worker", "1 worker -> worker"}
	if !slices.Equal(counts, want) {
		t.Errorf("got %q of\n%s\nwant %q", counts, got, want)
	}
}
