// Package ring samples processes from outside, by the kernel's perf events: nothing
// of them is touched, so that running, static and set-uid programs can be sampled
// too, and the kernel's own time.
//
// The kernel writes a record for each sample (program counter, process and thread,
// time, processor), and for each program executed, process or thread made or ended,
// and each file mapped, into a ring buffer for each processor, which is ours alone. We
// merge the rings by time, keep the mappings of each process, and write a run
// directory for each program that was sampled (pct/data).
//
// # Two ways to count
//
// A clock for each processor (ByCPU) runs whatever process has it; the samples of
// processes that are not followed are thrown away. Every process is sampled in
// proportion to its CPU time, however short it is. It interrupts all processors,
// and the kernel permits it to root, to CAP_PERFMON, and where
// /proc/sys/kernel/perf_event_paranoid is 0 or less.
//
// A clock for each thread (ByThread), which new threads and processes inherit, costs
// the others nothing, and everybody has it for his own processes if perf_event_paranoid
// is 2 or less. But the kernel starts a new clock with a whole period: what a process
// uses beyond the last whole one is not seen, and one that ends within its first
// period is not seen at all. Measured: of 500 processes of 0.7 ms each, a clock of 1 ms
// saw between none and a dozen, where their CPU time is worth some 340 samples and ByCPU takes
// them. The kernel has no random first period for an inherited clock, and to
// change the period for each new process would give samples of unequal weight.
//
// Which one is taken, if nothing else is asked for, depends on what is sampled: a tree
// of processes gets a clock for each processor where that is permitted; given
// processes without their descendants get clocks of their own.
//
// # Call paths
//
// With Paths the kernel also copies the registers and the innermost part of the stack of the
// thread with each sample, and we unwind that (package unwind), when the process may have ended
// already. Copies are small at first where the rings could not hold large ones for long, and get larger,
// up to what the kernel can do, when a path needs it. Of a stack that is larger still the rest is read of the process, as soon
// as the record is there, or taken from another path of the thread, where that has the frames that
// the copy ends with (deep.go); else the path is partial. Nothing but the calling context tree and the samples at its
// nodes is stored.
//
// # Resources
//
// Any monotonic resource can be the clock (sections 2 and 5.1 of the 1993 paper). All but
// the kernel's clocks are sampled by timers of ours, in gticks, with one hit at a random instant of
// each interval: what comes in amounts, bytes and time off the processor, by those; what the kernel
// counts event by event by its samples, one for each stride of events. Events other than clocks
// are counted in each thread, unless ByCPU is asked for. Each resource of a program has a run directory of its own.
//
// # What a kill costs
//
// Samples are written every quarter of a second at the latest. If the collector is killed, what
// it has not written is lost: the last 0.3 s. The kernel closes the events then; no
// process notices.
package ring

import (
	"fmt"
	"os"
	"time"

	"github.com/profilecollection/pct/internal/resource"
)

// Counting is how CPU time is counted, see the package's documentation.
type Counting int

const (
	Best     Counting = iota // as the kernel permits, and what is sampled suggests
	ByCPU                    // a clock for each processor
	ByThread                 // a clock for each thread, inherited
)

// Config says what to sample and how.
type Config struct {
	Argv    []string // program to launch and its arguments; found by PATH
	Environ []string // of it, NAME=VALUE; nil: ours
	Ignored uint64   // signals that it's to ignore: bit n-1 is signal n
	Pids    []int    // or processes to attach to
	Tree    bool     // and their descendants, too

	Resources []resource.Resource // what to measure. None: cpu
	Period    time.Duration       // between two samples of a time without an interval of its own, from resource.Shortest
	Paths     bool                // whole call paths, from copies of the stacks
	Kernel    bool                // sample the kernel, too; else its time counts for where the program called it
	Counting  Counting
	SystemMap string        // kernel's symbols where /proc/kallsyms has none; "" /boot/System.map-RELEASE
	For       time.Duration // time after which to let go; 0: at the end
	Samples   uint64        // number of samples after which to let go; 0: at the end
	Wait      bool          // the end is that of all processes, also of those that have left the session

	Root  string           // of the run directories; "" as data.Root
	Found func(dir string) // told the path of each run directory
	Say   func(string)     // told problems, a sentence each
	Stdin *os.File         // with Stdout and Stderr: files of the program
	Stdout,
	Stderr *os.File

	measured []measured // Resources, or cpu, with their intervals
}

// Run samples until all processes have ended or are let go, and returns the status of
// the program launched as shells do (128+n if signal n ended it), 0 if there is none.
// Its errors may be *NotPermitted, *launch.NotFound and *launch.NotRunnable.
//
// The program must begin with launch.Launcher if one is to be launched.
func Run(cfg Config) (status int, err error) {
	if cfg.Period < resource.Shortest {
		return 0, fmt.Errorf("sampling period too short: %v; the minimum is %v", cfg.Period, resource.Shortest)
	}
	if cfg.measured, err = cfg.resolved(); err != nil {
		return 0, err
	}
	c := newCollection(cfg)
	defer c.close()
	return c.run()
}

// Check reports whether the kernel would permit us to sample a program of our own,
// and with kernel set the kernel as well: nil, or *NotPermitted.
func Check(kernel bool) error {
	spec := eventSpec{clock: true, first: true, period: uint64(time.Second), kernel: true, target: os.Getpid()}
	fd, err := spec.open(onlineCPUs()[0])
	if err == nil {
		return closeFD(fd)
	}
	if !kernel && isPermission(err) {
		spec.kernel = false
		if fd, err = spec.open(onlineCPUs()[0]); err == nil {
			return closeFD(fd)
		}
	}
	if kernel && isPermission(err) && profileReadable(procProfile) && Check(false) == nil {
		return nil
	}
	if kernel {
		return refusal(err, needKernel)
	}
	return refusal(err, needUser)
}

// NotPermitted says that the kernel does not let us sample.
type NotPermitted struct {
	Why string
	Err error
}

func (e *NotPermitted) Error() string { return e.Why }
func (e *NotPermitted) Unwrap() error { return e.Err }
