package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// The exit status is the program's, or tells why there was none.
func TestExitStatus(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	script := filepath.Join(t.TempDir(), "script")
	hostile := filepath.Join(t.TempDir(), "\x1b[2Jtext")
	for file, mode := range map[string]os.FileMode{text: 0o644, script: 0o755, hostile: 0o644} {
		if err := os.WriteFile(file, []byte("exit 9\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"sh", "-c", "exit 3"}, 3, ""},
		{[]string{"sh", "-c", "kill -TERM $$"}, 143, ""},
		{[]string{"sh", "-c", "kill -SEGV $$"}, 139, ""},
		{[]string{script}, 9, ""},
		{[]string{"no-such-program"}, 127, "not found"},
		{[]string{"./no-such-program"}, 127, "no such file"},
		{[]string{text}, 126, "not executable"},
		{[]string{"./no\x1b[2J\u202eprogram"}, 127, `./no\x1b[2J\u202eprogram: no such file`},
		{[]string{hostile}, 126, `\x1b[2Jtext: permission denied`},
		{[]string{"-r", "\x1b[2J", "true"}, 2, `there is no resource "\x1b[2J"`},
		{[]string{"/"}, 126, "directory"},
		{[]string{}, 2, "no program"},
		{[]string{"-x", "true"}, 2, "unknown option -x"},
		{[]string{"-p", "x"}, 2, "is not a process ID"},
		{[]string{"-p", "1", "true"}, 2, "leave out the program true"},
		{[]string{"-tree", "true"}, 2, "-tree needs -p"},
		{[]string{"-F", "20000", "true"}, 2, "from 0.01 to 10000"},
		{[]string{"-F", "20", "-i", "1ms", "true"}, 2, "given twice"},
		{[]string{"-p", "4194304"}, 1, "there is no process 4194304"},
		{[]string{"-check", "-k"}, 0, ""},
	} {
		r := command(t, tt.args...)
		if got := r.status(); got != tt.status {
			t.Errorf("%v: exit status %d, want %d\n%s", tt.args, got, tt.status, &r.stderr)
		}
		if said := r.stderr.String(); !strings.Contains(said, tt.says) || strings.Contains(said, "\x1b") {
			t.Errorf("%v says %q, want %q", tt.args, said, tt.says)
		}
	}
}

// The program gets what it would have got without us.
func TestProgramsState(t *testing.T) {
	const prepare = `trap '' HUP TSTP; exec 5</dev/null; ulimit -n 256; exec `
	state := func(run string) string {
		t.Helper()
		cmd := exec.Command("env", "-i", "PATH="+built+":/usr/bin:/bin", "PCT_DIR="+t.TempDir(), "A=1\n2", "sh", "-c", prepare+run)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", cmd, err)
		}
		var lines []string
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "env PCT_DIR=") && !strings.HasPrefix(line, "group ") && !strings.HasPrefix(line, "SigQ:") {
				lines = append(lines, line)
			}
		}
		if group := string(out[strings.LastIndex(string(out), "group "):]); !strings.Contains(group, fmt.Sprintf("group %d session %d ", cmd.Process.Pid, cmd.Process.Pid)) {
			t.Errorf("%s: in the %s", run, group)
		}
		return strings.Join(lines, "")
	}
	bare := state("spin state 'an arg'")
	if sampled := state("pct-ring spin state 'an arg'"); sampled != bare {
		t.Errorf("sampled:\n%s\nbare:\n%s", sampled, bare)
	}
}

// spinning starts a program that runs until the test ends.
func spinning(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(built, args[0]), args[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// A process that runs is sampled, and goes on after that.
func TestAttach(t *testing.T) {
	for _, how := range []string{"-cpus", "-threads"} {
		target := spinning(t, "spin-static", "0")
		other := spinning(t, "spin-static", "0")
		r := command(t, how, "-F", "997", "-n", "100", "-p", fmt.Sprint(target.Process.Pid))
		r.want(0)
		run := r.only("spin-static")
		if in(t, run, "spin-static", "spin") < 95 || len(run.Samples()) != 100 {
			t.Errorf("%s: %d samples, %d in the function", how, len(run.Samples()), in(t, run, "spin-static", "spin"))
		}
		if m := run.Meta; m.Pid != target.Process.Pid || m.State != "detached" || m.CPU <= 0 || m.Argv[1] != "0" {
			t.Errorf("%s: %+v", how, m)
		}
		for _, cmd := range []*exec.Cmd{target, other} {
			if s := processState(t, cmd.Process.Pid); s != "R" {
				t.Errorf("%s: afterwards the process is in state %s", how, s)
			}
		}
	}
}

// processState is the letter of /proc/PID/stat, of a process that uses CPU time.
func processState(t *testing.T, pid int) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))[0]
}

// What a process makes after it was attached to is sampled, too, and it ends with them.
func TestAttachedMakesMore(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { attachedMakesMore(t, d) })
}

