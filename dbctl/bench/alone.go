package bench

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

//go:embed target/stopper.c
var stopperSource string

// alone does at each stop only what every sampler from outside must: what it takes is the kernel's
// share of a sample, and the least that any of them can reach on the machine.
func (b *bench) alone(j job) (sampled, error) { return b.attached(j, b.stopper) }

func (b *bench) stopper(t *target, _ job) (stops int, err error) {
	cmd := exec.Command(b.stops, strconv.Itoa(t.cmd.Process.Pid))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	lines := bufio.NewReader(out)
	ready, _ := lines.ReadString('\n')
	fmt.Fprintln(t.begin)
	count, _ := lines.ReadString('\n')
	if err := cmd.Wait(); err != nil || ready != "ready\n" {
		return 0, fmt.Errorf("the tracer said %q, %v", ready, err)
	}
	return strconv.Atoi(strings.TrimSpace(count))
}
