package examples_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const victim = `
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) void *get(int n) { return malloc(n); }
int main(void)
{
	volatile long x = 0;
	while (clock() < 20 * CLOCKS_PER_SEC) {
		for (int i = 0; i < 20000; i++)
			x += i;
		free(get(10000));
	}
}
`

// family are the processes that descend from one, and it itself.
func family(pid int) []int {
	all := []int{pid}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range threads {
		text, _ := os.ReadFile(file)
		for _, word := range strings.Fields(string(text)) {
			var child int
			if _, err := fmt.Sscan(word, &child); err == nil {
				all = append(all, family(child)...)
			}
		}
	}
	return all
}

// within waits for a condition.
func within(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute for: %s", what)
		}
	}
}

// Any part of profile, or the target, is killed at any instant: what was recorded is read, and nothing is left behind but that.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	data, tmp, program := filepath.Join(dir, "data"), filepath.Join(dir, "tmp"), filepath.Join(dir, "victim")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program+".c", []byte(victim), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-g", "-O1", "-o", program, program+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := append(os.Environ(), "PCT_DIR="+data, "TMPDIR="+tmp, "PATH="+filepath.Join(prefix, "bin")+":/usr/local/bin:/usr/bin:/bin")
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(prefix, "bin", name), args...)
		cmd.Env = env
		return cmd
	}
	seen := map[string]bool{}
	for n, how := range []string{"", "-paths", "-calls", "-log", "-r alloc:64k", "-k -paths", "-gdb", "-paths -p", "-r alloc:64k -p", "-gdb -p", "-args"} {
		args := strings.Fields(how)
		var attached *exec.Cmd
		if slices.Contains(args, "-p") {
			attached = exec.Command(program)
			if err := attached.Start(); err != nil {
				t.Fatal(err)
			}
			args = append(args, fmt.Sprint(attached.Process.Pid))
		} else {
			args = append(args, program)
		}
		profile := command("profile", args...)
		if err := profile.Start(); err != nil {
			t.Fatal(err)
		}
		var dirs []string
		recorded := func() bool {
			all, _ := filepath.Glob(data + "/[^.]*")
			dirs = slices.DeleteFunc(all, func(dir string) bool { return seen[dir] })
			return len(dirs) > 0
		}
		within(t, "a run directory of profile "+how, recorded)
		// The instant of the kill is random; waiting for nothing is what it's for.
		time.Sleep(rand.N(60 * time.Millisecond))
		// What removes the files of a profile that was killed is left.
		all := slices.DeleteFunc(family(profile.Process.Pid), func(pid int) bool {
			name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
			return string(name) == "pct-launch\n"
		})
		who := rand.N(len(all))
		if n%2 == 0 {
			who = 0 // profile itself
		}
		syscall.Kill(all[who], syscall.SIGKILL)
		for _, pid := range all {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		profile.Wait()
		if attached != nil {
			attached.Process.Kill()
			attached.Wait()
		}
		recorded()
		for _, dir := range dirs {
			seen[dir] = true
			for _, verb := range []string{"sym", "ps"} {
				read := command("pct", verb, dir)
				var said bytes.Buffer
				read.Stderr = &said
				err := read.Run()
				var exit *exec.ExitError
				switch text := said.String(); {
				case err == nil:
				case strings.Contains(text, "contains no run directory"), strings.Contains(text, "has no data: it is not a run directory"):
					// The kill came between the directory and its meta, which has a hidden name until it is
					// whole. A tree may have come before.
					whole, _ := filepath.Glob(dir + "/[^.]*")
					if len(whole) > 0 && !slices.Equal(whole, []string{dir + "/tree"}) {
						t.Errorf("pct %s %s: %s, but it has %v", verb, dir, text, whole)
					}
				case errors.As(err, &exit) && exit.ExitCode() == 1 && strings.Contains(text, "killed before it wrote"), strings.Contains(text, " has no samples yet: "),
					strings.Contains(text, " has no samples: the program was killed before the first one"):
				default:
					t.Errorf("profile %s, process %d of %d killed: pct %s: %v: %s", how, who, len(all), verb, err, text)
				}
			}
		}
		within(t, "profile's files to be removed", func() bool {
			left, _ := filepath.Glob(tmp + "/profile.*")
			return len(left) == 0
		})
	}
}
