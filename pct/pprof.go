package main

import (
	"os"

	"github.com/profilecollection/pct/pct/internal/path"
	"github.com/profilecollection/pct/pct/internal/pprof"
	"golang.org/x/term"
)

type pprofOptions struct {
	address   string // HOST:PORT
	noBrowser bool
}

func pprofFlags() []flag {
	return append(webFlags(), []flag{
		{"by", "LABEL", "only this label: a field, or time, exe and the like",
			func(o *options, s string) error { o.By = s; return nil }},
	}...)
}

// exportFlags are the flags of what makes a profile of google/pprof.
var exportFlags = []string{"past-main", "templates", "by LABEL", "i INTERVAL", "window", "where", "through", "not", "tree", "r RESOURCE",
	"translator", "vmlinux"}

func pprofCommands() []command {
	return []command{webCommand(), {
		name:    "pprof",
		summary: "A profile for go tool pprof (profile.proto, gzip)",
		details: `
Sample types are samples/count and the resource, such as cpu/nanoseconds. Labels
are pid, thread, process and sampled values, for go tool pprof -tagfocus
n=1000:2000, -tags and -tagroot n. A field of integers only is a number, any
other a string. With -by LABEL, only that label is kept, so that equal call
paths become one sample.
`,
		flags:   append([]string{"O FILE"}, exportFlags...),
		example: "-O gzip.pb.gz /tmp/pct/gzip.4711 && go tool pprof -top gzip.pb.gz",
		run: func(v *invocation) error {
			if f, ok := v.stdout.(*os.File); ok && v.outFile == "" && term.IsTerminal(int(f.Fd())) {
				return v.misuse("the profile is binary and standard output a terminal: name a file by -O FILE, or write to a pipe")
			}
			runs, _, calls, err := v.calls(path.Location)
			if err != nil {
				return err
			}
			return pprof.New(runs, calls).Write(&v.out)
		},
	}}
}
