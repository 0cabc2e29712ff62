package pprof

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// serving returns the address of a page, with its key, that is served until the test ends.
func serving(t *testing.T) *url.URL {
	t.Setenv("HOME", t.TempDir()) // of pprof's configurations
	t.Setenv("XDG_CONFIG_HOME", os.Getenv("HOME"))
	f := &profile.Function{ID: 1, Name: "busy"}
	l := &profile.Location{ID: 1, Line: []profile.Line{{Function: f}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}, Function: []*profile.Function{f}, Location: []*profile.Location{l},
		Sample: []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{1}}},
	}
	ctx, stop := context.WithCancel(t.Context())
	ready, done := make(chan string, 1), make(chan error, 1)
	w := Web{Address: "127.0.0.1:0", Ready: func(url string) { ready <- url }, Say: func(sentence string) { t.Log(sentence) }}
	go func() { done <- w.Serve(ctx, p) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case text := <-ready:
		at, err := url.Parse(text)
		if err != nil || at.Query().Get("key") == "" {
			t.Fatalf("the address is %s: %v", text, err)
		}
		return at
	case <-time.After(time.Minute):
		t.Fatal("it does not listen")
	}
	return nil
}

// A page is shown to who has its address with the key, and then by a cookie. Requests that pages of other origins make a
// browser send do nothing, with the cookie or without.
func TestKey(t *testing.T) {
	at := serving(t)
	base := "http://" + at.Host
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(client *http.Client, path string, header ...string) (int, string) {
		t.Helper()
		in, err := http.NewRequest("GET", base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			in.Header.Set(header[i], header[i+1])
		}
		out, err := client.Do(in)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Body.Close()
		text, err := io.ReadAll(out.Body)
		if err != nil {
			t.Fatal(err)
		}
		return out.StatusCode, string(text)
	}
	stranger, user := &http.Client{}, &http.Client{Jar: jar}
	save := "/ui/saveconfig?config=evil"
	for _, path := range []string{"/", "/ui/", "/ui/top", save, "/ui/top?key=", "/ui/top?key=" + strings.Repeat("A", 26)} {
		if status, _ := ask(stranger, path); status != http.StatusForbidden {
			t.Errorf("%s without the key: status %d", path, status)
		}
	}
	if status, text := ask(user, at.RequestURI()); status != http.StatusOK || !strings.Contains(text, "busy") || strings.Contains(text, at.Query().Get("key")) {
		t.Errorf("with the key: status %d, %.200s", status, text)
	}
	cookies := jar.Cookies(at)
	if len(cookies) != 1 {
		t.Fatalf("cookies %v", cookies)
	}
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"}, {"Origin", "null"},
		{"Origin", "http://127.0.0.1:1"}, {"Sec-Fetch-Site", "same-origin", "Origin", "https://" + at.Host},
	} {
		for _, path := range []string{save, at.RequestURI()} {
			if status, _ := ask(user, path, header...); status != http.StatusForbidden {
				t.Errorf("%s with %q: status %d", path, header, status)
			}
		}
	}
	saved := filepath.Join(os.Getenv("HOME"), "pprof", "settings.json")
	if _, err := os.Stat(saved); err == nil {
		t.Errorf("%s was written", saved)
	}
	for _, header := range [][]string{nil, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", base}} {
		if status, text := ask(user, "/ui/top", header...); status != http.StatusOK || !strings.Contains(text, "busy") {
			t.Errorf("of the page itself, with %q: status %d", header, status)
		}
	}
	if status, _ := ask(user, "/ui/saveconfig?config=mine", "Sec-Fetch-Site", "same-origin"); status != http.StatusOK {
		t.Errorf("the page itself cannot save: status %d", status)
	}
	if text, err := os.ReadFile(saved); err != nil || !strings.Contains(string(text), "mine") {
		t.Errorf("saved is %s: %v", text, err)
	}
}
