package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/profilecollection/pct/pct/data"
)

// A place where commands are installed, and one to work in.
type workshop struct {
	t   *testing.T
	bin string
	dir string
}

// TestRealRuns takes real data with what `make install` installs, and gives it to real
// consumers.
func TestRealRuns(t *testing.T) {
	prefix := t.TempDir()
	cmd := exec.Command("make", "-s", "-C", "..", "install", "BIN="+prefix+"/build", "PREFIX="+prefix)
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", "DESTDIR=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, test := range map[string]func(*workshop){
		"pprof": pprofOfValues, "terminal": pprofOnTerminal, "web": webInBrowser,
		"folded": foldedAgain, "again": pprofAgain, "go": goProgram, "perf": perfScript, "rebuilt": pprofOfRebuilt,
	} {
		t.Run(name, func(t *testing.T) { test(&workshop{t, filepath.Join(prefix, "bin"), t.TempDir()}) })
	}
}

func (w *workshop) command(name string, args ...string) *exec.Cmd {
	for i, a := range args {
		if strings.ContainsAny(a, "*") && strings.HasPrefix(a, "data/") {
			found, err := filepath.Glob(filepath.Join(w.dir, a))
			check(w.t, err)
			if len(found) != 1 {
				w.t.Fatalf("%s: %d files", a, len(found))
			}
			args[i] = found[0]
		}
	}
	if own := filepath.Join(w.bin, name); !strings.Contains(name, "/") {
		if _, err := os.Stat(own); err == nil {
			name = own
		}
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "PATH="+w.bin+":"+os.Getenv("PATH"), "LC_ALL=C.UTF-8", "PCT_DIR="+w.dir+"/data")
	return cmd
}

// run runs a command, which must succeed, and returns its standard output.
func (w *workshop) run(name string, args ...string) string {
	w.t.Helper()
	cmd := w.command(name, args...)
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, &errors)
	}
	return string(out)
}

func (w *workshop) write(name, text string) {
	w.t.Helper()
	check(w.t, os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600))
}

// open reads the only run directory of a pattern.
func (w *workshop) open(pattern string) *data.Run {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, pattern))
	check(w.t, err)
	if len(found) != 1 {
		w.t.Fatalf("%s: %q", pattern, found)
	}
	r, err := data.Open(found[0])
	check(w.t, err)
	return r
}

// hierTest has its functions away from the begin of its segment: pprof's view of sources
// shows none of the first 500 bytes (it subtracts in the wrong order, splitIntoRanges).
const hierTest = `
__asm__(".skip 1000");
int worker(unsigned n) { while (n--) /**/ ; return 0; }
int dispatch_1(unsigned a) { return worker(a); }
int dispatch_2(unsigned b) { return worker(b); }
int main(int ac, char **av) {
    dispatch_1(400000000);
    dispatch_2(800000000);
    return 0;
}
`

// sampledValues makes a run with the fields n and a, which a third of the samples have.
func (w *workshop) sampledValues() {
	w.t.Helper()
	w.write("hier-test.c", hierTest)
	w.run("gcc", "-g", "-o", "hier-test", "hier-test.c")
	w.run("profile", "-gdb", "-o", "data", "-expr", "hier-test@worker@n", "cat", "-expr", "hier-test@dispatch_1@a", "cat", "./hier-test")
}

// having counts the samples with a value of a field.
func having(r *data.Run, name string) (n int) {
	for _, s := range r.Samples() {
		for _, f := range s.Fields {
			if r.Fields[f.Field] == name {
				n++
			}
		}
	}
	return n
}

// rows are those of a text report: numbers by names.
func rows(report string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(report) {
		line = strings.TrimSpace(line)
		if at := strings.LastIndex(line, " ["); !strings.HasPrefix(line, "#") && at > 0 {
			_, name, _ := strings.Cut(line[:at], " ")
			all[name] = strings.Trim(line[at+1:], "[]")
		}
	}
	return all
}

// topRow is a line of pprof -top: flat, its share, the sum so far, with callees, its share, name.
var topRow = regexp.MustCompile(`^\s*(\d+)\s+\S+%?\s+\S+%\s+(\d+)\s+\S+%?\s+(.*)$`)

