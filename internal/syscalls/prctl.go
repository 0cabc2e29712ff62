package syscalls

import "golang.org/x/sys/unix"

// prctlArgs is how many arguments an option of prctl has, the option too.
func prctlArgs(c *Call) int {
	switch c.num(0) {
	case unix.PR_GET_DUMPABLE, unix.PR_GET_KEEPCAPS, unix.PR_GET_SECCOMP, unix.PR_GET_TIMERSLACK, unix.PR_GET_TIMING,
		unix.PR_GET_SECUREBITS, unix.PR_TASK_PERF_EVENTS_DISABLE, unix.PR_TASK_PERF_EVENTS_ENABLE:
		return 1
	case unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_PDEATHSIG, unix.PR_GET_PDEATHSIG, unix.PR_SET_DUMPABLE,
		unix.PR_SET_KEEPCAPS, unix.PR_CAPBSET_READ, unix.PR_CAPBSET_DROP, unix.PR_SET_CHILD_SUBREAPER,
		unix.PR_GET_CHILD_SUBREAPER, unix.PR_SET_TIMERSLACK, unix.PR_SET_PTRACER, unix.PR_SET_TIMING, unix.PR_GET_TSC, unix.PR_SET_TSC,
		unix.PR_SET_SECUREBITS, unix.PR_GET_TID_ADDRESS, unix.PR_GET_FPEXC, unix.PR_SET_FPEXC, unix.PR_GET_ENDIAN, unix.PR_SET_ENDIAN,
		unix.PR_GET_UNALIGN, unix.PR_SET_UNALIGN, unix.PR_GET_FPEMU, unix.PR_SET_FPEMU:
		return 2
	case unix.PR_SET_SECCOMP:
		return 3
	}
	return 5
}

// prctlHas reports whether prctl has the argument.
func prctlHas(arg int) func(c *Call) bool {
	return func(c *Call) bool { return arg < prctlArgs(c) }
}

// prctlArgument is the second argument of prctl.
func prctlArgument(c *Call, v uint64) {
	switch c.num(0) {
	case unix.PR_SET_NAME:
		c.asked(v, func(c *Call, v uint64) { c.upTo(v, 15) })
	case unix.PR_GET_NAME:
		c.answered(v, func(c *Call, v uint64) { c.upTo(v, 15) })
	case unix.PR_SET_PDEATHSIG:
		signal(c, v)
	case unix.PR_GET_PDEATHSIG:
		c.answered(v, pointed(func(c *Call, v uint32) { c.str("["); signal(c, uint64(v)); c.str("]") }))
	case unix.PR_GET_CHILD_SUBREAPER:
		c.answered(v, intAt)
	case unix.PR_GET_TID_ADDRESS:
		c.answered(v, pointerAt)
	case unix.PR_SET_DUMPABLE:
		c.number(dumpable, v, "SUID_DUMP_???")
	case unix.PR_SET_CHILD_SUBREAPER, unix.PR_SET_KEEPCAPS, unix.PR_SET_NO_NEW_PRIVS, unix.PR_SET_TIMERSLACK, unix.PR_SET_THP_DISABLE:
		c.uns(v)
	case unix.PR_CAPBSET_READ, unix.PR_CAPBSET_DROP:
		c.number(capabilities, v, "CAP_???")
	case unix.PR_SET_SECCOMP:
		c.number(seccompModes, v, "SECCOMP_MODE_???")
	default:
		c.hex(v)
	}
}

// prctlMore is any later argument of prctl.
func prctlMore(c *Call, v uint64) {
	switch c.num(0) {
	case unix.PR_SET_NO_NEW_PRIVS, unix.PR_GET_NO_NEW_PRIVS, unix.PR_SET_THP_DISABLE, unix.PR_GET_THP_DISABLE:
		c.uns(v)
	default:
		c.hex(v)
	}
}

// archArgument is the second argument of arch_prctl.
func archArgument(c *Call, v uint64) {
	switch c.num(0) {
	case archGetFs, archGetGs:
		c.answered(v, pointerAt)
	default:
		c.address(v)
	}
}

// capHeader is the structure that says whose capabilities are meant.
var capHeader = pointed(func(c *Call, v unix.CapUserHeader) {
	c.str("{version=")
	c.number(capabilityVersions, uint64(v.Version), "_LINUX_CAPABILITY_VERSION_???")
	c.str(", pid=")
	c.dec(int64(v.Pid))
	c.str("}")
})

// capData are the capabilities, of 64 bits since the second version.
func capData(c *Call, addr uint64) {
	h, ok := get[unix.CapUserHeader](c, c.arg(0))
	if addr == 0 || !ok {
		c.address(addr)
		return
	}
	var v [6]uint32
	if h.Version != unix.LINUX_CAPABILITY_VERSION_2 && h.Version != unix.LINUX_CAPABILITY_VERSION_3 {
		var few [3]uint32
		few, ok = get[[3]uint32](c, addr)
		copy(v[:], few[:])
	} else {
		v, ok = get[[6]uint32](c, addr)
	}
	if !ok {
		c.address(addr)
		return
	}
	for i, name := range []string{"{effective=", ", permitted=", ", inheritable="} {
		c.str(name)
		c.capabilitySet(uint64(v[i+3])<<32 | uint64(v[i]))
	}
	c.str("}")
}

// capabilitySet writes a set of capabilities.
func (c *Call) capabilitySet(set uint64) {
	if set == 0 {
		c.str("0")
		return
	}
	from := len(c.text)
	for _, one := range capabilities {
		if bit := uint64(1) << one.value; set&bit != 0 {
			if len(c.text) > from {
				c.str("|")
			}
			c.str("1<<")
			c.str(one.name)
			set &^= bit
		}
	}
	if set != 0 {
		if len(c.text) > from {
			c.str("|")
		}
		c.hex(set)
	}
}

// seccompArgument is the filter's program.
func seccompArgument(c *Call, addr uint64) {
	if c.num(0) != unix.SECCOMP_SET_MODE_FILTER {
		c.address(addr)
		return
	}
	filterProgram(c, addr)
}

// filterProgram is the kernel's structure.
var filterProgram = pointed(func(c *Call, v [2]uint64) {
	c.str("{len=")
	c.uns(v[0] & 0xffff)
	c.str(", filter=")
	c.address(v[1])
	c.str("}")
})

// seccompFlags are those of a filter; other operations have none.
func seccompFlags(c *Call, v uint64) {
	if c.num(0) != unix.SECCOMP_SET_MODE_FILTER {
		hexadecimal32(c, v)
		return
	}
	c.flags(seccompFilterFlags, uint64(uint32(v)), "SECCOMP_FILTER_FLAG_???")
}
