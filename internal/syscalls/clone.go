package syscalls

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

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
