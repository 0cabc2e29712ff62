package pct_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestInstall: an installed tree has what it needs in the places where the commands
// look, and make uninstall takes every file away again.
func TestInstall(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	run := func(target string) {
		t.Helper()
		cmd := exec.Command("make", target, "BIN="+filepath.Join(dir, "bin"), "DESTDIR="+root, "PREFIX=/opt/pct")
		cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	run("install")
	got := files(t, root)
	for _, want := range []string{
		"opt/pct/bin/dbctl", "opt/pct/bin/pct", "opt/pct/bin/profile",
		"opt/pct/bin/int-avg", "opt/pct/bin/int-hist", "opt/pct/bin/quantile", "opt/pct/bin/corr",
		"opt/pct/bin/pct-merge", "opt/pct/bin/pct-%", "opt/pct/libexec/pct/pct-launch", "opt/pct/libexec/pct/profile", "opt/pct/bin/pct-ring",
		"opt/pct/bin/pct-pr", "opt/pct/lib/pct/libpct.so", "opt/pct/lib/pct/libpct.a", "opt/pct/lib/pct/pct.o", "opt/pct/lib/pct/libpctprof.so", "opt/pct/lib/pct/libpctprof.a", "opt/pct/include/pct.h",
		"opt/pct/libexec/pct/top", "opt/pct/libexec/pct/pct-addr2line", "opt/pct/libexec/pct/pct-gdbline",
		"opt/pct/libexec/pct/pct-addr2nm", "opt/pct/libexec/pct/pct-disasm", "opt/pct/libexec/pct/pct-binutils", "opt/pct/libexec/pct/pct-llvm-symbolizer",
		"opt/pct/share/pct/gdbprof_prologue.dbctl", "opt/pct/share/pct/gdbprof_epilogue.dbctl",
		"opt/pct/share/emacs/site-lisp/pct/pct.el", "opt/pct/share/man/man1/pct-pr.1", "opt/pct/share/man/man1/pct-ring.1",
		"opt/pct/share/bash-completion/completions/pct", "opt/pct/share/bash-completion/completions/profile", "opt/pct/share/zsh/site-functions/_pct",
		"opt/pct/share/man/man1/profile.1", "opt/pct/share/man/man1/dbctl.1", "opt/pct/share/man/man1/pct.1",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("make install did not install /%s", want)
		}
	}
	// The links lead to what is installed, not to what was built.
	for _, link := range []string{"opt/pct/bin/pct-pr", "opt/pct/libexec/pct/pct-addr2line"} {
		if real, err := filepath.EvalSymlinks(filepath.Join(root, link)); err != nil || real != filepath.Join(root, "opt/pct/libexec/pct/pct-tools") {
			t.Errorf("/%s is %s, error %v", link, real, err)
		}
		if out, err := exec.Command(filepath.Join(root, link), "-h").Output(); err != nil || !strings.HasPrefix(string(out), "usage: "+filepath.Base(link)+" ") {
			t.Errorf("/%s -h: error %v, %s", link, err, out)
		}
	}
	run("uninstall")
	if left := files(t, root); len(left) > 0 {
		t.Errorf("make uninstall left %q", left)
	}
}

// files lists the files below root that are no directories.
func files(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		list = append(list, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
