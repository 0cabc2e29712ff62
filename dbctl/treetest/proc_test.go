package treetest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// children are the living processes whose parent is pid.
func children(pid int) []int {
	var found []int
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range tasks {
		text, _ := os.ReadFile(f)
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// descendants are those of a process, itself not included.
func descendants(pid int) []int {
	var all []int
	for next := children(pid); len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children(next[0])...)
	}
	return all
}

func processes() []int {
	var all []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// marked are the living processes whose environment holds an entry.
func marked(entry string) []int {
	var found []int
	for _, pid := range processes() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		for e := range bytes.SplitSeq(text, []byte{0}) {
			if string(e) == entry {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

// programOf is the name of the file that a process executes.
func programOf(pid int) string {
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return filepath.Base(exe)
}

// statusField is a field of /proc/PID/status, "" if there is none.
func statusField(pid int, name string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// describe tells of a process, and of one that traces it.
func describe(pid int) string {
	args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	text := fmt.Sprintf("%d %s: %s", pid, statusField(pid, "State"), strings.ReplaceAll(string(args), "\x00", " "))
	if tracer, err := strconv.Atoi(statusField(pid, "TracerPid")); err == nil && tracer != 0 {
		text += "\n  traced by " + describe(tracer)
	}
	return text
}

// await waits until a condition holds, and fails the test if it never does.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
