package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/alike"
	"github.com/profilecollection/pct/internal/resource"
	"github.com/profilecollection/pct/pct/data"
)

// A report is what is printed when a run has ended.
type report struct {
	*session
	*collection
	told told
	dirs []string

	out     *os.File // nil: our standard output is closed
	broken  bool     // it could not be written, and that was said
	samples int      // of the data; -1 while that is not known
}

// report makes the report and returns our exit status.
func (p *session) report(c *collection, stdout *os.File) int {
	r := &report{session: p, collection: c, out: stdout, samples: -1}
	if c.collector == library {
		r.told = p.hear()
		r.dirs = r.told.dirs
		if r.told.troubled() {
			r.dirs = kept(r.dirs)
		}
	} else if text, err := os.ReadFile(p.tmp + "/dirs"); err == nil {
		r.dirs = strings.FieldsFunc(string(text), func(c rune) bool { return c == '\n' })
	}
	if file := p.options.report; file != "" {
		f, err := os.Create(file)
		if err != nil {
			fmt.Fprintf(p.stderr, "profile: cannot write %s\n", file)
			return failed
		}
		defer f.Close()
		r.out = f
	} else if p.caller.closed>>1&1 == 1 {
		r.out = nil
	}
	made := 0
	switch {
	case len(r.dirs) == 0:
		if p.status == 126 || p.status == 127 {
			return p.status
		}
		made = r.withoutData()
	case !r.sampled():
		if len(p.options.expressions) > 0 && !p.options.gdb {
			r.noProgram()
		}
		made = failed
	case c.stop != nil && !hasSamples(r.dirs):
		if p.status == 0 {
			r.print("# no samples of %s: less than one interval was used\n", c.stop.Name)
		}
	default:
		r.waits()
		made = r.parts()
		// Programs that end before a sample was due are no failure; pct has said it.
		if c.collector == debugger && !hasSamples(r.dirs) {
			made = 0
		}
		r.missing()
	}
	if p.status != 0 {
		return p.status
	}
	return made
}

// sampled reports whether a debugger has sampled any program.
func (r *report) sampled() bool {
	processes, err := data.ReadTree(r.dirs[0])
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	return slices.ContainsFunc(processes, func(p data.TreeProcess) bool {
		return slices.ContainsFunc(p.Programs, func(p data.TreeProgram) bool { return p.Mode == "sampled" })
	})
}

// noProgram tells that no program was one of -expr, and which of those that ran may have been meant.
func (r *report) noProgram() {
	processes, _ := data.ReadTree(r.dirs[0])
	var names, ran []string
	for _, e := range r.options.expressions {
		names = append(names, e.program)
	}
	for _, p := range processes {
		for _, program := range p.Programs {
			ran = append(ran, filepath.Base(program.Exe))
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if meant := similar(name, ran); meant != "" {
			r.say([]note{{otherProgram, []any{name, meant}}})
		} else {
			r.say([]note{{noSuchProgram, []any{name}}})
		}
	}
}

// similar is the first word that a mistyped name may have meant, or that begins with it; "" if there is none.
func similar(name string, words []string) string {
	for _, word := range words {
		if alike.Edits(name, word) <= max(1, len(name)/3) || len(name) > 2 && strings.HasPrefix(word, name) {
			return word
		}
	}
	return ""
}

// hasSamples reports whether the data of a collector that counts them have any.
func hasSamples(dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		m, err := data.ReadMeta(dir)
		return err == nil && m.Samples > 0
	})
}

// withoutData reports that there are no samples.
func (r *report) withoutData() int {
	command := strings.Join(r.options.program, " ")
	switch {
	case r.collector != library:
		// The other two have said why.
		if r.unwritable(someBytes) != nil {
			return failed
		}
	case r.told.of(lost) != nil:
		r.print("# %s\n# no samples could be kept\n", command)
		return failed
	case len(r.options.resources) > 0:
		r.print("# %s\n", command)
		r.none(r.options.resources)
		r.missing()
	default:
		yet := ""
		if r.alive {
			yet = " yet"
		}
		r.print("# %s\n# no samples%s: the period is %d µs of CPU time\n", command, yet, r.options.period)
		r.missing()
	}
	return 0
}

// none says that there are no samples of some resources, and why, if the library has told.
func (r *report) none(resources []resource.Resource) {
	var words []string
	why := "less than one interval was used"
	for _, one := range resources {
		words = append(words, one.String())
		matter := meaning(0)
		switch one.Kind().Inside.Source {
		case resource.Events:
			matter = noFaults
		case resource.Traps:
			matter = noFPE
		}
		if n := r.told.of(matter); n != nil {
			why = n.sentence
		}
	}
	r.print("# no samples of %s: %s\n", strings.Join(words, " "), why)
}

