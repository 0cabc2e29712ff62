package syscalls

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// opened writes the flags of open.
func opened(c *Call, v uint64) {
	c.open(uint64(uint32(v)))
}

// open writes flags, of openat2 too, which has 64 bits of them.
func (c *Call) open(v uint64) {
	c.str(openModes[v&unix.O_ACCMODE].name)
	v &^= unix.O_ACCMODE
	if v == 0 {
		return
	}
	c.str("|")
	c.someFlags(openFlags, v)
}

// creates reports whether a call to open has a mode, in the flags of an argument.
func creates(arg int) func(c *Call) bool {
	return func(c *Call) bool { return c.arg(arg)&(unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY) != 0 }
}

// how writes the structure of openat2.
func how(c *Call, addr uint64) {
	v, ok := get[unix.OpenHow](c, addr)
	if !ok || c.arg(3) < 24 {
		c.address(addr)
		return
	}
	c.str("{flags=")
	c.open(v.Flags)
	if v.Mode != 0 || v.Flags&(unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY) != 0 {
		c.str(", mode=")
		c.text = appendMode(c.text, v.Mode)
	}
	c.str(", resolve=")
	c.flags(resolveFlags, v.Resolve, "RESOLVE_???")
	c.tail(addr, uint64(unsafe.Sizeof(v)), c.arg(3))
	c.str("}")
}

// tail writes what a structure has beyond the part that is known, unless it is zero.
func (c *Call) tail(addr, known, size uint64) {
	size = min(size, 4096)
	if size <= known {
		return
	}
	rest := c.bytes(size - known)
	if c.read(rest, addr+known) == len(rest) && bytes.Count(rest, []byte{0}) == len(rest) {
		return
	}
	c.str(", /* bytes ")
	c.uns(known)
	c.str("..")
	c.uns(size - 1)
	c.str(" */ ")
	c.buffer(addr+known, size-known, (*Call).hexed)
}

// written is a buffer whose length is in another argument.
func written(arg int) decoder {
	return func(c *Call, addr uint64) { c.buffer(addr, c.arg(arg), (*Call).quoted) }
}

// received is a buffer of which the kernel filled as much as it returned.
func received(c *Call, addr uint64) { c.buffer(addr, uint64(c.result), (*Call).quoted) }

// receivedUpTo is such a buffer where the kernel may return more than it filled: the length of a message that it cut.
func receivedUpTo(arg int) decoder {
	return func(c *Call, addr uint64) { c.buffer(addr, min(uint64(c.result), c.arg(arg)), (*Call).quoted) }
}

// drawn is such a buffer of random bytes.
func drawn(c *Call, addr uint64) { c.buffer(addr, uint64(c.result), (*Call).hexed) }

// ownPath writes the path of getcwd.
func ownPath(c *Call, addr uint64) {
	if c.result <= 0 {
		c.path(addr)
		return
	}
	c.upTo(addr, uint64(min(c.result-1, mostPath)))
}

// An iovec is a buffer of several.
type iovec struct{ base, size uint64 }

// vectors writes buffers; of all of them together, no more than left bytes are shown.
func (c *Call) vectors(addr, count, left uint64) {
	array(c, addr, count, func(c *Call, v iovec) {
		c.str("{iov_base=")
		size := v.size
		if left != everything {
			size = min(size, left)
			left -= size
		}
		if c.exiting() && c.failed() {
			c.address(v.base)
		} else {
			c.buffer(v.base, size, (*Call).quoted)
		}
		c.str(", iov_len=")
		c.uns(v.size)
		c.str("}")
	})
}

// everything is as much as the buffers have.
const everything = ^uint64(0)

// gathered are the buffers of writev.
func gathered(c *Call, addr uint64) { c.vectors(addr, c.arg(2), everything) }

// scattered are those of readv.
func scattered(c *Call, addr uint64) {
	if !c.exiting() {
		c.later = true
		return
	}
	c.vectors(addr, c.arg(2), uint64(max(c.result, 0)))
}

// fileMode writes a type of file and its mode; what has no known type in octal.
func (c *Call) fileMode(v uint64) {
	kind := v & unix.S_IFMT
	name := nameOf(fileTypes, kind)
	switch {
	case name != "":
		c.str(name)
		c.str("|")
		v &^= kind
	case kind != 0:
		c.text = appendMode(c.text, v)
		return
	}
	from := len(c.text)
	rest := c.named(specialModes, v)
	if len(c.text) > from {
		c.str("|")
	}
	c.text = appendMode(c.text, rest)
}

// device writes a device's numbers.
func (c *Call) device(v uint64) {
	c.numbers(uint64(unix.Major(v)), uint64(unix.Minor(v)))
}

func (c *Call) numbers(major, minor uint64) {
	c.str("makedev(")
	c.hex(major)
	c.str(", ")
	c.hex(minor)
	c.str(")")
}

