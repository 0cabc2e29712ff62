package main

import (
	"strings"

	"github.com/profilecollection/pct/internal/resource"
)

// help is what -h prints: at most 80 columns and 60 lines. The completion of shells and a test of the manual read the
// options of it.
func help() string {
	var rows strings.Builder
	for _, group := range []struct {
		title string
		of    func(*resource.Kind) bool
	}{
		{"times, as real:1ms:", (*resource.Kind).IsTime},
		{"bytes, as alloc:64k:", func(k *resource.Kind) bool { return k.Unit == resource.Byte }},
		{"events, as faults:100:", func(k *resource.Kind) bool { return !k.IsTime() && k.Unit != resource.Byte }},
	} {
		line := "                    " + group.title
		for _, k := range resource.All() {
			name := k.Name
			if k.Summary == "" || !group.of(k) || strings.HasPrefix(name, "fpe-") {
				continue
			}
			if name == resource.Calls {
				name += ":FUNCTION"
			}
			if len(line)+1+len(name) > 80 {
				rows.WriteString(line + "\n")
				line = "                     "
			}
			line += " " + name
		}
		rows.WriteString(line + "\n")
	}
	return helpBefore + rows.String() + helpAfter
}

const helpBefore = `usage: profile [options] PROG [ARG...]
       profile [options] -p PID[,PID...]

Runs PROG, samples it and all processes that it makes, 100 times per second of
CPU time, and prints the hottest source lines, or functions where there is no
debug data. Exits with PROG's status. profile(1) explains each option.

  -paths            sample call paths and print them
  -calls            the same, and what one call costs in each call path
  -r RESOURCE[:INTERVAL]
                    sample call paths by another resource; may be repeated:
`

const helpAfter = `  -gdb              sample call paths by ptrace, at a higher cost
  -args             sample call paths with the arguments of every function
  -expr PROG@FUNCTION@EXPRESSION FILTER
                    evaluate EXPRESSION in FUNCTION at each sample; FILTER reads
                    the values: int-avg, int-hist, quantile, top, corr, or other
  -k                sample the kernel too
  -vmlinux FILE     with -k: a kernel with debug data, for its lines
  -p PID[,PID...]   attach to these processes; detach after -t or -n, or at ^C
  -tree             with -p: attach to their descendants too
  -t SECONDS        sample no longer than this
  -n SAMPLES        take no more samples than this
  -wait             sample what outlives PROG, such as daemons, until it ends

  -F HZ             sampling rate, per second of CPU time (default 100)
  -i INTERVAL       sampling period, such as 10ms or 500us, in place of a rate
  -R                random periods with that mean
  -clock KIND       best (default), prof, virtual or real; with -gdb best, perf,
                    itimer or poll
  -log              keep each sample with its time
  -last N           the same, the last N samples of each object only
  -verbose          each process says when it is sampled

  -by WHAT          rows: line (default), sym, addr, src, obj, paths, which is
                    the default with -paths and -gdb, or args, with -args
  -e                print the standard error of each percentage
  -threshold FRACTION
                    print rows from this fraction on: 0.01, 1% (default 0.5%)
  -rows ROWS        print at most ROWS rows
  -l LEVELS         print only the innermost LEVELS frames of paths; also -l3
  -O FILE           write the report to FILE
  -o DIR            keep the data in DIR (default $PCT_DIR or /tmp/pct)
  -h                print this help

Examples:
  profile -by sym -F 1000 make -j2
  profile -r real:1ms -r faults sort -o sorted big.txt
  profile -paths -p 4711 -tree -t 10
`
