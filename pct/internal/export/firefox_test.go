package export

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/internal/path"
)

// firefoxProfiler is the Firefox Profiler's own code that reads and analyses profiles, as its
// command for terminals has it.
type firefoxProfiler struct {
	t       *testing.T
	program string
}

// load has it read a profile. It keeps that in a process that answers questions, which
// ends with the test; its own command "load" would leave one behind.
func (f *firefoxProfiler) load(text string) {
	f.t.Helper()
	sessions := f.t.TempDir()
	f.t.Setenv("PROFILER_CLI_SESSION_DIR", sessions)
	f.t.Setenv("PROFILER_CLI_NO_SYMBOLICATE", "1")
	keeper := exec.Command("node", f.program, "--daemon", file(f.t, "profile.json", text), "--session", "test")
	var said bytes.Buffer
	keeper.Stdout, keeper.Stderr = &said, &said
	if err := keeper.Start(); err != nil {
		f.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		keeper.Wait()
		close(ended)
	}()
	f.t.Cleanup(func() {
		keeper.Process.Kill()
		<-ended
	})
	deadline, look := time.After(2*time.Minute), time.NewTicker(20*time.Millisecond)
	defer look.Stop()
	for {
		log, _ := os.ReadFile(filepath.Join(sessions, "test.log"))
		if bytes.Contains(log, []byte("Profile loaded successfully")) {
			return // a question before that could make the profiler forget the session
		}
		select {
		case <-look.C:
		case <-ended:
			f.t.Fatalf("the profiler ended: %s%s", said.String(), log)
		case <-deadline:
			f.t.Fatalf("the profile is not read: %s", log)
		}
	}
}

func (f *firefoxProfiler) ask(args ...string) string {
	f.t.Helper()
	return run(f.t, "node", append(append([]string{f.program}, args...), "--session", "test")...)
}

// functions are those of a thread, by name, as the profiler computes them.
func (f *firefoxProfiler) functions(thread string) map[string]firefoxFunction {
	f.t.Helper()
	var answer struct{ Functions []firefoxFunction }
	if err := json.Unmarshal([]byte(f.ask("thread", "functions", "--thread", thread, "--limit", "0", "--include-idle", "--json")), &answer); err != nil {
		f.t.Fatal(err)
	}
	all := map[string]firefoxFunction{}
	for _, function := range answer.Functions {
		all[function.Name] = function
	}
	return all
}

type firefoxFunction struct {
	Name, Library             string
	SelfSamples, TotalSamples float64 // ms
}

func TestFirefox(t *testing.T) {
	program := filepath.Join(install(t, "@firefox-devtools/profiler-cli", "0.10.0"), "dist", "profiler-cli.js")
	for name, test := range map[string]func(*testing.T, *firefoxProfiler){
		"threads": testFirefoxThreads, "groups": testFirefoxGroups, "hostile": testFirefoxHostile,
	} {
		t.Run(name, func(t *testing.T) { test(t, &firefoxProfiler{t, program}) })
	}
}

func testFirefoxThreads(t *testing.T, f *firefoxProfiler) {
	f.load(write(t, profileOf(t, forms), Firefox))
	threads := f.ask("thread", "list")
	for _, want := range []string{"forms 4711 thread 4711", "forms 4711 thread 4712"} {
		if !strings.Contains(threads, want) {
			t.Errorf("no %s in\n%s", want, threads)
		}
	}
	// Each of the two threads has every other sample.
	sums := map[string]firefoxFunction{}
	for _, thread := range []string{"t-0", "t-1"} {
		for name, function := range f.functions(thread) {
			sum := sums[name]
			sum.SelfSamples += function.SelfSamples
			sum.TotalSamples += function.TotalSamples
			sum.Library = function.Library
			sums[name] = sum
		}
	}
	for name, want := range map[string]firefoxFunction{
		"main": {"", "forms", 0, 3840}, "spin": {"", "forms", 3850, 3850}, "even": {"", "forms", 30, 1930}, "odd": {"", "forms", 0, 1460}, "a": {"", "forms", 0, 1460},
	} {
		if got := sums[name]; got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if info := f.ask("profile", "info"); !strings.Contains(info, "./forms 7") || !strings.Contains(info, "2 threads across 1 process") {
		t.Errorf("info:\n%s", info)
	}
	if samples := f.ask("thread", "samples", "--thread", "t-0"); !strings.Contains(samples, "Program") {
		t.Errorf("no category Program:\n%s", samples)
	}
	markers := f.ask("thread", "markers", "--thread", "t-0", "--list", "--limit", "0")
	if n := strings.Count(markers, "n=5"); n != 27 {
		t.Errorf("%d markers with n=5 in\n%s", n, markers)
	}
}

func testFirefoxGroups(t *testing.T, f *firefoxProfiler) {
	p := profileOf(t, "main a 3\nmain b 1\n")
	p.Groups = []path.Group{{Name: "n=1", Tree: p.Groups[0].Tree}, {Name: "n=2", Tree: profileOf(t, "main a 1\nmain b 4\n").Groups[0].Tree}}
	p.Resource, p.Unit = "io", "bytes"
	f.load(write(t, p, Firefox))
	threads := f.ask("thread", "list")
	if !strings.Contains(threads, "n=1") || !strings.Contains(threads, "n=2") {
		t.Errorf("threads:\n%s", threads)
	}
	if got := f.functions("t-1"); got["b"].SelfSamples != 40_000 || got["main"].TotalSamples != 50_000 {
		t.Errorf("got %+v", got)
	}
}

func testFirefoxHostile(t *testing.T, f *firefoxProfiler) {
	f.load(write(t, hostileProfile(t), Firefox))
	all := f.functions("t-0")
	for _, name := range []string{"a;b c", `quote"back\slash`, "<script>alert(1)</script>", "größe→", "&amp;", `new\x0aline`, "?"} {
		if all[name].TotalSamples == 0 {
			t.Errorf("no %q in %v", name, all)
		}
	}
	f.ask("thread", "markers", "--thread", "t-0", "--list")
}
