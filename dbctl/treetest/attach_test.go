package treetest_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
	"github.com/profilecollection/pct/pct/data"
)

// A target is a program that runs by itself and is attached to. Its input and
// output are pipes.
type target struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
	err   strings.Builder
}

func start(t *testing.T, argv ...string) *target {
	t.Helper()
	path, err := lookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	p := &target{t: t, cmd: exec.Command(path, argv[1:]...)}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = t.TempDir(), environment(), &p.err
	p.cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.lines = in, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			unix.Kill(-p.pid(), unix.SIGKILL)
			p.cmd.Wait()
		}
	})
	return p
}

func (p *target) pid() int { return p.cmd.Process.Pid }

// ask sends a line, and returns what is answered up to the line "end".
func (p *target) ask() string {
	p.t.Helper()
	fmt.Fprintln(p.in, "report")
	return p.until("end\n")
}

// until reads lines up to this one, which is not returned.
func (p *target) until(last string) string {
	p.t.Helper()
	// Its end is the end of its output.
	watch := time.AfterFunc(patience, func() { unix.Kill(p.pid(), unix.SIGKILL) })
	defer watch.Stop()
	var text strings.Builder
	for {
		line, err := p.lines.ReadString('\n')
		if line == last {
			return text.String()
		}
		text.WriteString(line)
		if err != nil {
			p.t.Fatalf("%s said %q and then nothing within %v: %s", p.cmd, text.String(), patience, p.err.String())
		}
	}
}

// end closes its input, and returns what it still prints and how it ends.
func (p *target) end() (output, status string) {
	p.t.Helper()
	p.in.Close()
	watch := time.AfterFunc(patience, func() {
		p.t.Errorf("it does not end: %s", proctest.Describe(p.pid()))
		unix.Kill(p.pid(), unix.SIGKILL)
	})
	defer watch.Stop()
	text, _ := io.ReadAll(p.lines)
	p.cmd.Wait()
	return string(text), p.cmd.ProcessState.String()
}

// samplesIn counts the samples of all runs in a directory, also of those that
// are being written.
func samplesIn(root string) int {
	n := 0
	dirs, _ := filepath.Glob(filepath.Join(root, "*.*"))
	for _, dir := range dirs {
		if run, _ := data.Open(dir); run != nil {
			n += len(run.Samples())
		}
	}
	return n
}

// attach runs dbctl until it has taken samples of processes, and detaches it: by
// their number or by a signal. dbctl must end with status 0, and say nothing.
func attach(t *testing.T, samples int, signal unix.Signal, flags ...string) {
	t.Helper()
	root := t.TempDir()
	args := []string{"-o", root, "-D", "interval=1000"}
	if signal == 0 {
		args = append(args, "-samples", fmt.Sprint(samples))
	}
	cmd := exec.Command(filepath.Join(tree.bin, "dbctl"), append(args, flags...)...)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr, cmd.Env = &output, &output, environment()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watch := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer watch.Stop()
	if signal != 0 {
		for deadline := time.Now().Add(patience); samplesIn(root) < samples && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
		cmd.Process.Signal(signal)
	}
	if err := cmd.Wait(); err != nil || output.Len() > 0 {
		t.Fatalf("%s: %v\n%s", cmd, err, output.String())
	}
	if n := samplesIn(root); n < samples {
		t.Errorf("%s took %d samples, want %d", cmd, n, samples)
	}
	os.RemoveAll(root)
}
