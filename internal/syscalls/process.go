package syscalls

import (
	"bytes"
	"unsafe"

	"golang.org/x/sys/unix"
)

// words writes the arguments of a program.
func words(c *Call, addr uint64) {
	if addr == 0 {
		c.str("NULL")
		return
	}
	limit := c.elementsLimit()
	for i := uint64(0); ; i++ {
		p, ok := get[uint64](c, addr+i*8)
		switch {
		case !ok && i == 0:
			c.address(addr)
			return
		case !ok:
			c.str(", ... /* ")
			c.hex(addr + i*8)
			c.str(" */]")
			return
		case i == 0:
			c.str("[")
		}
		if p == 0 {
			break
		}
		if i == limit {
			c.str(", ...")
			break
		}
		if i > 0 {
			c.str(", ")
		}
		c.short(p)
	}
	c.str("]")
}

// environment counts the variables of a program.
func environment(c *Call, addr uint64) {
	c.address(addr)
	if addr == 0 {
		return
	}
	n := uint64(0)
	for {
		// Up to the end of a page at once: what is there can be read as a whole.
		at := addr + n*8
		b := c.bytes(min(4096, 4096-at%4096+at%8))
		words := uint64(max(c.read(b, at), 0)) / 8
		for i := range words {
			if c.scratch[i] == 0 {
				c.str(" /* ")
				c.counted(n+i, "var")
				c.str(" */")
				return
			}
		}
		n += words
		if words < uint64(len(b))/8 || words == 0 {
			break
		}
	}
	if n > 0 {
		c.str(" /* ")
		c.counted(n, "var")
		c.str(", unterminated */")
	}
}

// cloned writes the flags of clone, and the signal of the child's end that is among them.
func cloned(c *Call, v uint64) {
	const exitSignal = 0xff
	flags, sig := v&^exitSignal, v&exitSignal
	if flags != 0 || sig == 0 {
		c.flags(cloneFlags, flags, "CLONE_???")
	}
	if sig != 0 {
		if flags != 0 {
			c.str("|")
		}
		signal(c, sig)
	}
}

// hasClone reports whether clone has any of these flags.
func hasClone(flags uint64) func(c *Call) bool {
	return func(c *Call) bool { return c.arg(0)&flags != 0 }
}

// A cloneArgs is the structure of clone3.
type cloneArgs struct {
	Flags, Pidfd, ChildTID, ParentTID, ExitSignal, Stack, StackSize, TLS, SetTID, SetTIDSize, Cgroup uint64
}

// clone3 writes the structure of clone3, and at the exit what the kernel wrote where that says.
func clone3(c *Call, addr uint64) {
	size := c.arg(1)
	v, ok := cloneArgs{}, false
	if size >= 64 {
		v, ok = cloneArguments(c, addr, size)
	}
	if !ok {
		c.address(addr)
		return
	}
	if c.exiting() {
		c.text = append(c.text, c.last...)
		c.cloneAnswer(v)
		return
	}
	c.str("{flags=")
	c.flags(clone3Flags, v.Flags, "CLONE_???")
	if v.Flags&unix.CLONE_PIDFD != 0 {
		c.str(", pidfd=")
		c.address(v.Pidfd)
	}
	if v.Flags&(unix.CLONE_CHILD_CLEARTID|unix.CLONE_CHILD_SETTID) != 0 {
		c.str(", child_tid=")
		c.address(v.ChildTID)
	}
	if v.Flags&unix.CLONE_PARENT_SETTID != 0 {
		c.str(", parent_tid=")
		c.address(v.ParentTID)
	}
	c.str(", exit_signal=")
	if v.ExitSignal > 64 {
		c.uns(v.ExitSignal)
	} else {
		signal(c, v.ExitSignal)
	}
	c.str(", stack=")
	c.address(v.Stack)
	c.str(", stack_size=")
	c.hex(v.StackSize)
	if v.Flags&unix.CLONE_SETTLS != 0 {
		c.str(", tls=")
		c.address(v.TLS)
	}
	if v.SetTID != 0 || v.SetTIDSize != 0 {
		c.str(", set_tid=")
		if v.SetTIDSize == 0 || v.SetTIDSize > mostSetTID {
			c.address(v.SetTID)
		} else {
			array(c, v.SetTID, v.SetTIDSize, func(c *Call, v int32) { c.dec(int64(v)) })
		}
		c.str(", set_tid_size=")
		c.uns(v.SetTIDSize)
	}
	if v.Flags&unix.CLONE_INTO_CGROUP != 0 || v.Cgroup != 0 {
		c.str(", cgroup=")
		c.uns(v.Cgroup)
	}
	c.tail(addr, uint64(unsafe.Sizeof(v)), size)
	c.str("}")
}

// mostSetTID is how deep namespaces of processes can be.
const mostSetTID = 32

