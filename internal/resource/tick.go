package resource

import (
	"time"

	"golang.org/x/sys/unix"
)

// KernelTick is the period of the kernel's timer interrupt (1/CONFIG_HZ): its coarse clock has that
// resolution. It is 4 ms, as usual, where the kernel does not tell.
func KernelTick() time.Duration {
	var resolution unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_MONOTONIC_COARSE, &resolution); err != nil || resolution.Nano() <= 0 {
		return 4 * time.Millisecond
	}
	return time.Duration(resolution.Nano())
}
