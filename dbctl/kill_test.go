package main_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
)

var kills = flag.Int("kills", 50, "how often TestKill kills")

// TestKill kills the debugger, dbctl or both at a random instant. The program
// goes on in every case, and ends as it would have.
func TestKill(t *testing.T) {
	t.Parallel()
	const atATime = 4
	numbers := make(chan int)
	var all sync.WaitGroup
	for range atATime {
		all.Go(func() {
			for n := range numbers {
				if err := killOnce(t, n); err != nil {
					t.Errorf("kill %d: %v", n, err)
				}
			}
		})
	}
	for n := range *kills {
		numbers <- n
	}
	close(numbers)
	all.Wait()
}

// killed are one run and what is killed of it.
type killed struct {
	dbctl, target  int
	doGDB, doDbctl bool
	after          time.Duration // since the target was there
	result         string        // the file that the target writes
}

func (k *killed) String() string {
	var who []string
	if k.doGDB {
		who = append(who, "gdb")
	}
	if k.doDbctl {
		who = append(who, "dbctl")
	}
	return fmt.Sprintf("%s after %v", strings.Join(who, " and "), k.after)
}

// killOnce runs the nth case: every kind of victim and of target in turn.
func killOnce(t *testing.T, n int) error {
	dir := t.TempDir()
	k := &killed{
		doGDB: n%3 != 1, doDbctl: n%3 != 0,
		after:  rand.N(700 * time.Millisecond),
		result: filepath.Join(dir, "result"),
	}
	if n%5 == 0 {
		k.after = rand.N(60 * time.Millisecond) // while it's being attached
	}
	threads := []string{"1", "3"}[n/3%2]
	clock := []string{"perf", "perf", "poll"}[n/6%3]
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(tree.bin, "dbctl"), "-D", "interval=1000", "-D", "clock="+clock, "profile.dbctl", "until", k.result, "300", threads)
	cmd.Env = environment(t)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	k.dbctl = cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err := k.kill(ended); err != nil {
		cmd.Process.Kill()
		return err
	}
	wrong := k.judge(cmd, ended)
	if wrong == nil {
		return nil
	}
	text, _ := os.ReadFile(log.Name())
	return fmt.Errorf("%v, %s threads, clock %s: %w\ndbctl: %s", k, threads, clock, wrong, text)
}

// kill waits for the target and the instant, and kills. On a busy machine the run may end before
// the target was seen: then nothing is killed.
func (k *killed) kill(ended chan error) error {
	deadline := time.Now().Add(time.Minute)
	for k.target = 0; k.target == 0; k.target = childNamed(k.dbctl, "until") {
		select {
		case err := <-ended:
			ended <- err
			k.doDbctl = false
			return nil
		default:
		}
		if time.Now().After(deadline) {
			return errors.New("the program was not started")
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(k.after)
	gdb := childNamed(k.dbctl, "gdb")
	if k.doGDB && gdb != 0 {
		unix.Kill(gdb, unix.SIGKILL)
	}
	if k.doDbctl {
		unix.Kill(k.dbctl, unix.SIGKILL)
	}
	return nil
}

// judge waits for the end of what is left and says what is wrong with it.
func (k *killed) judge(cmd *exec.Cmd, ended chan error) error {
	deadline := time.Now().Add(time.Minute)
	stuck := func() error {
		err := fmt.Errorf("it does not end: %s", proctest.Describe(k.target))
		unix.Kill(k.target, unix.SIGKILL)
		return err
	}
	select {
	case <-ended:
	case <-time.After(time.Until(deadline)):
		return stuck()
	}
	const right = 7
	if state := cmd.ProcessState; !k.doDbctl && state.ExitCode() != right {
		return fmt.Errorf("dbctl ended with %v, want exit status %d", state, right)
	}
	// If dbctl was killed before it had reaped it, the target is our child.
	for k.doDbctl {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(k.target, &ws, unix.WNOHANG, nil)
		if pid == k.target && ws.ExitStatus() != right {
			return fmt.Errorf("the target ended with %#x, want exit status %d", uint32(ws), right)
		}
		if pid == k.target || err == unix.ECHILD && !exists(k.target) {
			break
		}
		if time.Now().After(deadline) {
			return stuck()
		}
		time.Sleep(5 * time.Millisecond)
	}
	if text, err := os.ReadFile(k.result); err != nil || string(text) != "right\n" {
		return fmt.Errorf("the target wrote %q (%v)", text, err)
	}
	return nil
}

func exists(pid int) bool { return unix.Kill(pid, 0) == nil }

// childNamed is the child of pid that executes a program of this name, 0 if it
// has none.
func childNamed(pid int, name string) int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range tasks {
		text, _ := os.ReadFile(f)
		for _, word := range bytes.Fields(text) {
			child, _ := strconv.Atoi(string(word))
			if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", child)); err == nil && filepath.Base(exe) == name {
				return child
			}
		}
	}
	return 0
}
