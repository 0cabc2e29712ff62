package syscalls

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

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
		c.size, c.later = v.nameLength, true
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
