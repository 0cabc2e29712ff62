package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const help = `usage: dbctl [flags] SCRIPT PROGRAM [ARGUMENT...]
       dbctl [flags] -p PID[,PID...] SCRIPT

Runs PROGRAM, or attaches to running processes, and follows all processes that
they make, driven by a script: it samples them, and asks gdb where the script
does. -e TEXT may stand for SCRIPT. Exits with the program's status, 128+n if
signal n ended it; with 0 after processes were attached to.

  -p PID[,PID...] attach to these processes, without stopping them, and let them go
                  at the end: after -t or -samples, at SIGINT (^C) or SIGTERM
  -tree           attach to their descendants too
  -t SECONDS      let all go after so many seconds
  -samples N      let all go after N samples
  -debuggers N    run at most N debuggers at once (default: as memory allows)
  -n              check the script, run nothing
  -fmt            print the script in its canonical form
  -grammar        print the language's grammar
  -e TEXT         take the script from the command line
  -D NAME=VALUE   set a variable of the script; may be repeated
  -I DIR          look for included files in DIR too; may be repeated
  -o DIR          make run directories DIR/PROG.PID (default $PCT_DIR or /tmp/pct)
  -dirfile FILE   write the path of each run directory to FILE, a line each
  -pty            give the program a terminal of its own
  -gdb PATH       use this gdb
  -no-debug-registers
                  leave the processor's debug registers alone, as where they do not
                  work: gdb steps for watch
  -trace          print what the script does, event by event
  -record FILE    keep every line to and from the debugger, and what happens to
                  the traced processes
  -replay FILE    run the script on such a record: no debugger, no program
  -environ FILE   the program's environment, as in /proc/PID/environ: a shell that
                  calls us may not have passed on its own as it was
  -ignored MASK   signals (hexadecimal, as in /proc/PID/status) that the program
                  is to ignore, as our caller did
  -as NAME        speak as the command NAME, which called us
  -h              print this

example: dbctl -D interval=1000 profile.dbctl gzip -k big
         pct paths /tmp/pct/gzip.*
         dbctl -p 4711 -tree -t 10 profile.dbctl
`

var errHelp = errors.New("help")

// options are the command line.
type options struct {
	check, format, grammar, pty, trace bool
	noTraps                            bool
	text                               *string // of -e
	script                             string
	vars                               map[string]string
	include                            []string
	root, dirFile, gdb, record, replay string
	speaker                            string // the command whose messages ours are
	ignored                            uint64
	pids                               []int
	tree                               bool
	seconds                            time.Duration
	samples                            uint64
	debuggers                          int
	environ                            []string // nil: ours
	argv                               []string
}

// parseOptions reads flags up to the program's name: what follows is its own.
func parseOptions(args []string) (*options, error) {
	o := &options{vars: make(map[string]string), speaker: "dbctl"}
	bools := map[string]*bool{"n": &o.check, "fmt": &o.format, "grammar": &o.grammar, "pty": &o.pty, "trace": &o.trace, "tree": &o.tree,
		"no-debug-registers": &o.noTraps}
	words := map[string]func(string) error{
		"e":       func(v string) error { o.text = &v; return nil },
		"I":       func(v string) error { o.include = append(o.include, v); return nil },
		"o":       func(v string) error { o.root = v; return nil },
		"dirfile": func(v string) error { o.dirFile = v; return nil },
		"gdb":     func(v string) error { o.gdb = v; return nil },
		"record":  func(v string) error { o.record = v; return nil },
		"replay":  func(v string) error { o.replay = v; return nil },
		"as":      func(v string) error { o.speaker = v; return nil },
		"D":       o.define,
		"p":       o.attach,
		"t": func(v string) (err error) {
			o.seconds, err = seconds(v)
			return err
		},
		"samples": func(v string) (err error) {
			if o.samples, err = strconv.ParseUint(v, 10, 64); err != nil || o.samples == 0 {
				return errors.New("it must be a number from 1")
			}
			return nil
		},
		"debuggers": func(v string) (err error) {
			if o.debuggers, err = strconv.Atoi(v); err != nil || o.debuggers < 1 {
				return errors.New("it must be a number from 1")
			}
			return nil
		},
		"environ": o.readEnvironment,
		"ignored": func(v string) (err error) {
			o.ignored, err = strconv.ParseUint(v, 16, 64)
			return err
		},
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			if o.script == "" && o.text == nil {
				o.script = arg
				continue
			}
			o.argv = append([]string{arg}, args...)
			break
		}
		if arg == "--" {
			o.argv = args
			break
		}
		name, value, glued := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if name == "h" || name == "help" {
			return nil, errHelp
		}
		if b := bools[name]; b != nil && !glued {
			*b = true
			continue
		}
		set := words[name]
		if set == nil {
			return nil, fmt.Errorf("unknown flag %s", arg)
		}
		if !glued {
			if len(args) == 0 {
				return nil, fmt.Errorf("flag %s needs a value", arg)
			}
			value, args = args[0], args[1:]
		}
		if err := set(value); err != nil {
			return nil, fmt.Errorf("flag -%s: %q: %w", name, value, err)
		}
	}
	if o.script == "" && o.text == nil && !o.grammar {
		return nil, errors.New("no script: name one, or give its text with -e")
	}
	return o, nil
}

// attach reads the numbers of processes.
func (o *options) attach(v string) error {
	for word := range strings.SplitSeq(v, ",") {
		pid, err := strconv.Atoi(word)
		if err != nil || pid < 1 {
			return fmt.Errorf("%q is no process's number", word)
		}
		o.pids = append(o.pids, pid)
	}
	return nil
}

// seconds reads a time in seconds, or one with its unit.
func seconds(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v + "s")
	if err != nil {
		d, err = time.ParseDuration(v)
	}
	if err != nil || d <= 0 {
		return 0, errors.New("it must be a time in seconds, such as 10 or 0.5")
	}
	return d, nil
}

func (o *options) define(v string) error {
	name, value, ok := strings.Cut(v, "=")
	if !ok || name == "" {
		return errors.New("it must be NAME=VALUE")
	}
	o.vars[name] = value
	return nil
}

// readEnvironment reads NAME=VALUE strings, each ended by a zero byte.
func (o *options) readEnvironment(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	o.environ = []string{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00"), "\x00") {
		if entry != "" {
			o.environ = append(o.environ, entry)
		}
	}
	return nil
}

// includes are the directories of included and of shipped scripts: those of
// -I, then the installation's, which is known by where we are.
func (o *options) includes() []string {
	dirs := append([]string(nil), o.include...)
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		up := filepath.Dir(filepath.Dir(self))
		dirs = append(dirs, filepath.Join(up, "share", "pct"), filepath.Join(up, "scripts"))
	}
	return dirs
}