// cloneArguments reads as much of the structure as the program's version has.
func cloneArguments(c *Call, addr, size uint64) (v cloneArgs, ok bool) {
	size = min(size, 88)
	clear(c.scratch[:11])
	if c.read(c.bytes(size), addr) < int(size) {
		return v, false
	}
	s := &c.scratch
	return cloneArgs{s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10]}, true
}

// cloneAnswer writes what clone3 told the parent.
func (c *Call) cloneAnswer(v cloneArgs) {
	if c.failed() {
		return
	}
	from := len(c.text)
	for _, a := range []struct {
		flag, addr uint64
		name       string
	}{{unix.CLONE_PIDFD, v.Pidfd, "pidfd="}, {unix.CLONE_PARENT_SETTID, v.ParentTID, "parent_tid="}} {
		if v.Flags&a.flag == 0 {
			continue
		}
		if len(c.text) == from {
			c.str(" => {")
		} else {
			c.str(", ")
		}
		c.str(a.name)
		intAt(c, a.addr)
	}
	if len(c.text) > from {
		c.str("}")
	}
}

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

// limit writes one value of a limit.
func (c *Call) limit(v uint64, infinity string) {
	switch {
	case v == ^uint64(0):
		c.str(infinity)
	case v > 1024 && v%1024 == 0:
		c.uns(v / 1024)
		c.str("*1024")
	default:
		c.uns(v)
	}
}

// limitsAs is the structure of a limit.
func limitsAs(infinity string) decoder {
	return pointed(func(c *Call, v unix.Rlimit) {
		c.str("{rlim_cur=")
		c.limit(v.Cur, infinity)
		c.str(", rlim_max=")
		c.limit(v.Max, infinity)
		c.str("}")
	})
}

// processors writes a set of processors; the length of it is what the call says, or returned.
func processors(c *Call, addr uint64) {
	const most = 128
	size := uint64(uint32(c.arg(1)))
	if c.exiting() {
		size = uint64(c.result)
	}
	b := c.bytes(min(size, most))
	if c.read(b, addr) < len(b) {
		c.address(addr)
		return
	}
	c.str("[")
	first := true
	for i := range len(b) * 8 {
		if b[i/8]>>(i%8)&1 == 0 {
			continue
		}
		if !first {
			c.str(" ")
		}
		first = false
		c.uns(uint64(i))
	}
	if size > most {
		if !first {
			c.str(" ")
		}
		c.str("...")
	}
	c.str("]")
}

// system is the structure of uname.
var system = pointed(func(c *Call, v unix.Utsname) {
	for _, f := range []struct {
		name string
		v    []byte
	}{{"{sysname=", v.Sysname[:]}, {", nodename=", v.Nodename[:]}} {
		c.str(f.name)
		text, _, whole := bytes.Cut(f.v, []byte{0})
		if whole {
			c.quoted(text)
			continue
		}
		c.quoted(text[:len(text)-1])
		c.str("...")
	}
	c.str(", ...}")
})

// groupsGot are the groups of getgroups, as many as it returned.
func groupsGot(c *Call, addr uint64) {
	if c.arg(0) == 0 {
		c.address(addr)
		return
	}
	array(c, addr, uint64(c.result), func(c *Call, v uint32) { id(c, uint64(v)) })
}

// groupsSet are those of setgroups.
func groupsSet(c *Call, addr uint64) {
	const most = 65536
	n := uint64(uint32(c.arg(0)))
	if n > most {
		c.address(addr)
		return
	}
	array(c, addr, n, func(c *Call, v uint32) { id(c, uint64(v)) })
}

// prctlResult names what a result stands for.
func prctlResult(c *Call) {
	from := len(c.text)
	if c.arg(0) == unix.PR_GET_DUMPABLE {
		c.number(dumpable, uint64(c.result), "SUID_DUMP_???")
	}
	c.toExtra(from)
}

// schedulerResult names a scheduling policy.
func schedulerResult(c *Call) {
	from := len(c.text)
	c.str(nameOf(schedulers, uint64(c.result)))
	c.toExtra(from)
}

// systemState is the structure of sysinfo.
var systemState = pointed(func(c *Call, v unix.Sysinfo_t) {
	c.str("{uptime=")
	c.dec(v.Uptime)
	c.str(", loads=[")
	for i, l := range v.Loads {
		if i > 0 {
			c.str(", ")
		}
		c.uns(l)
	}
	c.str("]")
	for _, f := range []struct {
		name string
		v    uint64
	}{
		{"totalram", v.Totalram}, {"freeram", v.Freeram}, {"sharedram", v.Sharedram}, {"bufferram", v.Bufferram},
		{"totalswap", v.Totalswap}, {"freeswap", v.Freeswap}, {"procs", uint64(v.Procs)}, {"totalhigh", v.Totalhigh},
		{"freehigh", v.Freehigh}, {"mem_unit", uint64(v.Unit)},
	} {
		c.str(", ")
		c.str(f.name)
		c.str("=")
		c.uns(f.v)
	}
	c.str("}")
})