// parts makes the report on the data, which has a part for each resource or expression. Its status is that of the first
// part that failed.
func (r *report) parts() int {
	o := r.options
	status := 0
	switch {
	case len(o.expressions) > 0:
		for _, e := range o.expressions {
			if !r.filter(e) {
				status = failed
			}
		}
	case len(o.resources) > 1:
		for i, one := range o.resources {
			if i > 0 {
				r.print("\n")
			}
			made := r.make(one.Name, r.calls)
			if made.unmeasured {
				r.none(o.resources[i : i+1])
				continue
			}
			r.stderr.Write(made.said)
			if made.status != 0 {
				status = failed
			}
		}
	default:
		made := r.make("", r.calls)
		// Where the library could not count calls in some programs, it may have counted them in none.
		if made.status != 0 && r.calls && r.told.of(uncounted) != nil {
			made = r.make("", false)
		}
		r.stderr.Write(made.said)
		status = made.status
	}
	return status
}

// A part is what pct has made of the data.
type part struct {
	status     int
	said       []byte // on standard error
	unmeasured bool   // no run measures the resource
}

// make has pct report on one resource, of those there are if it's "", and prints that.
func (r *report) make(which string, calls bool) part {
	o := r.options
	pct, err := find("pct")
	if err != nil {
		return part{status: failed, said: []byte("profile: " + err.Error() + "\n")}
	}
	threshold := o.threshold
	if threshold == "" {
		threshold = "0.5%"
	}
	about := append(where(which != "", "-r", which), where(calls, "-calls")...)
	about = append(about, where(o.by == "args", "-args")...)
	args := append([]string{o.verb()}, about...)
	args = append(args, "-threshold", threshold)
	args = append(args, where(o.rows != "", "-n", o.rows)...)
	args = append(args, where(o.levels != "", "-l", o.levels)...)
	args = append(args, where(o.errors, "-e")...)
	args = append(args, where(o.vmlinux != "", "-vmlinux", o.vmlinux)...)
	facts := r.tmp + "/facts"
	os.Remove(facts)
	args = append(args, "-after-run", facts, "-place", r.shown())
	args = append(args, where(r.unrated(), "-unrated")...)
	cmd := exec.Command(pct, append(args, r.dirs...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	text, err := cmd.Output()
	made := part{said: said.Bytes()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		made.status = max(failed, exit.ExitCode())
	case err != nil:
		return part{status: failed, said: []byte("profile: " + err.Error() + "\n")}
	}
	fact, _ := os.ReadFile(facts)
	switch key, value, _ := strings.Cut(strings.TrimSpace(string(fact)), "="); key {
	case "unmeasured":
		made.unmeasured = true
	case "samples":
		r.samples, _ = strconv.Atoi(value)
	}
	if err := r.write(text); err != nil {
		again := append([]string{"pct", o.verb()}, about...)
		r.unprinted(err, strings.Join(append(again, r.shown()), " "))
		made.status = 0
	}
	return made
}

// unrated reports whether the data tell no rate: where -n ended the run in the midst of an interval, and where samples are
// not of CPU time, or not all that were taken.
func (r *report) unrated() bool {
	return r.options.last+r.options.samples != "" || r.options.clock == "real" && r.collector != debugger
}

// shown are the directories, or if they are many the first one.
func (r *report) shown() string {
	if len(r.dirs) <= 3 {
		return strings.Join(r.dirs, " ")
	}
	return fmt.Sprintf("%s and %d more", r.dirs[0], len(r.dirs)-1)
}

// print writes words of our own.
func (r *report) print(format string, args ...any) {
	if err := r.write(fmt.Appendf(nil, format, args...)); err != nil {
		r.unprinted(err, "")
	}
}

func (r *report) write(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if r.out == nil {
		return unix.EBADF
	}
	_, err := r.out.Write(text)
	return err
}

// unprinted says once that the report can't be written, and how it's made again. Nothing is said where somebody reads no
// more of it.
func (r *report) unprinted(err error, again string) {
	if r.broken || errors.Is(err, syscall.EPIPE) && !r.caller.ignores(unix.SIGPIPE) {
		return
	}
	r.broken = true
	n := note{unprinted, []any{reason(err)}}
	if again != "" {
		n = note{unprintedYet, []any{reason(err), again}}
	}
	r.say([]note{n})
}
