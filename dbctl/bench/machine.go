package main

import (
	"os"
	"os/exec"
	"strings"
)

// loadAverage is the mean number of threads that ran or would have, in the
// last minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

func gdbVersion() string {
	out, err := exec.Command("gdb", "--version").Output()
	if err != nil {
		return "absent"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line[strings.LastIndexByte(line, ' ')+1:]
}