// status is the structure of stat.
var status = pointed(func(c *Call, v unix.Stat_t) {
	c.str("{st_mode=")
	c.fileMode(uint64(v.Mode))
	switch v.Mode & unix.S_IFMT {
	case unix.S_IFCHR, unix.S_IFBLK:
		c.str(", st_rdev=")
		c.device(v.Rdev)
	default:
		c.str(", st_size=")
		c.uns(uint64(v.Size))
	}
	c.str(", ...}")
})

// statusX is that of statx.
var statusX = pointed(func(c *Call, v unix.Statx_t) {
	c.str("{stx_mask=")
	c.flags(statxMasks, uint64(v.Mask), "STATX_???")
	c.str(", stx_attributes=")
	c.flags(statxAttributes, v.Attributes, "STATX_ATTR_???")
	if v.Mask&(unix.STATX_TYPE|unix.STATX_MODE) != 0 {
		c.str(", stx_mode=")
		c.fileMode(uint64(v.Mode))
	}
	if v.Mask&unix.STATX_SIZE != 0 {
		c.str(", stx_size=")
		c.uns(v.Size)
	}
	c.str(", ...}")
})

// statfsFlagsValid says that the kernel is new enough to fill the flags.
const statfsFlagsValid = 0x20

// fileSystem is the structure of statfs.
var fileSystem = pointed(func(c *Call, v unix.Statfs_t) {
	c.str("{f_type=")
	c.plainNumber(magics, uint64(v.Type))
	for _, f := range []struct {
		name string
		v    uint64
	}{
		{"f_bsize", uint64(v.Bsize)}, {"f_blocks", v.Blocks}, {"f_bfree", v.Bfree}, {"f_bavail", v.Bavail},
		{"f_files", v.Files}, {"f_ffree", v.Ffree},
	} {
		c.str(", ")
		c.str(f.name)
		c.str("=")
		c.uns(f.v)
	}
	c.str(", f_fsid={val=[")
	c.hex(uint64(uint32(v.Fsid.Val[0])))
	c.str(", ")
	c.hex(uint64(uint32(v.Fsid.Val[1])))
	c.str("]}, f_namelen=")
	c.uns(uint64(v.Namelen))
	c.str(", f_frsize=")
	c.uns(uint64(v.Frsize))
	if v.Flags&statfsFlagsValid != 0 {
		c.str(", f_flags=")
		c.flags(fsFlags, uint64(v.Flags), "ST_???")
	}
	c.str("}")
})

// entries counts the entries of a directory in what getdents64 filled; each says how long it is.
func entries(c *Call, addr uint64) {
	const header, length = 19, 16 // of an entry without its name; where its length is
	c.address(addr)
	size := uint64(max(c.result, 0))
	if size > uint64(uint32(c.arg(2))) {
		return
	}
	c.str(" /* ")
	n, at := uint64(0), uint64(0)
	for at+header <= size {
		b := c.bytes(min(size-at, 4096))
		b = b[:max(c.read(b, addr+at), 0)]
		i := uint64(0)
		for i+header <= uint64(len(b)) {
			step := uint64(binary.LittleEndian.Uint16(b[i+length:]))
			if step < header || at+i+step > size {
				break
			}
			i += step
			n++
		}
		if i == 0 {
			break
		}
		at += i
	}
	c.uns(n)
	switch {
	case at != size:
		c.str("+ entries */")
	case n == 1:
		c.str(" entry */")
	default:
		c.str(" entries */")
	}
}

// statxFlags are those of statx, whose zero has a name.
func statxFlags(c *Call, v uint64) {
	const how = unix.AT_STATX_FORCE_SYNC | unix.AT_STATX_DONT_SYNC
	v = uint64(uint32(v))
	c.flags(statxSyncs, v&how, "")
	if v &^= how; v != 0 {
		c.str("|")
		c.someFlags(atFlags, v)
	}
}

// nodeMode is the type and mode of mknod.
func nodeMode(c *Call, v uint64) { c.fileMode(uint64(uint16(v))) }

// isDevice reports whether mknod makes a device, by the mode in an argument.
func isDevice(arg int) func(c *Call) bool {
	return func(c *Call) bool {
		kind := c.arg(arg) & unix.S_IFMT
		return kind == unix.S_IFCHR || kind == unix.S_IFBLK
	}
}

// deviceOf is a device's number.
func deviceOf(c *Call, v uint64) { c.device(uint64(uint32(v))) }

// memoryName is the name of memfd_create.
func memoryName(c *Call, addr uint64) { c.short(addr) }

// mountType is the file system of mount, which a change of what is mounted does not read.
func mountType(c *Call, addr uint64) {
	if c.arg(3)&(mountMoves|unix.MS_REMOUNT) != 0 {
		c.address(addr)
		return
	}
	c.short(addr)
}

// mountData is the data for the file system.
func mountData(c *Call, addr uint64) {
	if flags := c.arg(3); flags&mountMoves != 0 && flags&unix.MS_REMOUNT == 0 {
		c.address(addr)
		return
	}
	c.short(addr)
}

// mountMoves are the flags of a mount that is no new one.
const mountMoves = unix.MS_BIND | unix.MS_MOVE | unix.MS_UNBINDABLE | unix.MS_PRIVATE | unix.MS_SLAVE | unix.MS_SHARED
