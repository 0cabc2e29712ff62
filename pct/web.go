package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"slices"

	"github.com/profilecollection/pct/internal/visible"
	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/pprof"
	"golang.org/x/sys/unix"
)

const defaultAddress = "localhost:0"

func webFlags() []flag {
	return []flag{
		{"http", "HOST:PORT", "address to listen at (default: a free port of localhost)",
			func(o *options, s string) error { o.pprof.address = s; return nil }},
		{"no-browser", "", "do not open a browser",
			func(o *options, _ string) error { o.pprof.noBrowser = true; return nil }},
	}
}

func webCommand() command {
	return command{
		name:    "web",
		summary: "The web interface of google/pprof on the runs, until ^C",
		details: `
Flame graph, functions, call graph, annotated source and machine code. pct pprof
-h lists labels of samples for pprof's selections. The URL, which contains a
key, is printed on standard error and opened in a browser if there is a display.
Only this machine can open it, unless -http says otherwise. The call graph needs
graphviz.
`,
		flags:   append([]string{"http", "no-browser"}, exportFlags...),
		example: "-http localhost:8080 /tmp/pct/gzip.4711",
		run: func(v *invocation) error {
			runs, _, calls, err := v.calls(path.Location)
			if err != nil {
				return err
			}
			if v.pprof.address == "" {
				v.pprof.address = defaultAddress
			}
			if _, err := exec.LookPath("dot"); err != nil {
				v.warn("dot is not in PATH: for the graph view, install graphviz (apt-get install graphviz); all other views work without it")
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
			defer stop()
			w := pprof.Web{
				Address: v.pprof.address,
				Ready: func(url string) {
					v.warn("serving %s until ^C", url)
					if !v.pprof.noBrowser {
						v.browse(url)
					}
				},
				Say: func(sentence string) { v.warn("%s", visible.Text(sentence)) },
			}
			return w.Serve(ctx, pprof.New(runs, calls))
		},
	}
}

// browse opens a browser, if there is a display and a program that knows the browser.
func (v *invocation) browse(url string) {
	display := func(name string) bool { return os.Getenv(name) != "" }
	if !slices.ContainsFunc([]string{"DISPLAY", "WAYLAND_DISPLAY"}, display) {
		return
	}
	for _, name := range []string{"xdg-open", "sensible-browser"} {
		if program, err := exec.LookPath(name); err == nil {
			cmd := exec.Command(program, url)
			if err := cmd.Start(); err == nil {
				go cmd.Wait() // it may end before we do, or after
				return
			}
		}
	}
	v.warn("no browser found: open the URL yourself")
}
