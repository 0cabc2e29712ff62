package syscalls

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socketType writes the type of a socket and its flags.
func socketType(c *Call, v uint64) {
	const types = 0xf
	v = uint64(uint32(v))
	name := nameOf(socketTypes, v&types)
	if name == "" {
		c.flags(socketFlags, v, "SOCK_???")
		return
	}
	c.str(name)
	if v &^= types; v != 0 {
		c.str("|")
		c.flags(socketFlags, v, "SOCK_???")
	}
}

// protocol writes the protocol of a socket, whose name depends on the family.
func protocol(c *Call, v uint64) {
	switch c.arg(0) {
	case unix.AF_INET, unix.AF_INET6:
		c.number(ipProtocols, uint64(uint32(v)), "IPPROTO_???")
	case unix.AF_NETLINK:
		c.number(netlinkProtocols, uint64(uint32(v)), "NETLINK_???")
	default:
		c.uns(uint64(uint32(v)))
	}
}

// addressOf is an address whose length is in another argument.
func addressOf(arg int) decoder {
	return func(c *Call, addr uint64) { c.socketAddress(addr, uint64(max(int32(c.arg(arg)), 0))) }
}

// addressFilled is one that the kernel filled, with the length in memory where another argument points to.
func addressFilled(arg int) decoder {
	return func(c *Call, addr uint64) {
		now, ok := get[uint32](c, c.arg(arg))
		if !ok || addr == 0 {
			c.address(addr)
			return
		}
		c.socketAddress(addr, uint64(min(now, c.size)))
	}
}

// lengthOf is that length, as it was and as the kernel left it where that differs, of what another argument points to.
func lengthOf(arg int) decoder {
	return func(c *Call, addr uint64) {
		now, ok := get[uint32](c, addr)
		if !c.exiting() {
			c.size = now
		}
		if !ok || c.arg(arg) == 0 {
			c.address(addr)
			return
		}
		c.str("[")
		c.dec(int64(int32(c.size)))
		if c.exiting() && !c.failed() && now != c.size {
			c.str(" => ")
			c.dec(int64(int32(now)))
		}
		c.str("]")
	}
}

// mostAddress is as long as an address can be; mostUnix one of AF_UNIX.
const mostAddress, mostUnix = 128, 2 + 108

// socketAddress writes an address of a socket.
func (c *Call) socketAddress(addr, size uint64) {
	if addr == 0 {
		c.str("NULL")
		return
	}
	size = min(size, mostAddress)
	if size < 2 {
		c.address(addr)
		return
	}
	var room [mostAddress]byte
	if c.read(c.bytes(size), addr) < int(size) {
		c.address(addr)
		return
	}
	b := room[:copy(room[:], c.bytes(size))]
	family := uint64(binary.LittleEndian.Uint16(b))
	c.str("{sa_family=")
	c.number(families, family, "AF_???")
	port := func(name string) {
		c.str(name)
		c.str("htons(")
		c.uns(uint64(binary.BigEndian.Uint16(b[2:])))
		c.str(")")
	}
	switch {
	case size == 2:
	case family == unix.AF_UNIX:
		path := b[2:min(len(b), mostUnix)]
		c.str(", sun_path=")
		if path[0] == 0 {
			c.str("@")
			c.quoted(path[1:])
			break
		}
		path, _, _ = bytes.Cut(path, []byte{0})
		c.quoted(path)
	case family == unix.AF_INET && size >= 16:
		port(", sin_port=")
		c.str(`, sin_addr=inet_addr("`)
		c.text = netip.AddrFrom4([4]byte(b[4:8])).AppendTo(c.text)
		c.str(`")`)
	case family == unix.AF_INET6 && size >= 24:
		port(", sin6_port=")
		c.str(", sin6_flowinfo=htonl(")
		c.uns(uint64(binary.BigEndian.Uint32(b[4:])))
		c.str(`), inet_pton(AF_INET6, "`)
		c.text = netip.AddrFrom16([16]byte(b[8:24])).AppendTo(c.text)
		c.str(`", &sin6_addr)`)
		if size >= 28 {
			c.str(", sin6_scope_id=")
			c.uns(uint64(binary.LittleEndian.Uint32(b[24:])))
		}
	case family == unix.AF_NETLINK && size >= 12:
		c.str(", nl_pid=")
		c.dec(int64(int32(binary.LittleEndian.Uint32(b[4:]))))
		c.str(", nl_groups=")
		groups := binary.LittleEndian.Uint32(b[8:])
		if groups != 0 {
			c.str("0x")
		}
		const digits = "0123456789abcdef"
		for i := 28; i >= 0; i -= 4 {
			c.text = append(c.text, digits[groups>>i&15])
		}
	default:
		c.str(", sa_data=")
		c.quoted(b[2:])
	}
	c.str("}")
}

// level writes the level of a socket's option.
func level(c *Call, v uint64) { c.number(socketLevels, uint64(uint32(v)), "SOL_??") }

