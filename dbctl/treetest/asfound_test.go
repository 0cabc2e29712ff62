package treetest_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAsFound attaches to a process time and again. After each time it is as it
// was found, as far as it, or anybody else, can see.
func TestAsFound(t *testing.T) {
	t.Parallel()
	const times = 20
	p := start(t, "furnished", filepath.Join(t.TempDir(), "file"))
	p.ask() // its first answer changes its memory
	report := p.ask()
	want := snapshot(t, p.pid())
	if len(want) < 30 || !strings.Contains(report, "runs") {
		t.Fatalf("too little is seen of the process: %v, %s", want, report)
	}
	pid := fmt.Sprint(p.pid())
	for i := range times {
		flags := []string{"-p", pid, "profile.dbctl"}
		if i%3 == 1 {
			flags[2] = script(t, "eval.dbctl")
		}
		attach(t, 10, []unix.Signal{0, unix.SIGINT, 0, unix.SIGTERM}[i%4], flags...)
		if got := p.ask(); got != report {
			t.Errorf("after it was attached to %d times by %v it says\n%s", i+1, flags, changes(got, report))
		}
		differ(t, fmt.Sprintf("after it was attached to %d times by %v", i+1, flags), snapshot(t, p.pid()), want)
		if t.Failed() {
			break
		}
	}
	if _, status := p.end(); status != "exit status 9" {
		t.Errorf("it ended with %s", status)
	}
}

// changes are the lines of one text that are not the same in another.
func changes(got, want string) string {
	var text strings.Builder
	wanted := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wanted) || wanted[i] != line {
			fmt.Fprintf(&text, "%s, was %q\n", line, wanted[min(i, len(wanted)-1)])
		}
	}
	return text.String()
}

func differ(t *testing.T, when string, got, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s, %s is %q, was %q", when, key, got[key], value)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s, there is %s: %q", when, key, got[key])
		}
	}
}

// lasting are the beginnings of the fields of /proc/PID/status that don't change
// as a process runs.
var lasting = []string{"SigPnd", "SigBlk", "SigIgn", "SigCgt", "ShdPnd", "Cap", "TracerPid", "Threads", "NoNewPrivs", "Seccomp", "Speculation", "Uid", "Gid", "FDSize"}

// snapshot is all of a process that can be seen from outside and that doesn't
// change as it runs, by names for it.
func snapshot(t *testing.T, pid int) map[string]string {
	t.Helper()
	seen := make(map[string]string)
	dir := fmt.Sprintf("/proc/%d/", pid)
	read := func(name string) string {
		text, err := os.ReadFile(dir + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, name := range []string{"timers", "maps", "limits", "personality", "coredump_filter", "oom_score_adj", "environ", "comm"} {
		seen[name] = read(name)
	}
	for _, task := range entries(t, dir+"task") {
		for line := range strings.Lines(read("task/" + task + "/status")) {
			key, value, _ := strings.Cut(line, ":")
			if slices.ContainsFunc(lasting, func(s string) bool { return strings.HasPrefix(key, s) }) {
				seen["thread "+task+" "+key] = strings.TrimSpace(value)
			}
			if key == "State" && strings.ContainsAny(value, "Tt") {
				seen["thread "+task+" "+key] = value
			}
		}
	}
	for _, fd := range entries(t, dir+"fd") {
		link, err := os.Readlink(dir + "fd/" + fd)
		if err != nil {
			t.Fatal(err)
		}
		seen["descriptor "+fd] = link + " " + read("fdinfo/"+fd)
	}
	mem, err := os.Open(dir + "mem")
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	for line := range strings.Lines(seen["maps"]) {
		var from, to int64
		var rights string
		if fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights); rights != "r-xp" {
			continue
		}
		text := make([]byte, to-from)
		if _, err := mem.ReadAt(text, from); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		seen["text "+line] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	return seen
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
