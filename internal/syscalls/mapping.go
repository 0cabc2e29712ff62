package syscalls

import "golang.org/x/sys/unix"

// mapped writes the flags of mmap.
func mapped(c *Call, v uint64) {
	v = uint64(uint32(v))
	if name := nameOf(mapTypes, v&unix.MAP_TYPE); name != "" {
		c.str(name)
	} else {
		c.hex(v & unix.MAP_TYPE)
		c.str(" /* MAP_??? */")
	}
	if v &^= unix.MAP_TYPE; v != 0 {
		if flags := v &^ hugeMask; flags != 0 {
			c.str("|")
			c.someFlags(mapFlags, flags)
		}
		if v&hugeMask != 0 {
			c.str("|")
			c.huge(v, "<<MAP_HUGE_SHIFT")
		}
	}
}

// hugeShift and hugeMask are where flags have the logarithm of a page's size.
const hugeShift, hugeMask = 26, 0x3f << 26

// huge writes that logarithm.
func (c *Call) huge(v uint64, shift string) {
	c.uns(v & hugeMask >> hugeShift)
	c.str(shift)
}

// memoryFlags are those of memfd_create.
func memoryFlags(c *Call, v uint64) {
	v = uint64(uint32(v))
	if flags := v &^ hugeMask; flags != 0 || v == 0 {
		c.flags(memfdFlags, flags, "MFD_???")
		if v == flags {
			return
		}
		c.str("|")
	}
	c.huge(v, "<<MFD_HUGE_SHIFT")
}

// movesTo reports whether mremap has a new address.
func movesTo(c *Call) bool {
	const to = unix.MREMAP_MAYMOVE | unix.MREMAP_FIXED
	return c.arg(3)&to == to
}
