package syscalls

import "golang.org/x/sys/unix"

// level writes the level of a socket's option.
func level(c *Call, v uint64) { c.number(socketLevels, uint64(uint32(v)), "SOL_??") }

// option writes the option of a level.
func option(c *Call, v uint64) {
	v = uint64(uint32(v))
	switch c.num(1) {
	case unix.SOL_SOCKET:
		c.number(socketOptions, v, "SO_???")
	case unix.SOL_IP:
		c.number(ipOptions, v, "IP_???")
	case unix.SOL_IPV6:
		c.number(ipv6Options, v, "IPV6_???")
	case unix.SOL_TCP:
		c.number(tcpOptions, v, "TCP_???")
	default:
		c.uns(v)
	}
}

// optionValue writes the value of an option of so many bytes.
func (c *Call) optionValue(addr, size uint64) {
	if addr == 0 {
		c.str("NULL")
		return
	}
	if c.num(1) == unix.SOL_SOCKET {
		switch c.num(2) {
		case unix.SO_LINGER:
			if v, ok := get[[2]int32](c, addr); ok && size >= 8 {
				c.str("{l_onoff=")
				c.dec(int64(v[0]))
				c.str(", l_linger=")
				c.dec(int64(v[1]))
				c.str("}")
				return
			}
		case unix.SO_PEERCRED:
			if v, ok := get[[3]uint32](c, addr); ok && size >= 12 {
				c.credentials(v)
				return
			}
		case unix.SO_RCVTIMEO, unix.SO_SNDTIMEO:
			if size >= 16 {
				timevalAt(c, addr)
				return
			}
		}
	}
	if size == 4 {
		intAt(c, addr)
		return
	}
	c.buffer(addr, size, (*Call).quoted)
}

func (c *Call) credentials(v [3]uint32) {
	c.str("{pid=")
	c.dec(int64(int32(v[0])))
	c.str(", uid=")
	id(c, uint64(v[1]))
	c.str(", gid=")
	id(c, uint64(v[2]))
	c.str("}")
}

// optionSet is the value of setsockopt.
func optionSet(c *Call, addr uint64) { c.optionValue(addr, uint64(uint32(c.arg(4)))) }

// optionGot is that of getsockopt.
func optionGot(c *Call, addr uint64) {
	size, ok := get[uint32](c, c.arg(4))
	if !ok || size == 0 {
		c.address(addr)
		return
	}
	c.optionValue(addr, uint64(size))
}
