package main

import (
	"time"

	"github.com/profilecollection/pct/internal/resource"
)

// manyWaits is how often a program waits in a second of its CPU time, at the least, where that is worth a word:
// each wait then takes some hundredths of its time.
const manyWaits = 5000

// waits tells of a program that waits often, and is slowed down by an event of each thread: the kernel programs it anew
// at each switch of threads. Up to the rate of the kernel's tick the library has none.
func (r *report) waits() {
	cpu := r.used.user + r.used.system
	tick := resource.KernelTick()
	const least = 0.05 // s
	if cpu < least || float64(r.used.waits) < manyWaits*cpu || r.told.troubled() || len(r.options.expressions) > 0 {
		return
	}
	args := []any{r.used.waits, cpu, int(time.Second / tick)}
	switch {
	case r.options.gdb, r.options.args && r.collector == debugger:
		r.print("# %s\n", note{waitsCostGDB, args})
	case r.collector == library && len(r.options.resources) == 0 && time.Duration(r.options.period)*time.Microsecond < tick:
		r.print("# %s\n", note{waitsCost, args})
	}
}
