package syscalls

import (
	"math/bits"
	"strings"

	"golang.org/x/sys/unix"
)

// firstRealTime is the kernel's first real-time signal; the C library keeps two of them for itself.
const firstRealTime = 32

// signal writes the name of a signal.
func signal(c *Call, v uint64) {
	v = uint64(uint32(v))
	if name := nameOf(signals, v); name != "" {
		c.str(name)
		return
	}
	c.realTime(v, "SIG")
}

func (c *Call) realTime(v uint64, prefix string) {
	switch {
	case v == firstRealTime:
		c.str(prefix)
		c.str("RTMIN")
	case v > firstRealTime && v <= 64:
		c.str(prefix)
		c.str("RT_")
		c.uns(v - firstRealTime)
	default:
		c.dec(int64(int32(v)))
	}
}

// signalSet writes a set of signals, or which are not in it where that is less.
func (c *Call) signalSet(set uint64) {
	if bits.OnesCount64(set) >= 64*2/3 {
		c.str("~")
		set = ^set
	}
	c.str("[")
	first := true
	for i := range uint64(64) {
		if set>>i&1 == 0 {
			continue
		}
		if !first {
			c.str(" ")
		}
		first = false
		if name := nameOf(signals, i+1); name != "" {
			c.str(strings.TrimPrefix(name, "SIG"))
		} else {
			c.realTime(i+1, "")
		}
	}
	c.str("]")
}

// signalsOf is a set that a pointer points to, of as many bytes as an argument says.
func signalsOf(arg int) decoder {
	return func(c *Call, addr uint64) { c.signalsAt(addr, c.arg(arg)) }
}

// signalsAt writes the set at an address.
func (c *Call) signalsAt(addr, size uint64) {
	c.scratch[0] = 0
	if size != 8 || c.read(c.bytes(8), addr) < 8 {
		c.address(addr)
		return
	}
	c.signalSet(c.scratch[0])
}

// A sigaction is the kernel's structure.
type sigaction struct{ handler, flags, restorer, mask uint64 }

// action is what a program does at a signal.
var action = pointed(func(c *Call, v sigaction) {
	c.str("{sa_handler=")
	switch v.handler {
	case 0:
		c.str("SIG_DFL")
	case 1:
		c.str("SIG_IGN")
	case ^uint64(0):
		c.str("SIG_ERR")
	default:
		c.address(v.handler)
	}
	c.str(", sa_mask=")
	c.signalSet(v.mask)
	c.str(", sa_flags=")
	c.flags(signalFlags, v.flags, "SA_???")
	if v.flags&saRestorer != 0 {
		c.str(", sa_restorer=")
		c.address(v.restorer)
	}
	c.str("}")
})

// A stack is the structure of sigaltstack.
type stack struct {
	base  uint64
	flags uint32
	_     uint32
	size  uint64
}

var signalStack = pointed(func(c *Call, v stack) {
	c.str("{ss_sp=")
	c.address(v.base)
	c.str(", ss_flags=")
	c.flags(signalStackFlags, uint64(v.flags), "SS_???")
	c.str(", ss_size=")
	c.uns(v.size)
	c.str("}")
})

// returned is the argument of rt_sigreturn, which is no register: the mask of the frame on the stack.
func returned(c *Call, _ uint64) {
	const mask = 8 + 8 + 24 + 256 // of the ucontext: flags, link, stack, registers
	v, ok := uint64(0), false
	if c.entry.Stack != 0 {
		v, ok = get[uint64](c, c.entry.Stack+mask)
	}
	if !ok {
		c.address(c.entry.Stack)
		return
	}
	c.str("{mask=")
	c.signalSet(v)
	c.str("}")
}

// A siginfo is the first part of the kernel's structure.
type siginfo struct {
	signal, errno, code, _ int32
	pid, uid               int32
	status, pointer        int32 // a status; or a value of 8 bytes
	utime, stime           int64
}

// signalled is the structure of waitid and rt_sigtimedwait.
var signalled = pointed(func(c *Call, v siginfo) {
	if v.signal == 0 {
		c.str("{}")
		return
	}
	c.str("{si_signo=")
	signal(c, uint64(uint32(v.signal)))
	c.str(", si_code=")
	table := siginfoCodes
	child := v.signal == int32(unix.SIGCHLD) && v.code > 0
	if child {
		table = siginfoChildCodes
	}
	c.plainNumber(table, uint64(uint32(v.code)))
	if v.errno != 0 {
		c.str(", si_errno=")
		if f, ok := failureOf(int64(v.errno)); ok {
			c.str(f.name)
		} else {
			c.uns(uint64(uint32(v.errno)))
		}
	}
	if v.code == 0 || child || v.pid != 0 || v.uid != 0 {
		c.str(", si_pid=")
		c.dec(int64(v.pid))
		c.str(", si_uid=")
		id(c, uint64(uint32(v.uid)))
	}
	if child {
		c.str(", si_status=")
		if v.code == 1 {
			c.dec(int64(v.status))
		} else {
			signal(c, uint64(uint32(v.status)))
		}
		c.str(", si_utime=")
		c.clock(uint64(v.utime))
		c.str(", si_stime=")
		c.clock(uint64(v.stime))
	} else if value := uint64(uint32(v.pointer))<<32 | uint64(uint32(v.status)); v.code != 0 && value != 0 {
		c.str(", si_int=")
		c.dec(int64(v.status))
		c.str(", si_ptr=")
		c.address(value)
	}
	c.str("}")
})

// signalResult names the signal that rt_sigtimedwait returns.
func signalResult(c *Call) {
	from := len(c.text)
	if c.result != 0 {
		signal(c, uint64(c.result))
	}
	c.toExtra(from)
}
