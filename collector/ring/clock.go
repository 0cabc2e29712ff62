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
