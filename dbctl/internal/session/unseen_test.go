package session

import (
	"strings"
	"testing"
)

// TestCreditLate: where the kernel ticks in user mode alone, whole periods between a tick's time and the stop were in
// the kernel, and what the stops themselves take makes up periods of its own.
func TestCreditLate(t *testing.T) {
	const mean = 1000
	for _, c := range []struct {
		name    string
		before  perfThread
		now     uint64
		periods uint64
		unseen  int64
		late    uint64
	}{
		{"in time", perfThread{next: 5000, set: 1000}, 5000, 1, 0, 0},
		{"early", perfThread{next: 5000, set: 1000}, 4900, 1, -100, 0},
		{"late by the stop", perfThread{next: 5000, set: 1000}, 5030, 1, 0, 30},
		{"two ticks in the kernel", perfThread{next: 5000, set: 1000}, 7030, 1, 2000, 30},
		{"stops make up a period", perfThread{next: 5000, set: 1000, late: 980}, 5030, 2, 0, 10},
		{"a random period longer than the mean", perfThread{next: 5000, set: 1400}, 7900, 1, 2800, 100},
		{"more unseen than before", perfThread{next: 5000, set: 1000, unseen: 500}, 6000, 1, 1500, 0},
	} {
		th := c.before
		periods := th.creditLate(c.now, mean)
		if periods != c.periods || th.unseen != c.unseen || th.late != c.late {
			t.Errorf("%s: %d periods, %d ns unseen, %d late; want %d, %d, %d", c.name, periods, th.unseen, th.late, c.periods, c.unseen, c.late)
		}
		// Nothing is lost: all time is of a period, unseen, or counted for the next stop.
		passed := int64(c.now) - int64(c.before.next) + int64(mean)
		credited := int64(periods)*mean + th.unseen - c.before.unseen + int64(th.late) - int64(c.before.late)
		if passed != credited {
			t.Errorf("%s: %d ns have passed, %d are credited", c.name, passed, credited)
		}
	}
}

// TestUnseen: a report says how much time the clock did not see, and by how much it may be too much for system calls.
func TestUnseen(t *testing.T) {
	for _, c := range []struct {
		name                          string
		user, kernel, within, outside uint64
		says                          string
	}{
		{"all seen", 700, 0, 0, 0, ""},
		{"few attempts", 70, 30, 5, 45, "the clock of this user sees user mode only: the other 30% count as system calls, including the machine's interrupts; "},
		{"as attempts say", 700, 300, 30, 70, "30% count as system calls, including the machine's interrupts; "},
		{"more than attempts say", 800, 200, 50, 450, "20% count as system calls, including the machine's interrupts (up to about 10 points too much); "},
	} {
		var u unseen
		u.user, u.kernel = c.user, c.kernel
		for range c.within {
			u.found(true)
		}
		for range c.outside {
			u.found(false)
		}
		got := u.note()
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", c.name, got, c.says)
		}
	}
}