func attachedMakesMore(t *testing.T, d *chance.Draw) {
	for _, how := range []string{"-cpus", "-threads"} {
		target := exec.Command(built+"/spin", "later", units(150))
		input, err := target.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		target.Stdout = &out
		if err := target.Start(); err != nil {
			t.Fatal(err)
		}
		r := command(t, how, "-F", "997", "-p", fmt.Sprint(target.Process.Pid))
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		// It's ready when the kernel has given it the last of its rings.
		rings := fmt.Sprintf("%d rings", ncpu(t))
		until(t, rings, func() bool {
			maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", r.Process.Pid))
			fd, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fdinfo", r.Process.Pid))
			return strings.Count(string(maps), "[perf_event]") == ncpu(t) && len(fd) > ncpu(t)
		})
		fmt.Fprintln(input)
		if err := target.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := r.ended(r.Wait()); got != 0 {
			t.Fatalf("exit status %d\n%s", got, &r.stderr)
		}
		used := cpuTimes(t, out.String())
		thread, child, childUsed := 0, 0, 0.0
		for _, run := range r.runs("spin") {
			if n := in(t, run, "spin", "spin"); run.Meta.Pid == target.Process.Pid {
				thread += n
			} else if run.Meta.Ppid == target.Process.Pid {
				child += n
				childUsed = used[uint32(run.Meta.Pid)]
			}
		}
		near(d, how+" thread", thread, thread+child, 1-childUsed)
	}
}

func ncpu(t *testing.T) int {
	t.Helper()
	out, err := exec.Command("getconf", "_NPROCESSORS_ONLN").Output()
	n := 0
	if _, e := fmt.Sscan(string(out), &n); err != nil || e != nil {
		t.Fatal(err, e)
	}
	return n
}

// With -tree, what a process has made before is sampled.
func TestAttachTree(t *testing.T) {
	for _, how := range []string{"-cpus", "-threads"} {
		shell := exec.Command("sh", "-c", "spin 0 & spin-static 0 & wait")
		shell.Env = append(os.Environ(), "PATH="+built+":"+os.Getenv("PATH"))
		shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := shell.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			syscall.Kill(-shell.Process.Pid, syscall.SIGKILL)
			shell.Wait()
		})
		until(t, "two children", func() bool {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", shell.Process.Pid))
			n := 0
			for child := range strings.FieldsSeq(string(text)) {
				if exe, _ := os.Readlink("/proc/" + child + "/exe"); strings.HasPrefix(filepath.Base(exe), "spin") {
					n++
				}
			}
			return n == 2
		})
		r := command(t, how, "-F", "997", "-tree", "-p", fmt.Sprint(shell.Process.Pid))
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		r.await("spin", 20)
		r.await("spin-static", 20)
		if err := r.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if got := r.ended(r.Wait()); got != 0 {
			t.Fatalf("exit status %d\n%s", got, &r.stderr)
		}
		for _, prog := range []string{"spin", "spin-static"} {
			run := r.only(prog)
			if run.Meta.State != "detached" || run.Meta.Ppid != shell.Process.Pid || in(t, run, prog, "spin") < 15 {
				t.Errorf("%s: %+v", how, run.Meta)
			}
		}
	}
}

// If pct-ring is killed, the program goes on, and what was written can be read.
func TestKilled(t *testing.T) {
	for _, how := range []string{"-cpus", "-threads"} {
		done := filepath.Join(t.TempDir(), "done")
		r := command(t, how, "-F", "997", "sh", "-c", "spin "+units(700)+"; echo >"+done)
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		dir := r.await("spin", 100)
		if err := r.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		r.Wait()
		run, err := data.Open(dir)
		if err != nil || len(run.Damage) > 0 {
			t.Fatalf("%s: %v, damage %v", how, err, run.Damage)
		}
		if run.Meta.State != "running" || len(run.Samples()) < 100 || in(t, run, "spin", "spin") < 90 {
			t.Errorf("%s: %d samples, %+v", how, len(run.Samples()), run.Meta)
		}
		until(t, "the program's end", func() bool {
			_, err := os.Stat(done)
			return err == nil
		})
	}
	target := spinning(t, "spin", "0")
	r := command(t, "-F", "997", "-p", fmt.Sprint(target.Process.Pid))
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	r.await("spin", 20)
	r.Process.Kill()
	r.Wait()
	if s := processState(t, target.Process.Pid); s != "R" {
		t.Errorf("afterwards the process is in state %s", s)
	}
}

// SIGTERM is passed on; the program's answer counts.
func TestTerminated(t *testing.T) {
	for command1, want := range map[string]int{
		"trap 'exit 5' TERM; while :; do :; done": 5,
		"while :; do :; done":                     143,
	} {
		r := command(t, "-F", "997", "sh", "-c", command1)
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		r.await("dash", 30) // it has set its trap by then
		r.Process.Signal(syscall.SIGTERM)
		if got := r.ended(r.Wait()); got != want {
			t.Errorf("%q: exit status %d, want %d", command1, got, want)
		}
	}
}

// Where nothing can be written the program runs all the same.
func TestNowhereToWrite(t *testing.T) {
	r := command(t, "-F", "997", "-o", "/proc/nowhere", "sh", "-c", "spin "+units(50)+"; exit 4")
	r.want(4)
	if n := strings.Count(r.stderr.String(), "\n"); n != 1 || !strings.Contains(r.stderr.String(), "/proc/nowhere") {
		t.Errorf("it says %q", &r.stderr)
	}
}
