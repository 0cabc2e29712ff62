package matrix_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profilecollection/pct/matrix"
)

// source is a source package of Debian: what builds it, and what its `make test` says when it passes.
type source struct{ name, build, passes string }

// sources are those of the whole matrix; another has none.
func sources() []source {
	if !*whole {
		return nil
	}
	return []source{
		{"bzip2", "make bzip2", "If you got this far"},
		{"zlib", "./configure && make", "*** zlib 64-bit test OK ***"},
	}
}

// TestSources runs `make test` of source packages. It needs Debian's archive, or what it kept of it in the user's cache.
func TestSources(t *testing.T) {
	for _, s := range sources() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			built := filepath.Join(t.TempDir(), s.name)
			command(t, "", "dpkg-source", "--no-check", "-x", sourcePackage(t, s.name), built)
			command(t, built, "sh", "-c", s.build)
			makeTest := func(t *testing.T, args ...string) (matrix.End, string) {
				t.Helper()
				dir := filepath.Join(t.TempDir(), s.name) // written to by the test, so that each has its own
				command(t, "", "cp", "-a", built, dir)
				return observeIn(t, 5*patience, dir, args...)
			}
			bare, _ := makeTest(t, "make", "test")
			if bare.Status != 0 || !strings.Contains(bare.Out, s.passes) {
				t.Fatalf("bare: %v", bare)
			}
			for _, m := range matrix.Modes() {
				t.Run(m.Name, func(t *testing.T) {
					if got, said := makeTest(t, profiled(m, "make", "test")...); got.Out != bare.Out || got.Status != bare.Status {
						t.Errorf("profiled: %v(profile said: %s)\nbare: %v", got, said, bare)
					}
				})
			}
		})
	}
}

// sourcePackage is the description (.dsc) of a source package, beside its files. They are kept in the user's cache; apt
// gets them there, by lists of its own, and checks them by the archive's signature.
func sourcePackage(t *testing.T, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "pct-matrix", name)
	kept := func() string {
		found, err := filepath.Glob(filepath.Join(dir, "*.dsc"))
		if err != nil || len(found) == 0 {
			return ""
		}
		return found[0]
	}
	if dsc := kept(); dsc != "" {
		return dsc
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	// It is renamed when it is whole: who is interrupted leaves none that looks so.
	part, err := os.MkdirTemp(filepath.Dir(dir), name+"-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(part)
	apt := t.TempDir()
	release := command(t, "", "sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME")
	list := filepath.Join(apt, "sources.list")
	line := fmt.Sprintf("deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian %s main\n", strings.TrimSpace(release))
	if err := os.WriteFile(list, []byte(line), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(apt, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	options := []string{"-o", "Dir::Etc::SourceList=" + list, "-o", "Dir::Etc::SourceParts=/dev/null",
		"-o", "Dir::State::Lists=" + filepath.Join(apt, "lists"), "-o", "Dir::Cache=" + filepath.Join(apt, "cache")}
	command(t, part, "apt-get", append(options, "-q", "--error-on=any", "update")...)
	command(t, part, "apt-get", append(options, "-q", "--download-only", "source", name)...)
	renamed := os.Rename(part, dir) // fails if another test was first
	dsc := kept()
	if dsc == "" {
		t.Fatalf("apt-get source %s has left no description in %s (%v)", name, dir, renamed)
	}
	return dsc
}

// command runs a command in a directory and returns its standard output.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out.String(), errs.String())
	}
	return out.String()
}
