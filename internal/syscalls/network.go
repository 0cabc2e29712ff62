package syscalls

import (
	"bytes"
	"encoding/binary"
	"net/netip"

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
	switch c.num(0) {
	case unix.AF_INET, unix.AF_INET6:
		c.number(ipProtocols, uint64(uint32(v)), "IPPROTO_???")
	case unix.AF_NETLINK:
		c.number(netlinkProtocols, uint64(uint32(v)), "NETLINK_???")
	default:
		c.uns(v)
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
		if !ok || int32(now) < 0 || int32(c.size) < 0 {
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
			c.size, c.later = now, true
			return
		}
		if !ok || c.arg(arg) == 0 {
			c.address(addr)
			return
		}
		c.str("[")
		c.dec(int64(int32(c.size)))
		if !c.failed() && now != c.size {
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
