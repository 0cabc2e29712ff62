package syscalls

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// timespec writes seconds and nanoseconds.
func (c *Call) timespec(sec, nsec int64) {
	c.str("{tv_sec=")
	c.dec(sec)
	c.str(", tv_nsec=")
	c.uns(uint64(nsec))
	c.str("}")
}

// timeval writes seconds and microseconds.
func (c *Call) timeval(sec, usec int64) {
	c.str("{tv_sec=")
	c.dec(sec)
	c.str(", tv_usec=")
	c.uns(uint64(usec))
	c.str("}")
}

var (
	timespecAt = pointed(func(c *Call, v unix.Timespec) { c.timespec(v.Sec, v.Nsec) })
	timevalAt  = pointed(func(c *Call, v unix.Timeval) { c.timeval(v.Sec, v.Usec) })
	zoneAt     = pointed(func(c *Call, v [2]int32) {
		c.str("{tz_minuteswest=")
		c.dec(int64(v[0]))
		c.str(", tz_dsttime=")
		c.dec(int64(v[1]))
		c.str("}")
	})
	timerAt = pointed(func(c *Call, v [2]unix.Timeval) {
		c.str("{it_interval=")
		c.timeval(v[0].Sec, v[0].Usec)
		c.str(", it_value=")
		c.timeval(v[1].Sec, v[1].Usec)
		c.str("}")
	})
	timerSpecAt = pointed(func(c *Call, v [2]unix.Timespec) {
		c.str("{it_interval=")
		c.timespec(v[0].Sec, v[0].Nsec)
		c.str(", it_value=")
		c.timespec(v[1].Sec, v[1].Nsec)
		c.str("}")
	})
)

// remaining is what was left of a sleep that a signal ended.
func remaining(c *Call, addr uint64) {
	if !c.exiting() {
		c.later = true
		return
	}
	if c.result != -516 || c.Name() == "clock_nanosleep" && c.arg(1)&1 != 0 {
		c.address(addr)
		return
	}
	timespecAt(c, addr)
}

// lastYear is about the last second of a year of 31 bits, beyond which the C library has no date.
const lastYear = 67_767_976_233_532_799

// date is a comment of what day a number of seconds is.
func (c *Call) date(sec, fraction int64, digits string) {
	if sec == 0 && fraction == 0 || fraction < 0 || fraction >= 1e9 || sec > lastYear || sec < -lastYear {
		return
	}
	c.str(" /* ")
	c.text = time.Unix(sec, fraction).AppendFormat(c.text, "2006-01-02T15:04:05"+digits+"-0700")
	c.str(" */")
}

// changed are the two times of utimensat.
var changed = pointed(func(c *Call, v [2]unix.Timespec) {
	for i, t := range v {
		c.str([]string{"[", ", "}[i])
		switch t.Nsec {
		case unix.UTIME_NOW:
			c.str("UTIME_NOW")
		case unix.UTIME_OMIT:
			c.str("UTIME_OMIT")
		default:
			c.timespec(t.Sec, t.Nsec)
			c.dateOf(t.Sec, t.Nsec, ".000000000")
		}
	}
	c.str("]")
})

// changedMicro are those of utimes.
var changedMicro = pointed(func(c *Call, v [2]unix.Timeval) {
	for i, t := range v {
		c.str([]string{"[", ", "}[i])
		c.timeval(t.Sec, t.Usec)
		c.dateOf(t.Sec, t.Usec*1000, ".000000")
	}
	c.str("]")
})

// dateOf is a date with a fraction, if it has one.
func (c *Call) dateOf(sec, nsec int64, digits string) {
	if nsec == 0 {
		digits = ""
	}
	c.date(sec, nsec, digits)
}

// clock is a clock's name, or the process whose clock it is.
func clock(c *Call, v uint64) { c.number(clocks, uint64(uint32(v)), "CLOCK_???") }

// timeAt is what time also writes to memory.
var timeAt = pointed(func(c *Call, v int64) {
	c.str("[")
	c.dec(v)
	c.date(v, 0, "")
	c.str("]")
})

// timeResult tells what day it is.
func timeResult(c *Call) {
	if c.result == 0 {
		return
	}
	c.extra = time.Unix(c.result, 0).AppendFormat(c.extra, "2006-01-02T15:04:05-0700")
}

// processTimes is the structure of times.
var processTimes = pointed(func(c *Call, v unix.Tms) {
	for _, f := range []struct {
		name string
		v    uint64
	}{
		{"{tms_utime=", uint64(v.Utime)}, {", tms_stime=", uint64(v.Stime)},
		{", tms_cutime=", uint64(v.Cutime)}, {", tms_cstime=", uint64(v.Cstime)},
	} {
		c.str(f.name)
		c.clock(f.v)
	}
	c.str("}")
})

// clock writes a number of ticks, and the seconds that they are.
func (c *Call) clock(v uint64) {
	c.uns(v)
	if v != 0 {
		c.str(" /* ")
		c.text = fmt.Appendf(c.text, "%d.%02d", v/ticks, v%ticks)
		c.str(" s */")
	}
}

// ticks are the kernel's for programs, in a second.
const ticks = 100
