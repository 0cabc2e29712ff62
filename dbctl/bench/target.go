package bench

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed target/target.c
var source string

// patience bounds a run of the target, however it is sampled.
const patience = 60 * time.Second

// compile compiles a program, without optimization, in dir and returns its path.
func compile(dir, name, source string) (string, error) {
	path := filepath.Join(dir, name)
	file := path + ".c"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		return "", err
	}
	out, err := exec.Command("cc", "-g", "-O0", "-std=gnu11", "-o", path, file).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("cannot compile %s: %w: %s", name, err, out)
	}
	return path, nil
}

// sampled is what a run of the target says of how it was sampled.
type sampled struct {
	samples int           // as the sampler counts them
	total   time.Duration // that the target stood still
	wall    time.Duration
	stops   []time.Duration // each stop
}

// target is a run of the target, or of something that runs it.
type target struct {
	cmd   *exec.Cmd
	begin io.WriteCloser // a line sent here makes it begin
	lines *bufio.Reader
	timer *time.Timer
	ended chan struct{} // closed when its output has ended
	text  []string
}

// start starts argv, which runs the target, and waits until it is ready.
func start(argv ...string) (*target, error) {
	t := &target{cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan struct{})}
	t.cmd.Stderr = os.Stderr
	var err error
	if t.begin, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := t.cmd.Start(); err != nil {
		return nil, err
	}
	t.timer = time.AfterFunc(patience, func() { t.cmd.Process.Kill() })
	t.lines = bufio.NewReader(out)
	if line, err := t.lines.ReadString('\n'); line != "ready\n" {
		t.kill()
		return nil, fmt.Errorf("%s did not begin: %q, %v", argv[0], line, err)
	}
	go func() {
		defer close(t.ended)
		for {
			line, err := t.lines.ReadString('\n')
			if err != nil {
				return
			}
			t.text = append(t.text, strings.TrimSpace(line))
		}
	}()
	return t, nil
}

func (t *target) kill() {
	t.timer.Stop()
	t.cmd.Process.Kill()
	t.cmd.Wait()
}

// finish waits for its end and reads what it measured.
func (t *target) finish() (s sampled, err error) {
	<-t.ended
	err = t.cmd.Wait()
	if !t.timer.Stop() {
		return s, fmt.Errorf("it did not end within %v", patience)
	}
	if err != nil {
		return s, err
	}
	for _, line := range t.text {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		numbers := make([]time.Duration, 0, len(words))
		for _, w := range words[1:] {
			n, err := strconv.ParseInt(w, 10, 64)
			if err != nil {
				return s, fmt.Errorf("the target said %q", line)
			}
			numbers = append(numbers, time.Duration(n))
		}
		switch {
		case words[0] == "stopped" && len(numbers) == 1:
			s.total = numbers[0]
		case words[0] == "wall" && len(numbers) == 1:
			s.wall = numbers[0]
		case words[0] == "stops":
			s.stops = numbers
		}
	}
	if s.wall == 0 {
		return s, errors.New("the target did not say what it measured")
	}
	return s, nil
}
