package flame

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A browser is a headless Chromium, spoken to by the DevTools protocol: JSON messages
// with a zero byte after each, which it reads from file 3 and writes to file 4.
type browser struct {
	to   *os.File
	from *bufio.Reader
	last int
	tabs map[string]*tab // by session
}

// browserTime is how long all that a test asks of its browser may take.
const browserTime = 2 * time.Minute

func startBrowser(t *testing.T) *browser {
	t.Helper()
	fromUs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-breakpad", "--disable-crash-reporter", "--disable-background-networking", "--disable-component-update",
		"--force-color-profile=srgb", "--remote-debugging-pipe", "--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	cmd.ExtraFiles = []*os.File{fromUs, toUs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var said bytes.Buffer
	cmd.Stderr = &said // a pipe: Wait returns when no process of the browser is left that has it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	var late atomic.Bool
	kill := func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	alarm := time.AfterFunc(browserTime, func() { late.Store(true); kill() })
	t.Cleanup(func() {
		alarm.Stop()
		kill()
		cmd.Wait()
		to.Close()
		from.Close()
		if late.Load() {
			t.Errorf("the browser was killed after %v", browserTime)
		}
		if t.Failed() {
			t.Logf("the browser said:\n%s", said.Bytes())
		}
	})
	return &browser{to: to, from: bufio.NewReader(from), tabs: map[string]*tab{}}
}

// message is a command, an answer or an event.
type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// next reads a message, and gives an event to its tab.
func (b *browser) next(t *testing.T) message {
	t.Helper()
	line, err := b.from.ReadBytes(0)
	if err != nil {
		t.Fatalf("reading from the browser: %v", err)
	}
	var m message
	if err := json.Unmarshal(line[:len(line)-1], &m); err != nil {
		t.Fatal(err)
	}
	if at := b.tabs[m.SessionID]; at != nil && m.Method != "" {
		at.event(m)
	}
	return m
}

// call sends a command and waits for its result.
func (b *browser) call(t *testing.T, session, method string, params, result any) {
	t.Helper()
	p, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	b.last++
	line, err := json.Marshal(message{ID: b.last, SessionID: session, Method: method, Params: p})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.to.Write(append(line, 0)); err != nil {
		t.Fatalf("writing to the browser: %v", err)
	}
	for {
		m := b.next(t)
		if m.ID != b.last {
			continue
		}
		if m.Error != nil {
			t.Fatalf("%s: %s", method, m.Error)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
}

type object = map[string]any

// A tab shows one document.
type tab struct {
	b       *browser
	session string
	loaded  bool
	wrong   []string // errors on the console
}

// scene is how a document is seen.
type scene struct {
	width, height int
	dark          bool
	still         bool // without scripts
}

// open shows a document, and waits for it.
func (b *browser) open(t *testing.T, url string, s scene) *tab {
	t.Helper()
	var target struct{ TargetID string }
	b.call(t, "", "Target.createTarget", object{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.call(t, "", "Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true}, &session)
	at := &tab{b: b, session: session.SessionID}
	b.tabs[at.session] = at
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		at.call(t, domain+".enable", object{}, nil)
	}
	at.call(t, "Emulation.setDeviceMetricsOverride", object{"width": s.width, "height": s.height, "deviceScaleFactor": 1, "mobile": false}, nil)
	scheme := "light"
	if s.dark {
		scheme = "dark"
	}
	at.call(t, "Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	at.call(t, "Emulation.setScriptExecutionDisabled", object{"value": s.still}, nil)
	at.navigate(t, url)
	t.Cleanup(func() {
		if len(at.wrong) > 0 {
			t.Errorf("%s: on the console: %q", url, at.wrong)
		}
	})
	return at
}

func (at *tab) navigate(t *testing.T, url string) {
	t.Helper()
	at.loaded = false
	at.call(t, "Page.navigate", object{"url": url}, nil)
	for !at.loaded {
		at.b.next(t)
	}
}

func (at *tab) event(m message) {
	switch m.Method {
	case "Page.loadEventFired":
		at.loaded = true
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		at.wrong = append(at.wrong, string(m.Params))
	}
}

func (at *tab) call(t *testing.T, method string, params, result any) {
	t.Helper()
	at.b.call(t, at.session, method, params, result)
}

// eval returns the value of an expression, which may be a promise.
func (at *tab) eval(t *testing.T, expression string) any {
	t.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	at.call(t, "Runtime.evaluate", object{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		t.Fatalf("%s: %s", expression, answer.ExceptionDetails)
	}
	return answer.Result.Value
}

// wants waits until an expression has a value: input is seen by the document when it
// is drawn next. It fails in the end by the time that the browser has.
func (at *tab) wants(t *testing.T, expression string, want any) {
	t.Helper()
	var encoded strings.Builder
	e := json.NewEncoder(&encoded)
	e.SetEscapeHTML(false)
	if err := e.Encode(want); err != nil {
		t.Fatal(err)
	}
	w := strings.TrimSuffix(encoded.String(), "\n")
	got := at.eval(t, fmt.Sprintf(`new Promise(done => {
		let tries = 0;
		const look = () => {
			const got = JSON.stringify(%s);
			if (got === %q || ++tries === 400) {
				done(got);
			} else {
				setTimeout(look, 25);
			}
		};
		look();
	})`, expression, w))
	if got != w {
		t.Errorf("%s is %v, want %s", expression, got, w)
	}
}

// frameOf is an expression of the frame of a name: the first one that is seen.
func frameOf(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('.f')].find(f => f.getClientRects().length && f.querySelector('title').textContent.split('\n')[0] === %q)`, name)
}

// point moves the mouse to the middle of an element, and clicks there.
func (at *tab) point(t *testing.T, element string, click bool) {
	t.Helper()
	where, ok := at.eval(t, fmt.Sprintf(`(r => [r.x + r.width / 2, r.y + r.height / 2])((%s).getBoundingClientRect())`, element)).([]any)
	if !ok {
		t.Fatalf("there is no %s", element)
	}
	events := []string{"mouseMoved"}
	if click {
		events = append(events, "mousePressed", "mouseReleased")
	}
	for _, event := range events {
		p := object{"type": event, "x": where[0], "y": where[1]}
		if event != "mouseMoved" {
			p["button"], p["clickCount"] = "left", 1
		}
		at.call(t, "Input.dispatchMouseEvent", p, nil)
	}
}

// key presses a key.
func (at *tab) key(t *testing.T, key string, code, modifiers int) {
	t.Helper()
	for _, event := range []string{"rawKeyDown", "keyUp"} {
		at.call(t, "Input.dispatchKeyEvent", object{"type": event, "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}, nil)
	}
}

// screenshot returns what is seen, and keeps it among the artifacts of the test.
func (at *tab) screenshot(t *testing.T, name string) image.Image {
	t.Helper()
	var shot struct{ Data string }
	at.call(t, "Page.captureScreenshot", object{}, &shot)
	picture, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), picture, 0o666); err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}
