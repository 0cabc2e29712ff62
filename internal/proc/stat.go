package proc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Stat is what /proc/PID/stat tells of a process.
type Stat struct {
	Name        string // the kernel's short one
	State       byte   // R, S, D, T, t, Z, X
	Ppid, Group int
	CPU         time.Duration // of all its threads, those that ended too, to 10 ms
	Started     uint64        // in clock ticks since boot
}

// Ended reports whether the process has ended, though its parent has not waited for it yet.
func (s Stat) Ended() bool { return s.State == 'Z' || s.State == 'X' }

// ReadStat reads it.
func ReadStat(pid int) (s Stat, err error) {
	text, err := contents(Entry(pid, "stat"))
	if err != nil {
		return s, err
	}
	return parseStat(text)
}

// ThreadState is the state of a thread: R, S, D, T, t, Z, X.
func ThreadState(pid, tid int) (byte, error) {
	text, err := contents(Entry(pid, "task/"+strconv.Itoa(tid)+"/stat"))
	if err != nil {
		return 0, err
	}
	s, err := parseStat(text)
	return s.State, err
}

// ThreadTime is the CPU time of a thread so far, and how often it came to a processor.
func ThreadTime(pid, tid int) (cpu time.Duration, turns int, err error) {
	text, err := contents(Entry(pid, "task/"+strconv.Itoa(tid)+"/schedstat"))
	if err != nil {
		return 0, 0, err
	}
	return parseTime(text)
}

// A ThreadClock is ThreadTime for a thread that is asked often.
type ThreadClock struct{ fd int }

// OpenThreadClock opens one.
func OpenThreadClock(pid, tid int) (*ThreadClock, error) {
	fd, err := unix.Open(Entry(pid, "task/"+strconv.Itoa(tid)+"/schedstat"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return &ThreadClock{fd}, nil
}

// Read is what ThreadTime returns. An error may mean that the thread has ended.
func (c *ThreadClock) Read() (cpu time.Duration, turns int, err error) {
	var text [64]byte
	n, err := unix.Pread(c.fd, text[:], 0)
	if err != nil {
		return 0, 0, err
	}
	return parseTime(text[:n])
}

// Close closes it.
func (c *ThreadClock) Close() { unix.Close(c.fd) }

// parseTime reads a line of schedstat: nanoseconds on a processor, and of waiting for one, and times that it came to one.
func parseTime(text []byte) (cpu time.Duration, turns int, err error) {
	words := strings.Fields(string(text))
	if len(words) != 3 {
		return 0, 0, fmt.Errorf("%q is not a line of a schedstat file of /proc", text)
	}
	ns, err := strconv.ParseInt(words[0], 10, 64)
	if err == nil {
		turns, err = strconv.Atoi(words[2])
	}
	return time.Duration(ns), turns, err
}

func parseStat(text []byte) (s Stat, err error) {
	// The name, which is in parentheses, may hold anything.
	from, to := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	words := strings.Fields(string(text[to+1:]))
	const state, ppid, group, utime, stime, started = 0, 1, 2, 11, 12, 19 // after the name
	if from < 0 || to < from || len(words) <= started {
		return s, fmt.Errorf("%q is not a line of a stat file of /proc", text)
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(words[i])
		return n
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 everywhere but on Alpha and Itanium
	s = Stat{
		Name: string(text[from+1 : to]), State: words[state][0],
		Ppid: number(ppid), Group: number(group),
		CPU: time.Duration(number(utime)+number(stime)) * tick,
	}
	s.Started, err = strconv.ParseUint(words[started], 10, 64)
	return s, err
}
