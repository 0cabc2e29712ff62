package syscalls

import (
	"bytes"

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
	if addr == 0 {
		c.str("NULL")
		return
	}
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
	if c.num(0) == 0 && c.result > 0 {
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
	if c.num(0) == unix.PR_GET_DUMPABLE {
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
	c.uns(uint64(v.Uptime))
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
