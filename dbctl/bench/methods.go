package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cyrus-and/gdb"

	"github.com/profilecollection/pct/dbctl/internal/mi"
	"github.com/profilecollection/pct/pct/data"
)

// tick is the CPU time between two samples: what the kernel's timers can do
// where it counts 250 jiffies a second.
const tick = 4 * time.Millisecond

// A method is a way to sample the target: a column of the table.
type method struct {
	name string
	does func(job) bool
	take func(*bench, job) (sampled, error)
}

func always(job) bool { return true }

func methods() []method {
	return []method{
		{"gdb/MI, one command at a time", always, (*bench).synchronous},
		{"cyrus-and/gdb", always, (*bench).library},
		{"gdb -batch -ex bt", func(j job) bool { return j.poor }, (*bench).batch},
		{"ptrace alone", func(j job) bool { return j.poor }, (*bench).alone},
		{"dbctl", always, (*bench).controlled},
	}
}

// launch starts the target by itself, to be attached to.
func (b *bench) launch(j job, tick time.Duration) (*target, error) {
	return start(b.target, strconv.Itoa(j.depth), strconv.FormatInt(b.burn.Milliseconds(), 10),
		strconv.FormatInt(tick.Microseconds(), 10))
}

const (
	clockSignal = "SIGVTALRM"
	handle      = "handle " + clockSignal + " stop print nopass"
)

// attached launches the target and has it sampled by what attaches to it.
func (b *bench) attached(j job, sample func(*target, job) (samples int, err error)) (s sampled, err error) {
	t, err := b.launch(j, tick)
	if err != nil {
		return s, err
	}
	n, err := sample(t, j)
	if err != nil {
		t.kill()
		return s, err
	}
	s, err = t.finish()
	s.samples = n
	return s, err
}

// synchronous samples with gdb as it comes, and waits for each answer.
func (b *bench) synchronous(j job) (sampled, error) { return b.attached(j, b.synchronousSession) }

// synchronousSession starts gdb as any simple client would, in our own session:
// in one of its own it would compete with us where the kernel shares out
// processors by session.
func (b *bench) synchronousSession(t *target, j job) (samples int, err error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return 0, err
	}
	defer theirOut.Close()
	cmd := exec.Command("gdb", "-nx", "-q", "--interpreter=mi3")
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	if err := cmd.Start(); err != nil {
		in.Close()
		out.Close()
		return 0, err
	}
	theirIn.Close()
	theirOut.Close()
	c := mi.Over(in, out, cmd.Process.Pid, mi.Config{Tap: b.tap})
	samples, err = synchronousLoop(c, t, j)
	if closed := c.Close(); err == nil {
		err = closed
	}
	if ended := cmd.Wait(); err == nil {
		err = ended
	}
	return samples, err
}

func synchronousLoop(c *mi.Client, t *target, j job) (samples int, err error) {
	deadline := time.Now().Add(patience)
	for _, cmd := range []string{fmt.Sprintf("-target-attach %d", t.cmd.Process.Pid), handle} {
		if _, err := c.Do(cmd, deadline); err != nil {
			return 0, err
		}
	}
	fmt.Fprintln(t.begin)
	if _, err := c.Do("-exec-continue", deadline); err != nil {
		return 0, err
	}
	for {
		r, err := c.Next(deadline)
		if err != nil {
			return samples, err
		}
		if r.Class != "stopped" {
			continue
		}
		switch {
		case strings.HasPrefix(r.Str("reason"), "exited"):
			return samples, nil
		case r.Str("signal-name") != clockSignal:
			continue // of the attaching
		}
		samples++
		for _, cmd := range j.mi {
			var refused *mi.CommandError // outside burn() there is no n
			if _, err := c.Do(cmd, deadline); err != nil && !errors.As(err, &refused) {
				return samples, err
			}
		}
		if _, err := c.Do("-exec-continue", deadline); err != nil {
			return samples, err
		}
	}
}

