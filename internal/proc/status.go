package proc

import (
	"strconv"
	"strings"
)

// A Status is what /proc/PID/task/TID/status says of a thread. Masks have bit
// n-1 for signal n.
type Status struct {
	State                    byte // R, S, D, T, t, Z, X
	Tgid, Ppid, Tracer       int
	Blocked, Pending, Shared uint64
	Caught, Ignored          uint64
	Filtered                 bool // its system calls are, by seccomp
	Nested                   bool // its pid namespace is one within ours
}

// ReadStatus reads it.
func ReadStatus(pid, tid int) (s Status, err error) {
	text, err := contents(Entry(pid, "task/"+strconv.Itoa(tid)+"/status"))
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":\t")
		switch key {
		case "State":
			s.State = value[0]
		case "Tgid":
			s.Tgid, _ = strconv.Atoi(value)
		case "PPid":
			s.Ppid, _ = strconv.Atoi(value)
		case "TracerPid":
			s.Tracer, _ = strconv.Atoi(value)
		case "Seccomp":
			s.Filtered = value != "0"
		case "NSpid":
			s.Nested = strings.Contains(value, "\t")
		case "SigBlk":
			s.Blocked, _ = strconv.ParseUint(value, 16, 64)
		case "SigPnd":
			s.Pending, _ = strconv.ParseUint(value, 16, 64)
		case "ShdPnd":
			s.Shared, _ = strconv.ParseUint(value, 16, 64)
		case "SigCgt":
			s.Caught, _ = strconv.ParseUint(value, 16, 64)
		case "SigIgn":
			s.Ignored, _ = strconv.ParseUint(value, 16, 64)
		}
	}
	return s, nil
}
