package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mayProbe reports whether the kernel may be asked to count calls: CAP_PERFMON, or CAP_SYS_ADMIN.
func mayProbe() bool {
	if _, err := os.Stat("/sys/bus/event_source/devices/uprobe/type"); err != nil {
		return false
	}
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	_, field, _ := strings.Cut(string(text), "\nCapEff:")
	field, _, _ = strings.Cut(field, "\n")
	bits, _ := strconv.ParseUint(strings.TrimSpace(field), 16, 64)
	return bits>>unix.CAP_PERFMON&1 == 1 || bits>>unix.CAP_SYS_ADMIN&1 == 1
}

// askEvents finds out whether page faults can be counted in the program.
func askEvents(p *session, _ *target, r *rights) (err error) {
	if !sendsEvents() {
		old := verdict("that takes Linux 5.19 or later")
		r.events = &old
		return nil
	}
	r.events, err = checked(false)
	return err
}

// sendsEvents reports whether the kernel can signal the thread itself that an event is of: from 5.19 on.
func sendsEvents() bool {
	var uts unix.Utsname
	var major, minor int
	if err := unix.Uname(&uts); err != nil {
		return false
	}
	if n, _ := fmt.Sscanf(unix.ByteSliceToString(uts.Release[:]), "%d.%d", &major, &minor); n != 2 {
		return false
	}
	return major > 5 || major == 5 && minor >= 19
}

// askCounters finds out whether the kernel may be asked to sample.
func askCounters(p *session, _ *target, r *rights) (err error) {
	r.counters, err = checked(p.options.kernel)
	return err
}

// checked is what pct-ring says of the kernel's permission.
func checked(kernelToo bool) (*verdict, error) {
	ring, err := find("pct-ring")
	if err != nil {
		return nil, err
	}
	args := []string{"-as", "profile", "-check"}
	if kernelToo {
		args = append(args, "-k")
	}
	cmd := exec.Command(ring, args...)
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	why := verdict(bytes.TrimSpace(said))
	if err != nil && why == "" {
		why = verdict("pct-ring: " + err.Error())
	}
	return &why, nil
}

// secret reports whether a program may be executed but not read: what it does then is shown to no other process.
func secret(name string) bool {
	path, err := exec.LookPath(name)
	if err != nil {
		return false
	}
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && unix.Faccessat(unix.AT_FDCWD, path, unix.R_OK, unix.AT_EACCESS) != nil
}