// library does as synchronous does, by means of cyrus-and/gdb.
func (b *bench) library(j job) (sampled, error) { return b.attached(j, librarySession) }

func librarySession(t *target, j job) (samples int, err error) {
	stops := make(chan map[string]any, 1000)
	g, err := gdb.NewCmd([]string{"gdb", "-nx", "-q", "--interpreter=mi2"}, func(r map[string]any) {
		if r["class"] == "stopped" {
			stops <- r
		}
	})
	if err != nil {
		return 0, err
	}
	samples, err = libraryLoop(g, t, j, stops)
	if exited := g.Exit(); err == nil {
		err = exited
	}
	return samples, err
}

func libraryLoop(g *gdb.Gdb, t *target, j job, stops <-chan map[string]any) (samples int, err error) {
	if _, err := g.CheckedSend("target-attach", strconv.Itoa(t.cmd.Process.Pid)); err != nil {
		return 0, err
	}
	if _, err := g.CheckedSend("interpreter-exec", "console", handle); err != nil {
		return 0, err
	}
	fmt.Fprintln(t.begin)
	if _, err := g.CheckedSend("exec-continue"); err != nil {
		return 0, err
	}
	late := time.After(patience)
	for {
		var r map[string]any
		select {
		case r = <-stops:
		case <-late:
			return samples, errors.New("gdb said nothing for too long")
		}
		payload, _ := r["payload"].(map[string]any)
		reason, _ := payload["reason"].(string)
		switch {
		case strings.HasPrefix(reason, "exited"):
			return samples, nil
		case payload["signal-name"] != clockSignal:
			continue
		}
		samples++
		for _, cmd := range j.mi {
			words := strings.Fields(strings.TrimPrefix(cmd, "-"))
			if _, err := g.Send(words[0], words[1:]...); err != nil {
				return samples, err
			}
		}
		if _, err := g.CheckedSend("exec-continue"); err != nil {
			return samples, err
		}
	}
}

// batch is the poor man's profiler: a new gdb for each sample.
func (b *bench) batch(j job) (s sampled, err error) {
	t, err := b.launch(j, 0)
	if err != nil {
		return s, err
	}
	fmt.Fprintln(t.begin)
	samples := 0
	for ended := false; !ended; {
		out, _ := exec.Command("gdb", "-nx", "-batch", "-p", strconv.Itoa(t.cmd.Process.Pid), "-ex", "bt").Output()
		if bytes.Contains(out, []byte("burn (")) {
			samples++
		}
		select {
		case <-t.ended:
			ended = true
		default:
		}
	}
	s, err = t.finish()
	s.samples = samples
	return s, err
}

// controlled samples with dbctl.
func (b *bench) controlled(j job) (sampled, error) { return b.script(j, tick) }

func (b *bench) script(j job, tick time.Duration) (s sampled, err error) {
	dirs := filepath.Join(b.Dir, "dirs")
	t, err := start(b.dbctl, "-o", b.Dir, "-dirfile", dirs, "-e", j.script(int(tick.Microseconds())),
		b.target, strconv.Itoa(j.depth), strconv.FormatInt(b.burn.Milliseconds(), 10), "0")
	if err != nil {
		return s, err
	}
	fmt.Fprintln(t.begin)
	if s, err = t.finish(); err != nil {
		return s, err
	}
	text, err := os.ReadFile(dirs)
	if err != nil {
		return s, err
	}
	dir := strings.TrimSpace(string(text))
	defer os.RemoveAll(dir)
	if j.out != "" {
		lines, err := os.ReadFile(filepath.Join(dir, j.out))
		s.samples = bytes.Count(lines, []byte("\n"))
		return s, err
	}
	run, err := data.Open(dir)
	if err != nil {
		return s, err
	}
	s.samples = int(run.Meta.Samples)
	return s, nil
}