// option writes the option of a level.
func option(c *Call, v uint64) {
	v = uint64(uint32(v))
	switch c.arg(1) {
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
	if c.arg(1) == unix.SOL_SOCKET {
		switch c.arg(2) {
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
	switch size {
	case 0:
		c.address(addr)
		return
	case 4:
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
	if !ok {
		c.address(addr)
		return
	}
	c.optionValue(addr, uint64(size))
}

// A message is the kernel's msghdr.
type message struct {
	name         uint64
	nameLength   uint32
	_            uint32
	iov, iovs    uint64
	control      uint64
	controlBytes uint64
	flags        uint32
	_            uint32
}

// sent is the message of sendmsg.
func sent(c *Call, addr uint64) {
	v, ok := get[message](c, addr)
	if !ok {
		c.address(addr)
		return
	}
	c.message(v, everything, uint64(v.nameLength))
}

// got is the message of recvmsg: its name's length is known at the entry.
func got(c *Call, addr uint64) {
	v, ok := get[message](c, addr)
	if !c.exiting() {
		c.size = v.nameLength
		return
	}
	if !ok {
		c.address(addr)
		return
	}
	if c.failed() {
		c.str("{msg_namelen=")
		c.dec(int64(int32(v.nameLength)))
		c.str("}")
		return
	}
	c.message(v, uint64(c.result), uint64(c.size))
}

// message writes a message; no more than left bytes of it are shown.
func (c *Call) message(v message, left, before uint64) {
	c.str("{msg_name=")
	c.socketAddress(v.name, min(uint64(v.nameLength), before))
	c.str(", msg_namelen=")
	c.dec(int64(int32(before)))
	if uint64(v.nameLength) != before {
		c.str(" => ")
		c.dec(int64(int32(v.nameLength)))
	}
	c.str(", msg_iov=")
	c.vectors(v.iov, v.iovs, left)
	c.str(", msg_iovlen=")
	c.uns(v.iovs)
	if v.controlBytes > 0 {
		c.str(", msg_control=")
		c.controls(v.control, v.controlBytes)
	}
	c.str(", msg_controllen=")
	c.uns(v.controlBytes)
	c.str(", msg_flags=")
	c.flags(messageFlags, uint64(v.flags), "MSG_???")
	c.str("}")
}

// A controlHeader precedes each piece of control data.
type controlHeader struct {
	size        uint64
	level, kind uint32
}

// controls writes control data.
func (c *Call) controls(addr, size uint64) {
	const header = uint64(unsafe.Sizeof(controlHeader{}))
	if addr == 0 || size < header {
		c.address(addr)
		return
	}
	for at, n := uint64(0), uint64(0); at+header <= size; n++ {
		h, ok := get[controlHeader](c, addr+at)
		switch {
		case !ok && n == 0:
			c.address(addr)
			return
		case n == 0:
			c.str("[")
		default:
			c.str(", ")
		}
		if !ok || n == c.elementsLimit() {
			c.str("...")
			break
		}
		c.str("{cmsg_len=")
		c.uns(h.size)
		c.str(", cmsg_level=")
		level(c, uint64(h.level))
		c.str(", cmsg_type=")
		if h.level == unix.SOL_SOCKET {
			c.number(controlTypes, uint64(h.kind), "SCM_???")
		} else {
			c.hex(uint64(h.kind))
		}
		if data := min(h.size, size-at); data > header {
			c.str(", cmsg_data=")
			c.control(h, addr+at+header, data-header)
		}
		c.str("}")
		if h.size < header {
			break
		}
		at += (min(h.size, size) + 7) &^ 7
	}
	c.str("]")
}

// control writes a piece of control data.
func (c *Call) control(h controlHeader, addr, size uint64) {
	switch {
	case h.level == unix.SOL_SOCKET && h.kind == unix.SCM_RIGHTS:
		array(c, addr, size/4, func(c *Call, v int32) { c.dec(int64(v)) })
	case h.level == unix.SOL_SOCKET && h.kind == unix.SCM_CREDENTIALS && size >= 12:
		v, ok := get[[3]uint32](c, addr)
		if !ok {
			c.address(addr)
			return
		}
		c.credentials(v)
	default:
		c.buffer(addr, size, (*Call).hexed)
	}
}

// A manyMessage is the kernel's mmsghdr.
type manyMessage struct {
	message
	sent uint32
	_    uint32
}

// sentMany are the messages of sendmmsg; the kernel writes how much of each it sent.
func sentMany(c *Call, addr uint64) {
	left := max(c.result, 0)
	array(c, addr, uint64(uint32(c.arg(2))), func(c *Call, v manyMessage) {
		c.str("{msg_hdr=")
		c.message(v.message, everything, uint64(v.nameLength))
		if left > 0 {
			c.str(", msg_len=")
			c.uns(uint64(v.sent))
			left--
		}
		c.str("}")
	})
}
