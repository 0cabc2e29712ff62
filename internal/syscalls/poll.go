package syscalls

import (
	"bytes"
	"unsafe"

	"golang.org/x/sys/unix"
)

// polled are the descriptors of poll: what is asked of each at the entry, what is so at the exit beside the result.
func polled(c *Call, addr uint64) {
	if !c.exiting() {
		array(c, addr, uint64(uint32(c.arg(1))), func(c *Call, v unix.PollFd) {
			c.str("{fd=")
			c.dec(int64(v.Fd))
			if v.Fd >= 0 {
				c.str(", events=")
				c.flags(pollFlags, uint64(uint16(v.Events)), "POLL???")
			}
			c.str("}")
		})
		return
	}
	c.text = append(c.text, c.last...)
}

// pollResult tells what is so of which descriptor.
func pollResult(c *Call) {
	if c.result == 0 {
		c.extra = append(c.extra, "Timeout"...)
		return
	}
	from := len(c.text)
	shown, count := uint64(0), uint64(uint32(c.arg(1)))
	if end := c.arg(0) + count*8; count == 0 || end < c.arg(0) {
		return
	}
	limit := c.elementsLimit()
	for i := uint64(0); i < count && shown <= limit; {
		const batch = 64
		var some [batch]unix.PollFd
		n := min(batch, count-i)
		got := uint64(max(c.read(c.bytes(n*8), c.arg(0)+i*8), 0)) / 8
		copy(some[:got], unsafe.Slice((*unix.PollFd)(unsafe.Pointer(&c.scratch)), got))
		for _, v := range some[:got] {
			if v.Revents != 0 && shown <= limit {
				c.ready(v, shown, limit)
				shown++
			}
		}
		if i += got; got < n {
			c.str([]string{"[", ", "}[min(shown, 1)])
			c.address(c.arg(0) + i*8)
			shown++
			break
		}
	}
	if shown > 0 {
		c.str("]")
	}
	if c.entry.Number == unix.SYS_PPOLL {
		c.timeLeft(from, c.arg(2), timespecAt)
	}
	c.toExtra(from)
}

// ready tells what is so of a descriptor, after so many others; beyond the limit that there are more.
func (c *Call) ready(v unix.PollFd, after, limit uint64) {
	c.str([]string{"[", ", "}[min(after, 1)])
	if after == limit {
		c.str("...")
		return
	}
	c.str("{fd=")
	c.dec(int64(v.Fd))
	c.str(", revents=")
	c.flags(pollFlags, uint64(uint16(v.Revents)), "POLL???")
	c.str("}")
}

// timeLeft tells what is left of a call's time, after what has been written from an offset on.
func (c *Call) timeLeft(from int, addr uint64, at decoder) {
	if addr == 0 {
		return
	}
	if len(c.text) > from {
		c.str(", ")
	}
	c.str("left ")
	at(c, addr)
}

// descriptors is a set of select.
func descriptors(c *Call, addr uint64) { c.descriptorsUpTo(addr, ^uint64(0)) }

// descriptorsUpTo writes at most so many descriptors of a set, and returns how many.
func (c *Call) descriptorsUpTo(addr, most uint64) (n uint64) {
	b, ok := c.descriptorSet(addr)
	if !ok {
		c.address(addr)
		return 0
	}
	c.str("[")
	for i := range len(b) * 8 {
		if n == most {
			break
		}
		if b[i/8]>>(i%8)&1 == 0 {
			continue
		}
		if n > 0 {
			c.str(" ")
		}
		n++
		c.uns(uint64(i))
	}
	c.str("]")
	return n
}

// descriptorSet reads a set, as long as the first argument says.
func (c *Call) descriptorSet(addr uint64) ([]byte, bool) {
	n := int(int32(c.arg(0)))
	if addr == 0 || n <= 0 || n > len(c.scratch)*64 {
		return nil, false
	}
	b := c.bytes(uint64((n + 63) / 64 * 8))
	if c.read(b, addr) < len(b) {
		return nil, false
	}
	for i := n; i < len(b)*8; i++ {
		b[i/8] &^= 1 << (i % 8)
	}
	return b, true
}

// selectResult tells which descriptors of which set are ready.
func selectResult(c *Call) {
	if c.result == 0 {
		c.extra = append(c.extra, "Timeout"...)
		return
	}
	from := len(c.text)
	ready := uint64(c.result)
	for i, name := range []string{"in ", "out ", "except "} {
		b, ok := c.descriptorSet(c.arg(i + 1))
		if !ok || ready == 0 || bytes.Count(b, []byte{0}) == len(b) {
			continue
		}
		if len(c.text) > from {
			c.str(", ")
		}
		c.str(name)
		ready -= c.descriptorsUpTo(c.arg(i+1), ready)
	}
	at := timevalAt
	if c.entry.Number == unix.SYS_PSELECT6 {
		at = timespecAt
	}
	c.timeLeft(from, c.arg(4), at)
	c.toExtra(from)
}

// masked is the last argument of pselect6.
var masked = pointed(func(c *Call, v [2]uint64) {
	c.str("{sigmask=")
	c.signalsAt(v[0], v[1])
	c.str(", sigsetsize=")
	c.uns(v[1])
	c.str("}")
})

// An epollEvent is the kernel's structure, which is not aligned.
type epollEvent struct{ events, low, high uint32 }

func (c *Call) epoll(v epollEvent) {
	c.str("{events=")
	c.flags(epollEvents, uint64(v.events), "EPOLL???")
	c.str(", data={u32=")
	c.uns(uint64(v.low))
	c.str(", u64=")
	c.uns(uint64(v.high)<<32 | uint64(v.low))
	c.str("}}")
}

var epollAt = pointed((*Call).epoll)

// epolled are the events of epoll_wait.
func epolled(c *Call, addr uint64) {
	array(c, addr, uint64(c.result), (*Call).epoll)
}

// epollChange is the event of epoll_ctl, which a removal does not read.
func epollChange(c *Call, addr uint64) {
	if c.num(1) == unix.EPOLL_CTL_DEL {
		c.address(addr)
		return
	}
	epollAt(c, addr)
}
