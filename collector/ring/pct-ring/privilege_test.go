package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/profilecollection/pct/internal/chance"
	"github.com/profilecollection/pct/pct/data"
)

// A user without privileges gets what the kernel permits, and is told the rest.
func TestUnprivileged(t *testing.T) {
	chance.Test(t, func(d *chance.Draw) { withoutPrivilege(t, d) })
}

func withoutPrivilege(t *testing.T, d *chance.Draw) {
	paranoid, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err != nil {
		t.Fatal(err)
	}
	level := 0
	fmt.Sscan(string(paranoid), &level)
	run := func(status int, args ...string) *ring {
		t.Helper()
		r := command(t, args...)
		r.SysProcAttr = unprivileged()
		r.want(status)
		return r
	}
	const denied = 125
	status := func(most int) int {
		if level > most {
			return denied
		}
		return 0
	}
	if r := run(status(2), "-check"); level > 2 && !strings.Contains(r.stderr.String(), "perf_event_paranoid") {
		t.Errorf("-check says %q", &r.stderr)
	}
	for _, args := range [][]string{{"-check", "-k"}, {"-k", "spin", units(10)}} {
		if r := run(status(1), args...); level > 1 && !strings.Contains(r.stderr.String(), "perf_event_paranoid (it is "+fmt.Sprint(level)+")") {
			t.Errorf("%v says %q", args, &r.stderr)
		}
	}
	run(status(0), "-cpus", "spin", units(10))
	if level > 2 {
		return
	}
	r := run(0, "-F", "997", "spin-static", "ratio", "500")
	of := r.only("spin-static")
	heavy, light := in(t, of, "spin-static", "heavy"), in(t, of, "spin-static", "light")
	near(d, "heavy", heavy, heavy+light, 0.75)
	if notes := strings.Join(of.Meta.Notes, "\n"); level > 1 && !strings.Contains(notes, "kernel time was not sampled") {
		t.Errorf("notes: %q", notes)
	}
}

// A process of another user is refused for that reason.
func TestForeign(t *testing.T) {
	r := command(t, "-p", "1")
	r.SysProcAttr = unprivileged()
	r.want(125)
	if said := r.stderr.String(); !strings.Contains(said, "process 1 belongs to another user") || strings.Contains(said, "paranoid") {
		t.Errorf("said %q", said)
	}
}

// Root without capabilities may not look at a root that has them, whatever the kernel permits all users.
func TestFewerRights(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("only root has rights to give up")
	}
	r := command(t, "-p", fmt.Sprint(os.Getpid()))
	args := append([]string{"setpriv", "--bounding-set=-all", "--inh-caps=-all"}, r.Args...)
	r.Cmd.Path, r.Cmd.Args = "/usr/bin/setpriv", args
	r.want(125)
	paranoid, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if err != nil {
		t.Fatal(err)
	}
	why := "rights that this user does not have"
	if level := strings.TrimSpace(string(paranoid)); level > "2" {
		why = "perf_event_paranoid (it is " + level + ")"
	}
	if said := r.stderr.String(); !strings.Contains(said, why) {
		t.Errorf("said %q, not %q", said, why)
	}
}

// A set-uid program keeps its rights, and root samples it.
func TestSetUID(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("only root can make a set-uid program")
	}
	text, err := os.ReadFile(built + "/spin")
	if err != nil {
		t.Fatal(err)
	}
	prog := filepath.Join(built, "spin-setuid")
	if err := os.WriteFile(prog, text, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(prog) })
	if err := os.Chown(prog, nobody-1, -1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Chmod(prog, 0o4755); err != nil {
		t.Fatal(err)
	}
	r := command(t, "-F", "997", "spin-setuid", units(200))
	r.want(0)
	if run := r.only("spin-setuid"); in(t, run, "spin-setuid", "spin") < 50 {
		t.Errorf("%d samples", len(run.Samples()))
	}
	r = command(t, "-F", "997", "spin-setuid", units(50))
	r.SysProcAttr = unprivileged()
	r.want(0)
	if r.runs("spin-setuid") != nil || !strings.Contains(r.stderr.String(), "only root may sample a set-uid program, or one that this user may not read") {
		t.Errorf("it says %q", &r.stderr)
	}
}

// As many rings and clocks as the limit of files permits, or a clear word.
func TestManyFiles(t *testing.T) {
	target := spinning(t, "spin", "threads", units(60000))
	pid := fmt.Sprint(target.Process.Pid)
	until(t, "its threads", func() bool {
		tasks, _ := os.ReadDir("/proc/" + pid + "/task")
		return len(tasks) == 4
	})
	r := command(t)
	r.Path, r.Args = "/bin/sh", []string{"sh", "-c", "ulimit -n 12; exec pct-ring -threads -p " + pid}
	r.want(1)
	if !strings.Contains(r.stderr.String(), "ulimit -n") {
		t.Errorf("it says %q", &r.stderr)
	}
	if dirs := r.dirs("spin"); dirs != nil {
		_, err := data.Open(dirs[0])
		t.Errorf("it wrote %v (%v)", dirs, err)
	}
}
