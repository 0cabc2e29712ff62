package ring

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic is the clock that the kernel stamps its records with.
func monotonic() time.Duration {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return time.Duration(ts.Nano())
}

// kernelTick is the period of the kernel's timer interrupt (1/CONFIG_HZ): its coarse
// clock has that resolution.
func kernelTick() time.Duration {
	var ts unix.Timespec
	unix.ClockGetres(unix.CLOCK_MONOTONIC_COARSE, &ts)
	return time.Duration(ts.Nano())
}
