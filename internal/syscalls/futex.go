package syscalls

// futexCommands is the part of an operation that says what is done.
const futexCommands = 127

// futexCommand writes what futex is asked.
func futexCommand(c *Call, v uint64) {
	v = uint64(uint32(v))
	const flags = futexPrivateFlag | futexClockRealtime
	name := nameOf(futexOps, v&^flags)
	if name == "" {
		c.hex(v)
		c.str(" /* FUTEX_??? */")
		return
	}
	c.str(name)
	if v&futexPrivateFlag != 0 {
		c.str("_PRIVATE")
	}
	if v&futexClockRealtime != 0 {
		c.str("|FUTEX_CLOCK_REALTIME")
	}
}

// futexHas reports whether futex has the argument in a register, by what it is asked.
func futexHas(arg int) func(c *Call) bool {
	return func(c *Call) bool {
		last := 5
		switch c.arg(1) & futexCommands {
		case futexWake, futexFd:
			last = 2
		case futexWait:
			last = 3
		case futexLockPi, futexLockPi2:
			return arg == 3
		case futexUnlockPi, futexTrylockPi:
			return false
		case futexWaitBitset:
			return arg != 4
		case futexWakeBitset:
			return arg == 2 || arg == 5
		case futexRequeue, futexWaitRequeuePi:
			last = 4
		}
		return arg <= last
	}
}

// futexTime is a time or a second number.
func futexTime(c *Call, v uint64) {
	switch c.arg(1) & futexCommands {
	case futexWait, futexWaitBitset, futexLockPi, futexLockPi2, futexWaitRequeuePi:
		timespecAt(c, v)
	case futexRequeue, futexCmpRequeue, futexCmpRequeuePi, futexWakeOp:
		unsigned(c, v)
	default:
		c.address(v)
	}
}

// futexLast is the sixth argument: bits to wait for, an operation, or a number.
func futexLast(c *Call, v uint64) {
	switch c.arg(1) & futexCommands {
	case futexWaitBitset, futexWakeBitset:
		if uint32(v) == ^uint32(0) {
			c.str("FUTEX_BITSET_MATCH_ANY")
			return
		}
		c.hex(uint64(uint32(v)))
	case futexWakeOp:
		c.futexOperation(uint32(v))
	case futexCmpRequeue, futexCmpRequeuePi:
		unsigned(c, v)
	default:
		c.hex(uint64(uint32(v)))
	}
}

// futexOperation writes the packed operation of FUTEX_WAKE_OP.
func (c *Call) futexOperation(v uint32) {
	const shifts = 8
	if v>>28&shifts != 0 {
		c.str("FUTEX_OP_OPARG_SHIFT<<28|")
	}
	c.number(futexOperations, uint64(v>>28&7), "FUTEX_OP_???")
	c.str("<<28|")
	c.hex(uint64(v >> 12 & 0xfff))
	c.str("<<12|")
	c.number(futexComparisons, uint64(v>>24&15), "FUTEX_OP_CMP_???")
	c.str("<<24|")
	c.hex(uint64(v & 0xfff))
}
