package data

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const nobody = 65534 // a user who is hostile here

// What others can replace is not used without a word.
func TestExposedRoot(t *testing.T) {
	us := os.Geteuid()
	for name, c := range map[string]struct {
		mode    fs.FileMode
		owner   int
		warning string
	}{
		"ours":    {0o755, us, ""},
		"shared":  {0o777 | fs.ModeSticky, us, ""},
		"open":    {0o777, us, "is writable for all and not sticky"},
		"foreign": {0o700, nobody, "belongs to another user (uid 65534)"},
		"sticky":  {0o777 | fs.ModeSticky, nobody, "belongs to another user (uid 65534)"},
	} {
		if us != 0 && c.owner != us {
			continue // only root can make these, as in CI
		}
		root := filepath.Join(t.TempDir(), "pct")
		check(t, os.Mkdir(root, 0o700))
		check(t, os.Chown(root, c.owner, -1))
		check(t, os.Chmod(root, c.mode))
		d, err := Create(root, "p", 1)
		check(t, err)
		if got := d.Warning(); c.warning == "" && got != "" || !strings.Contains(got, c.warning) {
			t.Errorf("%s: %q, want %q", name, got, c.warning)
		}
		check(t, d.Close())
		want := root
		if c.warning != "" {
			want = fmt.Sprintf("%s-%d", root, us)
		}
		if got := defaultRoot(root); got != want {
			t.Errorf("%s: without $PCT_DIR %s, want %s", name, got, want)
		}
	}
	if us != 0 {
		return
	}
	link := filepath.Join(t.TempDir(), "pct")
	check(t, os.Symlink("/", link))
	check(t, os.Lchown(link, nobody, -1))
	if got := defaultRoot(link); got != link+"-0" {
		t.Errorf("another user's link is followed: %s", got)
	}
}

// swapper is a program of another user who puts links to a directory in the place of all directories in his own, and
// says "done" when he has done it often enough.
const swapper = `
import os, sys
victim, n = sys.argv[1], 0
while n < 100:
    for name in os.listdir('.'):
        if name.startswith('moved') or os.path.islink(name):
            continue
        try:
            os.rename(name, 'moved%d' % n)
            os.symlink(victim, name)
            n += 1
        except OSError:
            pass
print('done', flush=True)
`

// A run directory that is replaced at any instant by a link to another one is written all the same, and the other one
// is left alone.
func TestSwapRace(t *testing.T) {
	top, err := os.MkdirTemp("", "pct-swap") // open to other users
	check(t, err)
	t.Cleanup(func() { os.RemoveAll(top) })
	check(t, os.Chmod(top, 0o755))
	root, victim := filepath.Join(top, "root"), filepath.Join(top, "victim")
	check(t, os.Mkdir(root, 0o755))
	check(t, os.Mkdir(victim, 0o755))
	for _, name := range []string{metaFile, kernelSymbolsFile} {
		check(t, os.WriteFile(filepath.Join(victim, name), []byte("root's\n"), 0o644))
	}
	cmd := exec.Command("/usr/bin/python3", "-c", swapper, victim)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	if os.Geteuid() == 0 {
		check(t, os.Chown(root, nobody, nobody))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	said, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	done := make(chan bool)
	go func() {
		done <- bufio.NewScanner(said).Scan()
	}()
	written := 0
	for n := 1; ; n++ {
		select {
		case swapped := <-done:
			check(t, cmd.Wait())
			if !swapped || written == 0 {
				t.Fatalf("swapped %v, %d directories were written", swapped, written)
			}
			for _, name := range []string{metaFile, kernelSymbolsFile} {
				if text, err := os.ReadFile(filepath.Join(victim, name)); err != nil || string(text) != "root's\n" {
					t.Errorf("%s of the other directory: %q, %v", name, text, err)
				}
			}
			if all, err := os.ReadDir(victim); err != nil || len(all) != 2 {
				t.Errorf("the other directory has %v, %v", all, err)
			}
			return
		default:
		}
		d, err := Create(root, "p", n)
		if err != nil {
			continue // it was replaced before it was open
		}
		written++
		check(t, d.WriteMeta(Meta{Pid: n}))
		check(t, d.WriteKernelSymbols([]byte("ffffffff81000000 t f\n")))
		check(t, d.WriteCounts("[kernel]", someCounts(), map[uint64]uint64{1: 1}))
		w, err := d.NewWriter(Header{})
		check(t, err)
		check(t, w.Close())
		tree, err := d.NewTree()
		check(t, err)
		check(t, tree.Close())
		if n%2 == 0 {
			if err := d.Remove(); err != nil && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
		check(t, d.Close())
	}
}
