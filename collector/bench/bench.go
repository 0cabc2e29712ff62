package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/profilecollection/pct/bench/harness"
)

func (b *bench) all() error {
	var err error
	if b.methods, err = b.findMethods(); err != nil {
		return err
	}
	if b.programs, err = b.makePrograms(); err != nil {
		return err
	}
	b.costs()
	if err := b.paths(); err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	if err := b.overheads(); err != nil {
		return fmt.Errorf("overhead: %w", err)
	}
	if err := b.distortions(); err != nil {
		return fmt.Errorf("distortion: %w", err)
	}
	if err := b.waits(); err != nil {
		return fmt.Errorf("waits: %w", err)
	}
	for _, table := range []struct {
		name string
		make func() error
	}{
		{"gaps", b.gaps}, {"starts", b.starts}, {"short", b.short}, {"paths-gaps", b.pathGaps}, {"paths-report", b.pathReports},
		{"coverage", b.coverage},
	} {
		if !b.Match.MatchString(table.name) {
			continue
		}
		if err := table.make(); err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	if b.Match.MatchString("contexts") {
		return b.contexts()
	}
	return nil
}

// fail notes that a measurement by a method failed.
func (b *bench) fail(what string, m method, err error) {
	if m.foreign {
		b.Tell(what, m.name, err)
		return
	}
	b.Fail(what, m.name, err)
}

// longestRun is for how long a command may run.
const longestRun = 5 * time.Minute

// A measured run of a command.
type measured struct {
	cpu     time.Duration // of the command, all its children, and the sampler
	wall    time.Duration
	samples uint64
	stdout  string
	dir     string // where the method left its data
}

// measure runs argv by that method. Its data stay in the directory until the next
// call, where names may be kept with them afterwards: it's another one each time.
func (b *bench) measure(m method, argv []string) (measured, error) {
	os.RemoveAll(b.data)
	data, err := os.MkdirTemp(b.Dir, "data")
	if err != nil {
		return measured{}, err
	}
	b.data = data
	argv, environment := m.wrap(data, argv)
	cmd := exec.Command(argv[0], argv[1:]...)
	// Python's hashes are the same in all runs then.
	cmd.Env = append(append(os.Environ(), "PYTHONHASHSEED=0"), environment...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cost, err := harness.Measure(cmd, longestRun)
	if err != nil {
		return measured{}, fmt.Errorf("%w%s", err, &stderr)
	}
	r := measured{cpu: cost.CPU, wall: cost.Wall, stdout: stdout.String(), dir: data}
	if m.samples == nil {
		return r, nil
	}
	r.samples, err = m.samples(data, stderr.String())
	return r, err
}
