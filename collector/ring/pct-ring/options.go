package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/collector/ring"
	"github.com/profilecollection/pct/internal/resource"
)

// help is what -h prints.
func help() string {
	return helpBefore + resource.Help(4, func(k *resource.Kind) bool { return k.Kernel.Right != resource.NoRight }) + helpAfter
}

const helpBefore = `usage: pct-ring [OPTION]... PROGRAM [ARGUMENT...]
       pct-ring [OPTION]... -p PID[,PID...]
       pct-ring -check [-k]

Samples PROGRAM and all processes that it creates, or running processes, by perf
events. Exits with the status of PROGRAM, 128+n if signal n ended it; 127: not
found, 126: not executable, 125: sampling not permitted. Details: man pct-ring

  -p PID[,PID...] sample these processes until they end, -t, -n, ^C or SIGTERM
  -tree           with -p: their descendants too
  -F HZ           samples per second of CPU time (default 100, at most 10000)
  -i INTERVAL     time between two samples, such as 10ms or 500us
  -k              sample the kernel too
  -paths          sample call paths
  -r RESOURCE[:INTERVAL]
                  sample by another resource than CPU time; may be repeated
`
const helpAfter = `  -cpus           count on all processors (default if permitted, except with -p)
  -threads        count in each thread (default otherwise)
  -t SECONDS      stop sampling after this time
  -n SAMPLES      stop sampling after this number of samples
  -wait           wait for all processes that PROGRAM started, daemons included
  -o DIR          write data to DIR/PROG.PID (default $PCT_DIR or /tmp/pct)
  -dirfile FILE   write the path of each run directory to FILE, one per line
  -system-map FILE
                  kernel symbols, if /proc/kallsyms hides them
  -environ FILE   environment of the program, in the form of /proc/PID/environ
  -ignored MASK   signals that the program ignores, as in /proc/PID/status
  -as NAME        begin messages with NAME, the calling command
  -check          exit with 0 if sampling is permitted, with 125 if not
  -h              print this help

Examples:
  pct-ring -k -F 1000 dd if=/dev/zero of=/dev/null bs=1M count=10000
  pct-ring -paths -r real -r faults -p 4711 -t 10
`

var errHelp = errors.New("help")

// options are the command line.
type options struct {
	config  ring.Config
	check   bool
	dirFile string
	caller  string // the command that the user typed, if not ours
}

const (
	defaultRate = 100
	fastest     = float64(time.Second / resource.Shortest)
)

// parseOptions reads flags up to the program's name: what follows is its own. With an error
// come the options that stand before it.
func parseOptions(args []string) (*options, error) {
	o := &options{}
	c := &o.config
	var cpus, threads bool
	bools := map[string]*bool{"k": &c.Kernel, "paths": &c.Paths, "tree": &c.Tree, "wait": &c.Wait, "check": &o.check, "cpus": &cpus, "threads": &threads}
	words := map[string]func(string) error{
		"p":          o.attach,
		"F":          o.rate,
		"i":          o.interval,
		"r":          o.resource,
		"as":         func(v string) error { o.caller = v; return nil },
		"t":          o.seconds,
		"n":          o.samples,
		"o":          func(v string) error { c.Root = v; return nil },
		"dirfile":    func(v string) error { o.dirFile = v; return nil },
		"system-map": func(v string) error { c.SystemMap = v; return nil },
		"environ":    o.readEnvironment,
		"ignored": func(v string) (err error) {
			c.Ignored, err = strconv.ParseUint(v, 16, 64)
			return err
		},
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			c.Argv = append([]string{arg}, args...)
			break
		}
		if arg == "--" {
			c.Argv = args
			break
		}
		name, value, glued := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if name == "h" || name == "help" {
			return o, errHelp
		}
		if b := bools[name]; b != nil && !glued {
			*b = true
			continue
		}
		set := words[name]
		if set == nil {
			return o, fmt.Errorf("unknown option %s", arg)
		}
		if !glued {
			if len(args) == 0 {
				return o, fmt.Errorf("%s needs a value", arg)
			}
			value, args = args[0], args[1:]
		}
		if err := set(value); err != nil {
			return o, fmt.Errorf("-%s %s: %w", name, value, err)
		}
	}
	switch {
	case cpus && threads:
		return o, errors.New("-cpus and -threads cannot be combined")
	case cpus:
		c.Counting = ring.ByCPU
	case threads:
		c.Counting = ring.ByThread
	}
	if c.Period == 0 {
		c.Period = time.Second / defaultRate
	}
	return o, o.consistent()
}

func (o *options) consistent() error {
	c := &o.config
	switch {
	case o.check && (len(c.Argv) > 0 || len(c.Pids) > 0):
		return errors.New("-check samples nothing")
	case o.check:
		return nil
	case len(c.Pids) > 0 && len(c.Argv) > 0:
		return fmt.Errorf("-p attaches to running processes: leave out the program %s", c.Argv[0])
	case c.Tree && len(c.Pids) == 0:
		return errors.New("-tree needs -p: all processes of a launched program are sampled anyway")
	case len(c.Pids) == 0 && len(c.Argv) == 0:
		return errors.New("no program to run")
	}
	return c.Misused()
}

// attach reads the numbers of processes.
func (o *options) attach(v string) error {
	for word := range strings.SplitSeq(v, ",") {
		pid, err := strconv.Atoi(word)
		if err != nil || pid < 1 {
			return fmt.Errorf("%q is not a process ID", word)
		}
		o.config.Pids = append(o.config.Pids, pid)
	}
	return nil
}

func (o *options) rate(v string) error {
	hz, err := strconv.ParseFloat(v, 64)
	if err != nil || !(hz >= 0.01 && hz <= fastest) {
		return fmt.Errorf("want samples per second, from 0.01 to %v", fastest)
	}
	return o.period(time.Duration(float64(time.Second) / hz))
}

func (o *options) interval(v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d < resource.Shortest {
		return fmt.Errorf("want a time with its unit, such as 10ms, from %v", resource.Shortest)
	}
	return o.period(d)
}

func (o *options) period(d time.Duration) error {
	if o.config.Period != 0 {
		return errors.New("the rate is given twice (-F, -i)")
	}
	o.config.Period = d
	return nil
}

func (o *options) resource(v string) error {
	r, err := resource.Parse(v)
	o.config.Resources = append(o.config.Resources, r)
	return err
}

// seconds reads a time in seconds, or one with its unit.
func (o *options) seconds(v string) error {
	d, err := time.ParseDuration(v + "s")
	if err != nil {
		d, err = time.ParseDuration(v)
	}
	if err != nil || d <= 0 {
		return errors.New("want a time in seconds, such as 10 or 0.5")
	}
	o.config.For = d
	return nil
}

func (o *options) samples(v string) (err error) {
	if o.config.Samples, err = strconv.ParseUint(v, 10, 64); err != nil || o.config.Samples == 0 {
		return errors.New("want a number from 1")
	}
	return nil
}

// readEnvironment reads NAME=VALUE strings, each ended by a zero byte.
func (o *options) readEnvironment(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	o.config.Environ = []string{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00"), "\x00") {
		if entry != "" {
			o.config.Environ = append(o.config.Environ, entry)
		}
	}
	return nil
}
