package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/profilecollection/pct/dbctl/internal/session"
)

const help = `usage: dbctl [OPTION]... SCRIPT [SCRIPT-OPTION]... PROGRAM [ARGUMENT...]
       dbctl [OPTION]... -p PID[,PID...] SCRIPT

Runs PROGRAM, or attaches to running processes, and traces them and all
processes that they create. SCRIPT says what to sample and what to ask the
debugger; -e TEXT replaces it. A SCRIPT-OPTION -NAME VALUE sets a variable of
SCRIPT, as -D does; one that is "no" takes no VALUE and becomes "yes". Exits
with the status of PROGRAM, 128+n if signal n ended it; 0 after -p. Details:
man dbctl

  -p PID[,PID...] attach to these processes without stopping them; detach after
                  -t or -samples, at SIGINT (^C) or SIGTERM
  -tree           with -p: attach to their descendants too
  -t SECONDS      detach after this time
  -samples N      detach after N samples
  -eval HOW       who evaluates expressions: best (default: dbctl itself, and
                  the debugger what dbctl cannot), native, gdb (the debugger),
                  or both, which tells where gdb differs (exit status 1)
  -debuggers N    run at most N debuggers at once (default: as memory allows)
  -n              check the script only
  -fmt            print the script in its canonical form
  -grammar        print the grammar of the language
  -e TEXT         script text
  -D NAME=VALUE   set a variable of the script; may be repeated
  -I DIR          search included files in DIR too; may be repeated
  -o DIR          write data to DIR/PROG.PID (default $PCT_DIR or /tmp/pct)
  -dirfile FILE   write the path of each run directory to FILE, one per line
  -pty            run the program in a terminal of its own
  -debugger NAME  the debugger: gdb (default), lldb, or the path of one
  -gdb PATH       the same
  -no-debug-registers
                  do not use the debug registers of the processor:
                  gdb single-steps for watchpoints
  -trace          print each event and the actions of the script
  -record FILE    write the debugger's lines and the kernel's events to FILE
  -replay FILE    run the script on such a file, without debugger and program
  -environ FILE   environment of the program, in the form of /proc/PID/environ
  -ignored MASK   signals that the program ignores, as in /proc/PID/status
  -as NAME        begin messages with NAME, the calling command
  -h              print this help; after SCRIPT, what SCRIPT does

Examples:
  dbctl -D interval=1000 profile.dbctl gzip -k big
  pct paths /tmp/pct/gzip.*
  dbctl -p 4711 -tree -t 10 profile.dbctl
  dbctl strace -e openat make
`

// evals are who may evaluate expressions.
var evals = map[string]session.Eval{"best": session.Best, "native": session.Natively, "gdb": session.ByDebugger, "both": session.Both}

var errHelp = errors.New("help")

// options are the command line.
type options struct {
	check, format, grammar, pty, trace bool
	noTraps                            bool
	text                               *string // of -e
	script                             string
	describes                          bool              // the script is to be described
	vars, sets                         map[string]string // sets: of declared
	include                            []string
	root, dirFile, record, replay      string
	debugger                           string // its name or path
	speaker                            string // the command whose messages ours are
	ignored                            uint64
	pids                               []int
	tree                               bool
	seconds                            time.Duration
	samples                            uint64
	debuggers                          int
	eval                               session.Eval
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
		"gdb":     func(v string) error { o.debugger = v; return nil },
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
				return errors.New("want a number from 1")
			}
			return nil
		},
		"debuggers": func(v string) (err error) {
			if o.debuggers, err = strconv.Atoi(v); err != nil || o.debuggers < 1 {
				return errors.New("want a number from 1")
			}
			return nil
		},
		"eval": func(v string) (err error) {
			var known bool
			if o.eval, known = evals[v]; !known {
				return errors.New("want best, native, gdb or both")
			}
			return nil
		},
		"environ": o.readEnvironment,
		"ignored": func(v string) (err error) {
			o.ignored, err = strconv.ParseUint(v, 16, 64)
			return err
		},
	}
	words["debugger"] = words["gdb"]
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
		if left, known, err := o.scriptOption(name, value, glued, args); err != nil {
			return nil, err
		} else if known {
			args = left
			continue
		}
		if name == "h" || name == "help" {
			if o.script == "" || o.script == "-" {
				return nil, errHelp
			}
			o.describes = true
			return o, nil
		}
		if b := bools[name]; b != nil && !glued {
			*b = true
			continue
		}
		set := words[name]
		if set == nil {
			return nil, fmt.Errorf("unknown option %s", arg)
		}
		if !glued {
			if len(args) == 0 {
				return nil, fmt.Errorf("%s needs a value", arg)
			}
			value, args = args[0], args[1:]
		}
		if err := set(value); err != nil {
			return nil, fmt.Errorf("-%s %s: %w", name, value, err)
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
			return fmt.Errorf("%q is not a process ID", word)
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
		return 0, errors.New("want a time in seconds, such as 10 or 0.5")
	}
	return d, nil
}

func (o *options) define(v string) error {
	name, value, ok := strings.Cut(v, "=")
	if !ok || name == "" {
		return errors.New("want NAME=VALUE")
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
