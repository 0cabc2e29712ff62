package ring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// tracefs is where the kernel tells of its tracepoints, "" nowhere.
func tracefs() (dir string, err error) {
	for _, dir = range []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"} {
		if _, err = os.Stat(dir + "/events/raw_syscalls"); err == nil || errors.Is(err, fs.ErrPermission) {
			return dir, err
		}
	}
	return "", err
}

// tracepoint makes an event of one of raw_syscalls.
func (s *eventSpec) tracepoint(name string) error {
	dir, err := tracefs()
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &NotPermitted{Err: err, Why: fmt.Sprintf("the resource %s is counted at tracepoints of the kernel, which only root may read in %s", s.name, dir)}
	case err != nil:
		return &NotPermitted{Err: err, Why: fmt.Sprintf("the resource %s is counted at tracepoints of the kernel, and its tracefs is not mounted: as root, mount -t tracefs tracefs /sys/kernel/tracing", s.name)}
	}
	event := dir + "/events/raw_syscalls/" + name
	id, err := os.ReadFile(event + "/id")
	if err != nil {
		return &NotPermitted{Err: err, Why: fmt.Sprintf("the resource %s is counted at tracepoints of the kernel, which cannot be read: %v", s.name, err)}
	}
	if s.config, err = strconv.ParseUint(strings.TrimSpace(string(id)), 10, 64); err != nil {
		return fmt.Errorf("%s/id: %w", event, err)
	}
	if !s.raw {
		return nil
	}
	format, err := os.ReadFile(event + "/format")
	if err != nil {
		return err
	}
	_, ret, _ := strings.Cut(string(format), "field:long ret;\toffset:")
	ret, _, _ = strings.Cut(ret, ";")
	if s.result, err = strconv.Atoi(ret); err != nil {
		return fmt.Errorf("%s/format has no field for the result: %w", event, err)
	}
	return nil
}

// The system calls of x86-64 that return how many bytes they have read or written, by number.
const (
	readers = "0 17 19 45 47 295 327" // read pread64 readv recvfrom recvmsg preadv preadv2
	writers = "1 18 20 44 46 296 328" // write pwrite64 writev sendto sendmsg pwritev pwritev2
	copiers = "40 275 326"            // sendfile splice copy_file_range: both
)

// transfers are the events for bytes that are read or written. A call that moves much of
// an interval is always sampled; of smaller ones, the kernel passes over many, and what
// it takes counts for them, so that samples are at most five for each interval, and one for each
// 61 of the smallest calls. Primes are in step with few programs, as in stride.
func (s eventSpec) transfers(kind string) ([]eventSpec, error) {
	numbers := readers
	if kind == "write" {
		numbers = writers
	}
	s.raw = true
	if err := s.tracepoint("sys_exit"); err != nil {
		return nil, err
	}
	var is []string
	for _, number := range strings.Fields(numbers + " " + copiers) {
		is = append(is, "id == "+number)
	}
	var all []eventSpec
	below := uint64(0) // none
	for _, size := range []struct{ each, part uint64 }{{1, 4}, {7, 32}, {61, s.timed}} {
		if below == 1 {
			break
		}
		each, least := size.each, max(1, s.timed/size.part)
		of := s
		of.period, of.each = each, each
		of.filter = fmt.Sprintf("(%s) && ret >= %d", strings.Join(is, " || "), least)
		if below > 0 {
			of.filter += fmt.Sprintf(" && ret < %d", below)
		}
		all = append(all, of)
		below = least
	}
	return all, nil
}

// setFilter has the kernel pass over what the event's filter does not name.
func (s eventSpec) setFilter(fd int) error {
	if s.filter == "" {
		return nil
	}
	text, err := unix.BytePtrFromString(s.filter)
	if err != nil {
		return err
	}
	return os.NewSyscallError("ioctl SET_FILTER", ioctlPointer(fd, unix.PERF_EVENT_IOC_SET_FILTER, text))
}
