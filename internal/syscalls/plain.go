package syscalls

// Numbers of the sizes that the kernel takes from a register.

func hexadecimal(c *Call, v uint64) { c.hex(v) }
func pointer(c *Call, v uint64)     { c.address(v) }
func signed(c *Call, v uint64)      { c.dec(int64(int32(v))) }
func signed64(c *Call, v uint64)    { c.dec(int64(v)) }
func unsigned(c *Call, v uint64)    { c.uns(uint64(uint32(v))) }
func unsigned64(c *Call, v uint64)  { c.uns(v) }
func hexadecimal32(c *Call, v uint64) {
	c.hex(uint64(uint32(v)))
}
func mode(c *Call, v uint64) { c.text = appendMode(c.text, uint64(uint16(v))) }

// id writes a user or group; -1 stands for none.
func id(c *Call, v uint64) {
	if uint32(v) == ^uint32(0) {
		c.str("-1")
		return
	}
	unsigned(c, v)
}

// oneOf is a decoder of a number of 32 bits that has a name.
func oneOf(table []constant, unknown string) decoder {
	return func(c *Call, v uint64) { c.number(table, uint64(uint32(v)), unknown) }
}

// flagsOf is a decoder of flags of 32 bits.
func flagsOf(table []constant, unknown string) decoder {
	return func(c *Call, v uint64) { c.flags(table, uint64(uint32(v)), unknown) }
}

// flags64 is a decoder of flags of 64 bits.
func flags64(table []constant, unknown string) decoder {
	return func(c *Call, v uint64) { c.flags(table, v, unknown) }
}

// Decoders of what pointers point to.
var (
	intAt     = pointed(func(c *Call, v int32) { c.str("["); c.dec(int64(v)); c.str("]") })
	unsAt     = pointed(func(c *Call, v uint32) { c.str("["); c.uns(uint64(v)); c.str("]") })
	idAt      = pointed(func(c *Call, v uint32) { c.str("["); id(c, uint64(v)); c.str("]") })
	offsetAt  = pointed(func(c *Call, v int64) { c.str("["); c.dec(v); c.str("]") })
	pointerAt = pointed(func(c *Call, v uint64) { c.str("["); c.address(v); c.str("]") })
	sizeAt    = pointed(func(c *Call, v uint64) { c.str("["); c.uns(v); c.str("]") })
	pairAt    = pointed(func(c *Call, v [2]int32) { c.str("["); c.dec(int64(v[0])); c.str(", "); c.dec(int64(v[1])); c.str("]") })
)

// moved writes an offset in memory that the kernel advances: [0] => [10], which it does if it moves anything.
func moved(c *Call, addr uint64) {
	if !c.exiting() {
		sizeAt(c, addr)
		return
	}
	c.text = append(c.text, c.last...)
	if now, ok := get[uint64](c, addr); ok && !c.failed() && c.result > 0 {
		c.str(" => ")
		c.str("[")
		c.uns(now)
		c.str("]")
	}
}

// counted is a comment like 20 vars.
func (c *Call) counted(n uint64, thing string) {
	c.uns(n)
	c.str(" ")
	c.str(thing)
	if n != 1 {
		c.str("s")
	}
}
