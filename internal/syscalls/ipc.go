package syscalls

import "golang.org/x/sys/unix"

// key is the key of an object that processes share.
func key(c *Call, v uint64) {
	if uint32(v) == 0 {
		c.str("IPC_PRIVATE")
		return
	}
	hexadecimal32(c, v)
}

// withMode is a decoder of flags with a mode in the lowest bits.
func withMode(table []constant) decoder {
	return func(c *Call, v uint64) {
		const mode = 0o777
		v = uint64(uint32(v))
		if v&^mode != 0 {
			flags := v &^ mode
			if c.entry.Number == unix.SYS_SHMGET {
				flags &^= hugeMask
			}
			c.someFlags(table, flags)
			c.str("|")
			if v&^mode != flags {
				c.huge(v, "<<SHM_HUGE_SHIFT|")
			}
		}
		c.text = appendMode(c.text, v&mode)
	}
}

// membarrierHasCPU reports whether membarrier names a processor.
func membarrierHasCPU(c *Call) bool { return c.arg(1)&1 != 0 }

// membarrierResult names the commands that a query returns.
func membarrierResult(c *Call) {
	if c.num(0) != 0 || c.result == 0 {
		return
	}
	from := len(c.text)
	c.as = inHex
	c.flags(membarrierCommands, uint64(c.result), "MEMBARRIER_CMD_???")
	c.toExtra(from)
}