// top returns the samples of each function in a pprof file, by itself and with callees.
func (w *workshop) top(file string, args ...string) (flat, cum map[string]string) {
	w.t.Helper()
	args = append(append([]string{"tool", "pprof", "-top", "-nodefraction=0", "-nodecount=0", "-sample_index=samples"}, args...), file)
	flat, cum = map[string]string{}, map[string]string{}
	for line := range strings.Lines(w.run("go", args...)) {
		if m := topRow.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			name := strings.TrimSuffix(strings.TrimSuffix(m[3], " (inline)"), " (partial-inline)")
			if m[1] != "0" {
				flat[name] = m[1]
			}
			cum[name] = m[2]
		}
	}
	if len(cum) == 0 {
		w.t.Fatalf("nothing in %s", file)
	}
	return flat, cum
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
		t.Errorf("%s: got\n%v\nwant\n%v", what, got, want)
	}
}

// go tool pprof reads what pct pprof writes, and its tags are the sampled values.
func pprofOfValues(w *workshop) {
	t := w.t
	w.sampledValues()
	r := w.open("data/hier-test.*")
	// Samples of the time before main have no values.
	n, a := having(r, "n"), having(r, "a")
	if a == 0 || a == n {
		t.Fatalf("%d of %d samples have a", a, n)
	}
	w.run("pct", "pprof", "-O", "run.pb.gz", "data/hier-test.*")
	w.run("pct", "pprof", "-O", "all.pb.gz", "-through", "main", "data/hier-test.*")
	if head := w.run("go", "tool", "pprof", "-top", "run.pb.gz"); !strings.Contains(head, "File: hier-test\n") {
		t.Errorf("pprof takes another file for the program:\n%s", head)
	}
	_, cum := w.top("all.pb.gz")
	same(t, "pprof -top", cum, map[string]string{
		"worker": strconv.Itoa(n), "main": strconv.Itoa(n), "dispatch_1": strconv.Itoa(a), "dispatch_2": strconv.Itoa(n - a),
	})
	same(t, "pct fn", rows(w.run("pct", "fn", "-threshold", "0", "-through", "main", "data/hier-test.*")), cum)
	only := map[string]string{"worker": strconv.Itoa(a), "main": strconv.Itoa(a), "dispatch_1": strconv.Itoa(a)}
	for _, focus := range []string{"a=400000000", "a=400000000:400000000", "a=300000000:"} {
		_, cum = w.top("all.pb.gz", "-tagfocus", focus)
		same(t, "-tagfocus "+focus, cum, only)
	}
	for _, c := range [][]string{{"-through", "dispatch_1"}, {"-through", "main", "-not", "dispatch_2"}, {"-where", "a > 0"}, {"-by", "a", "-through", "dispatch_1"}} {
		w.run("pct", append([]string{"pprof", "-O", "some.pb.gz", "data/hier-test.*"}, c...)...)
		_, cum = w.top("some.pb.gz")
		same(t, strings.Join(c, " "), cum, only)
	}
	tags := w.run("go", "tool", "pprof", "-tags", "all.pb.gz")
	for _, want := range []string{" a: Total ", " n: Total ", " pid: Total ", " thread: Total ", " process: Total ", filepath.Base(r.Dir), ": 400000000\n"} {
		if !strings.Contains(tags, want) {
			t.Errorf("-tags lacks %q:\n%s", want, tags)
		}
	}
	traces := w.run("go", "tool", "pprof", "-traces", "-tagroot", "process", "some.pb.gz")
	if !strings.Contains(traces, "worker\n             dispatch_1\n             main\n") {
		t.Errorf("-traces:\n%s", traces)
	}
	if tags := w.run("go", "tool", "pprof", "-tags", "some.pb.gz"); strings.Contains(tags, "pid") || !strings.Contains(tags, " a: Total ") {
		t.Errorf("-by a has tags\n%s", tags)
	}
	if list := w.run("go", "tool", "pprof", "-list", "worker", "all.pb.gz"); !strings.Contains(list, "int worker(unsigned n)") {
		t.Errorf("-list:\n%s", list)
	}
	if code := w.run("go", "tool", "pprof", "-disasm", "worker", "all.pb.gz"); !strings.Contains(code, "worker hier-test.c") {
		t.Errorf("-disasm:\n%s", code)
	}
}

