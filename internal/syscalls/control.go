package syscalls

import "golang.org/x/sys/unix"

// fcntlArgument is what the third argument of fcntl is.
func fcntlArgument(c *Call, v uint64) {
	switch c.num(1) {
	case unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_SETPIPE_SZ, unix.F_SETOWN:
		signed(c, v)
	case unix.F_SETFD:
		c.flags(fdFlags, uint64(uint32(v)), "FD_???")
	case unix.F_SETFL:
		opened(c, v)
	case unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_SETLK, unix.F_OFD_SETLKW:
		fileLock(c, v)
	case unix.F_GETLK, unix.F_OFD_GETLK:
		fileLock(c, v)
	case unix.F_SETLEASE:
		c.number(lockTypes, v, "F_???")
	case unix.F_ADD_SEALS:
		c.flags(sealFlags, v, "F_SEAL_???")
	case unix.F_SETSIG:
		signal(c, v)
	default:
		c.hex(v)
	}
}

// fcntlHasArgument is false for what only asks.
func fcntlHasArgument(c *Call) bool {
	switch c.num(1) {
	case unix.F_GETFD, unix.F_GETFL, unix.F_GETOWN, unix.F_GETSIG, unix.F_GETLEASE, unix.F_GETPIPE_SZ, unix.F_GET_SEALS:
		return false
	}
	return true
}

// A flock is the kernel's structure of a lock.
var fileLock = pointed(func(c *Call, v unix.Flock_t) {
	c.str("{l_type=")
	c.number(lockTypes, uint64(uint16(v.Type)), "F_???")
	c.str(", l_whence=")
	c.number(whences, uint64(uint16(v.Whence)), "SEEK_???")
	c.str(", l_start=")
	c.dec(v.Start)
	c.str(", l_len=")
	c.dec(v.Len)
	if c.num(1) == unix.F_GETLK || c.num(1) == unix.F_OFD_GETLK {
		c.str(", l_pid=")
		c.dec(int64(v.Pid))
	}
	c.str("}")
})

// fcntlResult says what the flags of the result are.
func fcntlResult(c *Call) {
	text := len(c.text)
	switch c.num(1) {
	case unix.F_DUPFD, unix.F_DUPFD_CLOEXEC:
		c.as = asDescriptor
	case unix.F_GETFD:
		c.as = inHex
		if c.result != 0 {
			c.str("flags ")
			c.flags(fdFlags, uint64(c.result), "FD_???")
		}
	case unix.F_GETFL:
		c.as = inHex
		c.str("flags ")
		opened(c, uint64(c.result))
	case unix.F_GET_SEALS:
		c.as = inHex
		if c.result != 0 {
			c.str("seals ")
			c.flags(sealFlags, uint64(c.result), "F_SEAL_???")
		}
	case unix.F_GETLEASE:
		c.number(lockTypes, uint64(c.result), "F_???")
	case unix.F_GETSIG:
		signal(c, uint64(c.result))
	}
	c.toExtra(text)
}

// toExtra makes what has been written from an offset on a part of the result.
func (c *Call) toExtra(from int) {
	c.extra = append(c.extra, c.text[from:]...)
	c.text = c.text[:from]
}

// request writes the request of ioctl, in its parts where it has no name.
func request(c *Call, v uint64) {
	v = uint64(uint32(v))
	if name := nameOf(ioctls, v); name != "" {
		c.str(name)
		return
	}
	c.str("_IOC(")
	switch v >> 30 {
	case 0:
		c.str("_IOC_NONE")
	case 1:
		c.str("_IOC_WRITE")
	case 2:
		c.str("_IOC_READ")
	case 3:
		c.str("_IOC_READ|_IOC_WRITE")
	}
	for _, part := range []uint64{v >> 8 & 0xff, v & 0xff, v >> 16 & 0x3fff} {
		c.str(", ")
		c.hex(part)
	}
	c.str(")")
}

// ioctlHasArgument is false for requests without any.
func ioctlHasArgument(c *Call) bool {
	switch c.num(1) {
	case unix.TIOCNOTTY, unix.TIOCEXCL, unix.TIOCNXCL, fioclex, fionclex:
		return false
	}
	return true
}

// ioctlArgument is what the request's argument points to.
func ioctlArgument(c *Call, v uint64) {
	request := c.num(1)
	switch request {
	case fionread, unix.TIOCOUTQ, unix.TIOCGPGRP, unix.TIOCGSID, unix.TIOCGPTN:
		c.answered(v, intAt)
	case fionbio, fioasync, unix.TIOCSPGRP, unix.TIOCSPTLCK:
		c.asked(v, intAt)
	case unix.TIOCGWINSZ:
		c.answered(v, windowSize)
	case unix.TIOCSWINSZ:
		c.asked(v, windowSize)
	case unix.TCGETS:
		c.answered(v, terminal)
	case unix.TCSETS, unix.TCSETSW, unix.TCSETSF:
		c.asked(v, terminal)
	case unix.TIOCSCTTY, unix.TCSBRK, unix.TCXONC, unix.TCFLSH, unix.FICLONE:
		signed(c, v)
	default:
		c.hex(v)
	}
}

// answered writes at the exit what the kernel filled.
func (c *Call) answered(v uint64, d decoder) {
	switch {
	case !c.exiting():
		c.later = true
	case c.failed():
		c.address(v)
	default:
		d(c, v)
	}
}

// asked writes at the exit what stood there at the entry.
func (c *Call) asked(v uint64, d decoder) {
	if !c.exiting() {
		d(c, v)
		return
	}
	c.text = append(c.text, c.last...)
}

var windowSize = pointed(func(c *Call, v unix.Winsize) {
	for _, f := range []struct {
		name string
		v    uint16
	}{{"{ws_row=", v.Row}, {", ws_col=", v.Col}, {", ws_xpixel=", v.Xpixel}, {", ws_ypixel=", v.Ypixel}} {
		c.str(f.name)
		c.uns(uint64(f.v))
	}
	c.str("}")
})
