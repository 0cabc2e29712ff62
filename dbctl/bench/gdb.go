package bench

import (
	"os/exec"
	"strings"
)

func gdbVersion() string {
	out, err := exec.Command("gdb", "--version").Output()
	if err != nil {
		return "absent"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line[strings.LastIndexByte(line, ' ')+1:]
}
