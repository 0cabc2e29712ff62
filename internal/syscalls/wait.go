package syscalls

import "golang.org/x/sys/unix"

// waited writes the status of a child that ended or stopped.
var waited = pointed(func(c *Call, v int32) {
	c.str("[")
	s := unix.WaitStatus(v)
	switch {
	case s.Exited():
		c.str("{WIFEXITED(s) && WEXITSTATUS(s) == ")
		c.dec(int64(s.ExitStatus()))
		c.str("}")
	case s.Continued():
		c.str("{WIFCONTINUED(s)}")
	case s.Stopped():
		c.str("{WIFSTOPPED(s) && WSTOPSIG(s) == ")
		if sig := uint64(s.StopSignal()); sig&0x80 != 0 {
			signal(c, sig&0x7f)
			c.str(" | 0x80")
		} else {
			signal(c, sig)
		}
		c.str("}")
	case s.Signaled():
		c.str("{WIFSIGNALED(s) && WTERMSIG(s) == ")
		signal(c, uint64(s.Signal()))
		if s.CoreDump() {
			c.str(" && WCOREDUMP(s)")
		}
		c.str("}")
	default:
		c.hex(uint64(uint32(v)))
		c.str("]")
		return
	}
	if event := uint64(uint32(v)) >> 16; event != 0 && !s.Continued() {
		c.str("|")
		c.number(ptraceEvents, event, "PTRACE_EVENT_???")
		c.str("<<16")
		if rest := uint64(v) & 0xff00; s.Signaled() && rest != 0 {
			c.str("|")
			c.hex(rest)
		}
	}
	c.str("]")
})

// ifResult is a decoder of what wait4 fills, which the kernel fills only if there was a child.
func ifResult(d decoder) decoder {
	return func(c *Call, v uint64) {
		if c.result == 0 {
			c.address(v)
			return
		}
		d(c, v)
	}
}

// usage is the structure of getrusage.
var usage = pointed(func(c *Call, v unix.Rusage) {
	c.str("{ru_utime=")
	c.timeval(v.Utime.Sec, v.Utime.Usec)
	c.str(", ru_stime=")
	c.timeval(v.Stime.Sec, v.Stime.Usec)
	c.str(", ...}")
})
