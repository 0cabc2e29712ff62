package debugger

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	minLimit, maxLimit = 2, 256
	// descriptors that a debugger costs us: five of the pipes to it, the others
	// for its process.
	descriptorsPerDebugger = 10
)

// defaultLimit is how many debuggers may run at once as this machine is now.
func defaultLimit(perDebugger uint64) int {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) != nil {
		files.Cur = unix.RLIM_INFINITY
	}
	meminfo, _ := os.ReadFile("/proc/meminfo")
	return limitFor(memAvailable(meminfo), files.Cur, perDebugger)
}

// limitFor lets debuggers have a quarter of the memory that is available, in
// bytes, and half of the descriptors.
func limitFor(available, descriptors, perDebugger uint64) int {
	n := min(available/4/perDebugger, descriptors/2/descriptorsPerDebugger)
	return int(max(minLimit, min(maxLimit, n)))
}

// memAvailable reads /proc/meminfo, in bytes. What doesn't say is taken for
// a small machine.
func memAvailable(meminfo []byte) uint64 {
	for line := range bytes.Lines(meminfo) {
		if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == "MemAvailable:" {
			kB, _ := strconv.ParseUint(string(f[1]), 10, 54)
			return kB << 10
		}
	}
	return 0
}
