package treetest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/proctest"
)

// The cases of TestKillTree: each kind of target, way to profile it and victim, but
// for breakpoints in what is launched, which are lost with dbctl. There are 64.
var (
	killKinds   = [][]string{{"plain", "30"}, {"forks", "4"}}
	killScripts = []string{"profile.dbctl", "eval.dbctl", "breakpoint.dbctl", "counted", "poll"}
	killVictims = []string{"dbctl", "a debugger", "all debuggers", "all"}
)

// A killing is one run and what is killed of it.
type killing struct {
	kind           []string
	script, victim string
	attached       bool
	after          time.Duration // since the target was there
	dir, mark      string
	dbctl, target  *exec.Cmd // no target: dbctl launches it
	pid            int       // of the target
	hit            []int     // what was killed
}

func (k *killing) String() string {
	how := "launched"
	if k.attached {
		how = "attached"
	}
	return fmt.Sprintf("%s %s with %s, killed %s %v after %v", k.kind[0], how, k.script, k.victim, k.hit, k.after)
}

// TestKillTree kills dbctl, its debuggers or all of them at a random instant. The
// target goes on in every case, ends as it would have, and nothing of it stays
// stopped, or is left changed. TREETEST_KILLS says how often; normally it is twice in each case.
func TestKillTree(t *testing.T) {
	t.Parallel()
	kills := number(t, "TREETEST_KILLS", 128)
	want := make(map[string]string)
	for _, kind := range killKinds {
		file := filepath.Join(t.TempDir(), "result")
		if err := os.WriteFile(file+".go", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := execute(t, t.TempDir(), "", "survivor", file, kind[0], kind[1]); r.status != "exit status 7" {
			t.Fatalf("by itself: %+v", r)
		}
		text, _ := os.ReadFile(file)
		want[kind[0]] = string(text)
	}
	const atATime = 4
	numbers := make(chan int)
	var all sync.WaitGroup
	for range atATime {
		all.Go(func() {
			for n := range numbers {
				k := newKilling(n)
				if k == nil {
					continue
				}
				k.dir, k.mark = t.TempDir(), fmt.Sprintf("TREETEST_KILLING=%d.%d", os.Getpid(), n)
				if err := k.run(t, want[k.kind[0]]); err != nil {
					text, _ := os.ReadFile(filepath.Join(k.dir, "log"))
					t.Errorf("kill %d: %v: %v\nlog: %s", n, k, err, text)
				}
			}
		})
	}
	for n, done := 0, 0; done < kills; n++ {
		if newKilling(n) != nil {
			done++
		}
		numbers <- n
	}
	close(numbers)
	all.Wait()
}

// newKilling is the nth case, nil if there is none.
func newKilling(n int) *killing {
	k := &killing{
		victim:   killVictims[n%4],
		kind:     killKinds[n/4%2],
		script:   killScripts[n/8%5],
		attached: n/40%2 == 1,
		after:    rand.N(350 * time.Millisecond),
	}
	if n%3 == 0 {
		k.after = rand.N(40 * time.Millisecond) // while it is being begun with
	}
	diesToo := k.victim == "dbctl" || k.victim == "all"
	if k.script == "breakpoint.dbctl" && !k.attached && diesToo || k.script == "counted" && !(k.attached && diesToo) {
		return nil
	}
	return k
}

func (k *killing) run(t *testing.T, want string) error {
	log, err := os.Create(filepath.Join(k.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := func(argv ...string) *exec.Cmd {
		path, err := lookPath(argv[0])
		if err != nil {
			t.Error(err)
		}
		cmd := exec.Command(path, argv[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = k.dir, environment(k.mark), log, log
		return cmd
	}
	result := filepath.Join(k.dir, "result")
	survivor := append([]string{"survivor", result}, k.kind...)
	args := []string{"dbctl-plain", "-o", filepath.Join(k.dir, "runs"), "-D", "interval=1000"}
	what := k.script
	switch what {
	case "profile.dbctl":
	case "counted": // the calls of a function, by breakpoints
		what = "profile.dbctl"
		args = append(args, "-D", "clock=calls:step")
	case "poll":
		what = "profile.dbctl"
		args = append(args, "-D", "clock=poll")
		if k.victim == "all debuggers" {
			args[0] = "dbctl" // with the race detector
		}
	default:
		what = script(t, what)
	}
	if k.attached {
		k.target = command(survivor...)
		if err := k.target.Start(); err != nil {
			return err
		}
		k.pid = k.target.Process.Pid
		args = append(args, "-tree", "-p", fmt.Sprint(k.pid), what)
	} else {
		args = append(append(args, what), survivor...)
	}
	k.dbctl = command(args...)
	if err := k.dbctl.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- k.dbctl.Wait() }()
	wrong := k.kill()
	if wrong == nil {
		wrong = errors.Join(k.release(result+".go", ended), k.judge(ended))
	}
	left := k.clear()
	if wrong != nil {
		return wrong
	}
	if len(left) > 0 {
		return fmt.Errorf("what was left had to be killed:\n%s", strings.Join(left, "\n"))
	}
	text, err := os.ReadFile(result)
	said, _ := os.ReadFile(log.Name())
	// A debugger that was not hit still has its breakpoints.
	without := strings.Contains(string(said), fmt.Sprintf("process %d continues without", k.pid))
	changed := k.script == "breakpoint.dbctl" && !without && strings.HasPrefix(string(text), "right ")
	if string(text) != want && !changed {
		return fmt.Errorf("the target wrote %q, want %q (%v)", text, want, err)
	}
	return nil
}

// kill waits for the target and the instant, and kills.
func (k *killing) kill() error {
	deadline := time.Now().Add(patience)
	for k.pid == 0 {
		for _, pid := range descendants(k.dbctl.Process.Pid) {
			if programOf(pid) == "survivor" {
				k.pid = pid
				break
			}
		}
		if time.Now().After(deadline) {
			return errors.New("the target was not started")
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(k.after)
	var gdbs []int
	for _, pid := range descendants(k.dbctl.Process.Pid) {
		if programOf(pid) == "gdb" {
			gdbs = append(gdbs, pid)
		}
	}
	switch k.victim {
	case "dbctl":
		k.hit = []int{k.dbctl.Process.Pid}
	case "a debugger":
		if len(gdbs) > 0 {
			k.hit = []int{gdbs[rand.N(len(gdbs))]}
		}
	case "all debuggers":
		k.hit = gdbs
	case "all":
		k.hit = append(gdbs, k.dbctl.Process.Pid)
		rand.Shuffle(len(k.hit), func(i, j int) { k.hit[i], k.hit[j] = k.hit[j], k.hit[i] })
	}
	for _, pid := range k.hit {
		unix.Kill(pid, unix.SIGKILL)
	}
	return nil
}

// release lets the target end, when dbctl has it or has ended, and let it go.
func (k *killing) release(file string, ended chan error) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		over := len(ended) > 0 // it is seen before what follows from it
		trees, _ := filepath.Glob(filepath.Join(k.dir, "runs", "*", "tree"))
		if !slices.Contains(k.hit, k.dbctl.Process.Pid) && len(trees) > 0 || over && (!k.attached || proctest.Status(k.pid, "TracerPid") == "0") {
			return os.WriteFile(file, nil, 0o600)
		}
	}
	return errors.New("dbctl does not begin with the target")
}

// judge waits for the ends of dbctl and the target, and says what is wrong with
// them.
func (k *killing) judge(ended chan error) error {
	const right = 7
	select {
	case <-ended:
	case <-time.After(patience):
		return fmt.Errorf("dbctl does not end: %s", proctest.Describe(k.dbctl.Process.Pid))
	}
	killed := slices.Contains(k.hit, k.dbctl.Process.Pid)
	code := right
	if k.attached {
		code = 0
	}
	if state := k.dbctl.ProcessState; !killed && state.ExitCode() != code {
		return fmt.Errorf("dbctl ended with %v, want exit status %d", state, code)
	}
	if !k.attached && !killed {
		return nil
	}
	// A launched one is our child, now that dbctl has gone, if it wasn't reaped.
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(k.pid, &ws, unix.WNOHANG, nil)
		switch {
		case pid == k.pid && ws.ExitStatus() != right:
			return fmt.Errorf("the target ended with %#x, want exit status %d", uint32(ws), right)
		case pid == k.pid || err == unix.ECHILD && unix.Kill(k.pid, 0) != nil:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("the target does not end: %s", proctest.Describe(k.pid))
		}
	}
}

// clear waits until nothing of the run is left, and kills what stays.
func (k *killing) clear() []string {
	deadline := time.Now().Add(patience)
	for {
		left := marked(k.mark)
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			var lines []string
			for _, pid := range left {
				lines = append(lines, proctest.Describe(pid))
			}
			for _, pid := range left {
				unix.Kill(pid, unix.SIGKILL)
			}
			return lines
		}
		time.Sleep(20 * time.Millisecond)
	}
}
