package treetest_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/pct/data"
)

// A result is all that a caller sees of a command.
type result struct{ stdout, stderr, status string }

// execute runs a command in a directory. One that doesn't end is killed, with
// what it has left in its process group.
func execute(t *testing.T, dir, stdin string, argv ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	path, err := lookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Args[0] = argv[0]
	cmd.Dir, cmd.Env = dir, environment()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	// In a group of its own it can be stopped by a terminal's signals, even where
	// our group is an orphan.
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.String()}
}

// lookPath finds a command where environment has it found.
func lookPath(name string) (string, error) {
	for _, dir := range []string{tree.bin, tree.targets} {
		if path := filepath.Join(dir, name); filepath.Base(name) == name {
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
		}
	}
	return exec.LookPath(name)
}

// profiled runs a command under dbctl with its run directories in root.
func profiled(t *testing.T, root, dir, stdin string, flags []string, argv ...string) result {
	t.Helper()
	all := append([]string{"dbctl", "-o", root}, flags...)
	return execute(t, dir, stdin, append(all, argv...)...)
}

// processesOf reads the tree of the only run in root.
func processesOf(t *testing.T, root string) []data.TreeProcess {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(root, "*", "tree"))
	if len(files) != 1 {
		t.Fatalf("there are %d trees in %s", len(files), root)
	}
	all, err := data.ReadTree(filepath.Dir(files[0]))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sampling are the flags for a profile with a sample each millisecond.
var sampling = []string{"-D", "interval=1000", "profile.dbctl"}
