package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// swapper is a program of another user who puts links to a directory in the place of all directories in his own.
const swapper = `
import os, sys
n = 0
print("ready", flush=True)
while True:
    for name in os.listdir('.'):
        if not name.startswith('moved') and not os.path.islink(name):
            os.rename(name, 'moved%d' % n)
            os.symlink(sys.argv[1], name)
            n += 1
`

// A directory of run directories of another user, who replaces each by a link to one of root's: he is told of, and root's
// is left alone.
func TestHostileRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("kernel code is sampled: this test must be run by root, as the others here")
	}
	for range 3 {
		r := command(t, "-k", "-F", "997", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=2000", "status=none")
		victim := t.TempDir()
		if err := os.Chown(r.root, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		hostile := exec.Command("/usr/bin/python3", "-c", swapper, victim)
		hostile.Dir = r.root
		hostile.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		t.Cleanup(func() { hostile.Process.Kill() })
		ready, err := hostile.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := hostile.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := ready.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		status := r.status()
		// On a busy machine he may come too late for the run: then its directory is replaced afterwards.
		until(t, "a run directory that is replaced", func() bool {
			moved, _ := filepath.Glob(r.root + "/moved*")
			return len(moved) > 0
		})
		hostile.Process.Kill()
		hostile.Wait()
		// It was replaced before it was opened, or after.
		refused := strings.Contains(r.stderr.String(), "cannot write a run directory, so nothing more is recorded")
		if moved, _ := filepath.Glob(r.root + "/moved*/meta"); status != 0 || len(moved) != 1 && !(refused && len(moved) == 0) {
			t.Errorf("exit status %d, %d run directories with meta were moved; it says %q", status, len(moved), &r.stderr)
		}
		if all, err := os.ReadDir(victim); err != nil || len(all) > 0 {
			t.Errorf("root's directory has %v, %v", all, err)
		}
		if !strings.Contains(r.stderr.String(), "belongs to another user (uid 65534), who can replace the data in it") {
			t.Errorf("it says %q", &r.stderr)
		}
	}
}
