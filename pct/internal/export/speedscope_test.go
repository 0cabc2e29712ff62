package export

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/profilecollection/pct/pct/internal/path"
)

// install gets a package of npm, and returns the directory that it is in.
func install(t *testing.T, name, version string) string {
	t.Helper()
	dir := t.TempDir()
	run(t, "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", name+"@"+version)
	return filepath.Join(dir, "node_modules", name)
}

// speedscope is the page of speedscope.
type speedscope struct{ dir string }

func newSpeedscope(t *testing.T) speedscope {
	return speedscope{filepath.Join(install(t, "speedscope", "1.25.0"), "dist", "release")}
}

// shares are the total and self time of a function, as the sandwich view shows them.
type shares struct{ total, self string }

// reporter is a script that hands the page over when it has a list.
const reporter = `<script>
	const wait = setInterval(() => {
		if ([...document.querySelectorAll("tr td")].some(cell => cell.textContent.endsWith("%)"))) {
			clearInterval(wait);
			fetch("/done", {method: "POST", body: document.documentElement.outerHTML});
		}
	}, 50);
</script>`

// open has the page read a profile, and returns what its sandwich view lists, and the
// page.
func (s speedscope) open(t *testing.T, profile string) (rows map[string]shares, page string) {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(s.dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string, 1)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(s.dir)))
	mux.HandleFunc("/viewer", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, string(index)+reporter)
	})
	mux.HandleFunc("/profile.json", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, profile) })
	mux.HandleFunc("POST /done", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		done <- string(body)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	browser := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--window-size=1200,3000", server.URL+"/viewer#profileURL="+url.QueryEscape(server.URL+"/profile.json")+"&view=sandwich")
	browser.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	browser.Cancel = func() error { return syscall.Kill(-browser.Process.Pid, syscall.SIGKILL) }
	if err := browser.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case page = <-done:
	case <-ctx.Done():
	}
	stop()
	browser.Wait()
	rows = map[string]shares{}
	cell := `<td[^>]*>([^<]*)<div.*?</td>`
	for _, m := range regexp.MustCompile(`(?s)<tr[^>]*>`+cell+cell+`<td[^>]*><span[^>]*></span>(.*?)</td>`).FindAllStringSubmatch(page, -1) {
		rows[html.UnescapeString(m[3])] = shares{html.UnescapeString(m[1]), html.UnescapeString(m[2])}
	}
	if len(rows) == 0 {
		t.Fatalf("the page lists nothing:\n%s", page)
	}
	return rows, page
}

func TestSpeedscope(t *testing.T) {
	viewer := newSpeedscope(t)
	// The threads take turns: 4711 has the samples with even numbers.
	text := write(t, profileOf(t, "main a f f 30\nmain b 9\nmain 1\n"), Speedscope)
	for _, thread := range []struct {
		text, name string
		rows       map[string]shares
	}{
		{text, "forms 4711 thread 4711", map[string]shares{
			"main": {"200.00ms (100%)", "0.00ns (<0.01%)"}, "a": {"150.00ms (75%)", "0.00ns (<0.01%)"},
			"f": {"150.00ms (75%)", "150.00ms (75%)"}, "b": {"50.00ms (25%)", "50.00ms (25%)"},
		}},
		{strings.Replace(text, `"activeProfileIndex":0`, `"activeProfileIndex":1`, 1), "forms 4711 thread 4712", map[string]shares{
			"main": {"200.00ms (100%)", "10.00ms (5.0%)"}, "b": {"40.00ms (20%)", "40.00ms (20%)"},
		}},
	} {
		rows, page := viewer.open(t, thread.text)
		if !strings.Contains(page, thread.name) {
			t.Errorf("no %s on\n%s", thread.name, page)
		}
		for name, want := range thread.rows {
			if rows[name] != want {
				t.Errorf("%s: %s has %v, want %v", thread.name, name, rows[name], want)
			}
		}
	}
	p := profileOf(t, "main a 3\nmain b 1\n")
	p.Groups = []path.Group{{Name: "n=1", Tree: p.Groups[0].Tree}, {Name: "n=2", Tree: profileOf(t, "main a 1\nmain b 4\n").Groups[0].Tree}}
	if rows, page := viewer.open(t, write(t, p, Speedscope)); !strings.Contains(page, "n=2") || rows["b"].self != "40.00ms (80%)" {
		t.Errorf("with groups: %v on\n%s", rows, page)
	}
	rows, _ := viewer.open(t, write(t, hostileProfile(t), Speedscope))
	for _, name := range []string{"a;b c", `quote"back\slash`, "<script>alert(1)</script>", "größe→", "&amp;"} {
		if _, ok := rows[name]; !ok {
			t.Errorf("the page has no %q: %v", name, rows)
		}
	}
}

func TestSpeedscopeUntimed(t *testing.T) {
	p := profileOf(t, "main b 2\nmain a 3\n")
	timed := p.Samples
	p.Samples = func(yield func(path.CallSample) bool) {
		for s := range timed {
			s.Untimed, s.Thread, s.Time = true, 0, 0
			if !yield(s) {
				return
			}
		}
	}
	text := write(t, p, Speedscope)
	if !strings.Contains(text, `"name":"forms 4711, not in order of time"`) || !strings.Contains(text, `"weights":[30000,20000]`) {
		t.Errorf("got %s", text)
	}
}

// TestTimeOrder has samples that come out of order, and neighbours of one path.
func TestTimeOrder(t *testing.T) {
	p := profileOf(t, "main a 2\nmain b 4\nmain a 2\n")
	all := p.Samples
	p.Samples = func(yield func(path.CallSample) bool) {
		for s := range all {
			s.Time, s.Thread = -s.Time, 1
			if !yield(s) {
				return
			}
		}
	}
	tracks, _ := p.tracks(true)
	if len(tracks) != 1 {
		t.Fatalf("%d tracks", len(tracks))
	}
	for i, at := range tracks[0].points {
		if i > 0 && at.time <= tracks[0].points[i-1].time {
			t.Errorf("sample %d is earlier than the one before", i)
		}
		if want := string(rune('0' + (7-i)%7)); tracks[0].fields["n"][i] != want {
			t.Errorf("n of sample %d is %s, want %s", i, tracks[0].fields["n"][i], want)
		}
	}
	if text := write(t, p, Speedscope); !strings.Contains(text, `"weights":[20000,40000,20000]`) {
		t.Errorf("got %s", text)
	}
}
