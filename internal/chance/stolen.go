package chance

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// tick is the unit of /proc/stat: USER_HZ is 100 on all machines of Linux on x86-64.
const tick = time.Second / 100

// Stolen is how much time the host of this virtual machine has taken from its processors so far. A
// perf event of the kernel's task clock counts such time as the thread's that had the processor, but
// the CPU time of the thread lacks it (CONFIG_PARAVIRT_TIME_ACCOUNTING): while a test runs, the two
// may come to differ by what is stolen, whoever samples.
func Stolen(t testing.TB) time.Duration {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	var of [8]time.Duration // user, nice, system, idle, iowait, irq, softirq, steal
	if _, err := fmt.Sscanf(string(text), "cpu %d %d %d %d %d %d %d %d",
		&of[0], &of[1], &of[2], &of[3], &of[4], &of[5], &of[6], &of[7]); err != nil {
		t.Fatalf("/proc/stat: %v", err)
	}
	return of[7] * tick
}
