package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// mode is a way to sample, at any rate.
type mode struct {
	name string
	at   func(hz int) method
	read reader
}

// modes returns all ways of ours that see CPU time, and perf record. Those whose program is not there are left
// out, and that is said.
func (b *bench) modes() []mode {
	library := filepath.Join(b.Bin, "lib", "libpct.so")
	ring, profile := filepath.Join(b.Bin, "pct-ring"), filepath.Join(b.Bin, "profile")
	inside := func(letters string) func(int) method {
		return func(hz int) method {
			m := libpct(library, hz)
			wrap := m.wrap
			m.wrap = func(dir string, argv []string) ([]string, []string) {
				argv, environment := wrap(dir, argv)
				return argv, append(environment, fmt.Sprintf("PCT=%s q%d", letters, 1000000/hz))
			}
			m.samples = nil
			return m
		}
	}
	around := func(name string, sampler ...string) func(int) method {
		return func(hz int) method {
			return method{name: name, hz: hz, wrap: func(dir string, argv []string) ([]string, []string) {
				command := append([]string{}, sampler...)
				return append(append(command, "-F", strconv.Itoa(hz), "-o", dir), argv...), []string{"PCT_DIR=" + dir}
			}}
		}
	}
	var there []mode
	for _, m := range []struct {
		needs string
		mode
	}{
		{library, mode{"libpct", inside(""), names.ofCounts}},
		{library, mode{"libpct -paths", inside("s"), names.ofRuns}},
		{ring, mode{"pct-ring -k -paths", around("pct-ring", ring, "-k", "-paths"), names.ofRuns}},
		{profile, mode{"profile -gdb", around("profile -gdb", profile, "-gdb", "-O", os.DevNull), names.ofRuns}},
		{profile, mode{"profile -gdb -clock poll", around("profile -gdb", profile, "-gdb", "-clock", "poll", "-O", os.DevNull), names.ofRuns}},
		{"perf", mode{"perf record", perfOfUser, names.ofPerf}},
	} {
		if _, err := exec.LookPath(m.needs); err != nil && m.needs != library {
			fmt.Fprintf(b.Out, "%s is left out: %v\n", m.name, err)
			continue
		}
		there = append(there, m.mode)
	}
	return there
}