// A terminal gets no binary data.
// go tool pprof names the functions of a program that was built again as they were: by the names
// that are kept with the data, and never by those of the file that is there now.
func pprofOfRebuilt(w *workshop) {
	const program = `
static volatile unsigned x;
static void hot(void) { for (int i = 0; i < 200000000; i++) x += i; }
static void cold(void) { x = 1; }
int main(void) { FIRST(); return x == 1; }
`
	for _, id := range []string{"--build-id", "--build-id=none"} {
		w.write("p.c", program)
		w.run("gcc", "-DFIRST=hot", "-g", "-Wl,"+id, "-o", "p", "p.c")
		w.run("profile", "-o", "data"+id, "./p")
		dir, err := filepath.Glob(w.dir + "/data" + id + "/p.*")
		if check(w.t, err); len(dir) != 1 {
			w.t.Fatal(dir)
		}
		w.run("pct", "keep", dir[0])
		w.write("p.c", strings.NewReplacer("hot", "cold", "cold", "hot").Replace(program))
		w.run("gcc", "-DFIRST=cold", "-g", "-Wl,"+id, "-o", "p", "p.c")
		w.run("pct", "pprof", "-O", "kept.pb.gz", dir[0])
		if flat, _ := w.top("kept.pb.gz", "-symbolize=local"); flat["hot"] == "" || flat["cold"] != "" {
			w.t.Errorf("%s: the hot functions of what was built again are %v", id, flat)
		}
		if id == "--build-id" {
			check(w.t, os.Remove(dir[0]+"/names"))
			w.run("pct", "pprof", "-O", "lost.pb.gz", dir[0])
			if flat, _ := w.top("lost.pb.gz", "-symbolize=local"); flat["[p]"] == "" || flat["hot"]+flat["cold"] != "" {
				w.t.Errorf("functions without names are called %v", flat)
			}
		}
	}
}

func pprofOnTerminal(w *workshop) {
	t := w.t
	terminal, err := pty.Start(w.command("pct", "pprof", "/nowhere"))
	check(t, err)
	defer terminal.Close()
	said, _ := io.ReadAll(terminal) // its end is an error
	if !strings.Contains(string(said), "the profile is binary and standard output a terminal") {
		t.Errorf("said %q", said)
	}
}

// Browsers, real ones, see the runs.
func webInBrowser(w *workshop) {
	t := w.t
	w.sampledValues()
	cmd := w.command("pct", "web", "-no-browser", "data/hier-test.*")
	stderr, err := cmd.StderrPipe()
	check(t, err)
	check(t, cmd.Start())
	defer cmd.Process.Kill()
	said := bufio.NewReader(stderr)
	line, err := said.ReadString('\n')
	check(t, err)
	m := regexp.MustCompile(`^pct: serving (http://127\.0\.0\.1:\d+)/ui/flamegraph\?key=([A-Z2-7]{26}) until \^C\n$`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("said %q", line)
	}
	go io.Copy(io.Discard, said)
	jar, err := cookiejar.New(nil)
	check(t, err)
	browser := &http.Client{Jar: jar}
	first, err := browser.Get(m[1] + "/ui/top?key=" + m[2])
	check(t, err)
	first.Body.Close()
	for path, want := range map[string]string{
		"/": "dispatch_1", "/ui/": "dispatch_1", "/ui/flamegraph": "dispatch_1", "/ui/top": "dispatch_1", "/ui/peek?f=worker": "dispatch_2",
		"/ui/source?f=worker": "while (n--)", "/ui/disasm?f=worker": "hier-test.c", "/ui/graph": "<svg", "/ui/flamegraph?tf=a=400000000": "dispatch_1",
	} {
		answer, err := browser.Get(m[1] + path)
		check(t, err)
		page, err := io.ReadAll(answer.Body)
		check(t, err)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK || !strings.Contains(string(page), want) {
			t.Errorf("%s: status %s, without %q", path, answer.Status, want)
		}
	}
	for path, host := range map[string]string{"/ui/top": "elsewhere.example", "/ui/nothing": ""} {
		question, err := http.NewRequest("GET", m[1]+path, nil)
		check(t, err)
		question.Host = host
		answer, err := browser.Do(question)
		check(t, err)
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			t.Errorf("%s of %q: status %s", path, host, answer.Status)
		}
	}
	dom := w.run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--virtual-time-budget=10000", "--window-size=1000,500", "--dump-dom", m[1]+"/ui/flamegraph?key="+m[2])
	for _, name := range []string{"dispatch_1", "dispatch_2", "worker"} {
		if !regexp.MustCompile(`<div[^>]*class="boxtext"[^>]*>` + name + `<`).MatchString(dom) {
			t.Errorf("the flame graph has no box %s", name)
		}
	}
	check(t, cmd.Process.Signal(syscall.SIGINT))
	if err := cmd.Wait(); err != nil {
		t.Errorf("at ^C: %v", err)
	}
}
