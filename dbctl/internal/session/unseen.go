package session

import (
	"fmt"
	"math"
)

// unseen is how a program's time was divided where the clock sees user mode alone. What it does not see is
// taken for system calls, of which the attempts have found some. It may be the machine's interrupts of user code,
// too, which no clock of such a user can tell: how often attempts met user code shows about how many there were.
type unseen struct {
	user, kernel    uint64 // periods
	within, outside uint64 // attempts that found the thread in a system call, or not
}

// found is an attempt that has stopped a thread.
func (u *unseen) found(inCall bool) {
	if inCall {
		u.within++
	} else {
		u.outside++
	}
}

// enough is how many attempts tell something of the share of system calls.
const enough = 100

// note says what a report must say of a program's time; "" if there is nothing to say.
func (u *unseen) note() string {
	user, kernel := float64(u.user), float64(u.kernel)
	within, outside := float64(u.within), float64(u.outside)
	if kernel == 0 {
		return ""
	}
	share := kernel / (user + kernel)
	tries := within + outside
	met := within / max(tries, 1)
	text := fmt.Sprintf("the clock of this user sees user mode only: the other %.0f%% count as system calls, including the machine's interrupts", 100*share)
	// Both shares are of random instants, and have the errors of such.
	deviation := math.Sqrt(share*(1-share)/(user+kernel) + met*(1-met)/max(tries, 1))
	if tries >= enough && share-met > 2*deviation {
		text += fmt.Sprintf(" (up to about %.0f points too much)", 100*(share-met))
	}
	return text + "; profile without -gdb at -F 250 or less, or perf_event_paranoid 1, tells them apart"
}
