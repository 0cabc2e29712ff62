package pprof

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/pprof/driver"
	"github.com/google/pprof/profile"
)

// A Web shows a profile in pprof's web interface.
type Web struct {
	Address string // HOST:PORT to listen on; port 0 is any free one

	Ready func(url string)      // called once, when it listens
	Say   func(sentence string) // what pprof has to say to its user
}

// Serve shows p until the context ends, which is no error.
func (w *Web) Serve(ctx context.Context, p *profile.Profile) error {
	host, _, err := net.SplitHostPort(w.Address)
	if err != nil {
		return fmt.Errorf("want HOST:PORT, such as localhost:8080, not %q", w.Address)
	}
	listener, err := net.Listen("tcp", w.Address)
	if err != nil {
		return err
	}
	defer listener.Close()
	serve := func(args *driver.HTTPServerArgs) error {
		return w.serve(ctx, listener, loopback(host), args.Handlers)
	}
	// pprof has no way to take a listener: the address that it is told matters to it no more.
	return driver.PProf(&driver.Options{
		Fetch:      fetcher{p},
		Flagset:    &arguments{FlagSet: flag.NewFlagSet("pct web", flag.ContinueOnError), args: []string{"-http", "localhost:0", "-no_browser", "-symbolize", "none", "profile"}},
		UI:         &quiet{say: w.Say},
		HTTPServer: serve,
	})
}

// serve answers requests. Where it listens to this machine alone, it answers none that
// comes from another one, or that a page of another name made a browser send.
func (w *Web) serve(ctx context.Context, listener net.Listener, local bool, handlers map[string]http.Handler) error {
	pages := http.NewServeMux()
	for path, h := range handlers {
		if path == "/" {
			path = "/{$}"
		}
		pages.Handle(path, h)
	}
	all := http.NewServeMux()
	all.Handle("/ui/", http.StripPrefix("/ui", pages))
	all.Handle("/{$}", http.RedirectHandler("/ui/flamegraph", http.StatusTemporaryRedirect))
	key := newKey()
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
			from, _, _ := net.SplitHostPort(in.RemoteAddr)
			if local && !(loopback(from) && loopback(withoutPort(in.Host))) {
				http.Error(out, "this page is available on its own machine only", http.StatusForbidden)
				return
			}
			if key.admits(out, in) {
				all.ServeHTTP(out, in)
			}
		}),
	}
	w.Ready("http://" + listener.Addr().String() + "/ui/flamegraph?" + keyName + "=" + key.text)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	err := server.Close()
	if served := <-done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// withoutPort is the name in a Host header.
func withoutPort(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// loopback reports whether a host is this machine as it calls itself.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// fetcher gives pprof the only profile that there is.
type fetcher struct{ p *profile.Profile }

func (f fetcher) Fetch(string, time.Duration, time.Duration) (*profile.Profile, string, error) {
	return f.p, "", nil
}

// arguments are pprof's command line.
type arguments struct {
	*flag.FlagSet
	args []string
}

func (a *arguments) StringList(name, value, usage string) *[]*string {
	return &[]*string{a.String(name, value, usage)}
}

func (a *arguments) ExtraUsage() string { return "" }

func (a *arguments) AddExtraUsage(string) {}

func (a *arguments) Parse(func()) []string {
	if err := a.FlagSet.Parse(a.args); err != nil {
		return nil
	}
	return a.Args()
}

// quiet is pprof's way to its user, who looks at a browser.
type quiet struct{ say func(string) }

func (q *quiet) ReadLine(string) (string, error) { return "", errors.New("there is no terminal") }

func (q *quiet) Print(...any) {}

func (q *quiet) PrintErr(args ...any) { q.say(strings.TrimSpace(fmt.Sprintln(args...))) }

func (q *quiet) IsTerminal() bool { return false }

func (q *quiet) WantBrowser() bool { return false }

func (q *quiet) SetAutoComplete(func(string) string) {}
