package resource

import "golang.org/x/sys/unix"

// The table, in the order in which help lists it. It is not changed.
var kinds = []Kind{
	{
		Name: CPU, Unit: Microsecond, Summary: "CPU time",
		Inside: Inside{Source: Clock, Which: "TIME_PROF"}, Kernel: Kernel{Right: Own},
	},
	{
		Name: User, Unit: Microsecond, Summary: "CPU time in user mode",
		Inside: Inside{Source: Clock, Which: "TIME_VIRTUAL"}, Kernel: Kernel{Right: Own},
	},
	{
		Name: Real, Unit: Microsecond, Summary: "real time of all threads, also while they wait",
		Inside: Inside{Source: Clock, Which: "TIME_REAL", Interrupt: true}, Kernel: Kernel{Right: Look}, Found: AtReason,
	},
	{
		Name: "io", Unit: Microsecond, Interval: 10000, Summary: "time in calls that read and write",
		Inside: Inside{Source: IOCalls}, Found: InCalled,
	},
	{
		Name: Alloc, Unit: Byte, Interval: 512 << 10, Summary: "bytes requested of malloc, new and the like",
		Inside: Inside{Source: AllocCalls}, Breakpoint: true, Found: InCalled,
	},
	{
		Name: Read, Unit: Byte, Interval: 4 << 10, Summary: "bytes read",
		Inside: Inside{Source: IOCalls}, Kernel: Kernel{Right: Trace, Type: unix.PERF_TYPE_TRACEPOINT}, Found: InCalled,
	},
	{
		Name: Write, Unit: Byte, Interval: 4 << 10, Summary: "bytes written",
		Inside: Inside{Source: IOCalls}, Kernel: Kernel{Right: Trace, Type: unix.PERF_TYPE_TRACEPOINT}, Found: InCalled,
	},
	{
		Name: "faults", Unit: "fault", Interval: 10, Summary: "page faults",
		Inside: Inside{Source: Events, Which: "PERF_COUNT_SW_PAGE_FAULTS"},
		Kernel: Kernel{Right: Own, Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_PAGE_FAULTS},
	},
	{
		Name: "minor-faults", Unit: "fault", Interval: 10, Summary: "page faults without disk access",
		Inside: Inside{Source: Events, Which: "PERF_COUNT_SW_PAGE_FAULTS_MIN"}, PartOf: "faults",
		Kernel: Kernel{Right: Own, Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_PAGE_FAULTS_MIN},
	},
	{
		Name: "major-faults", Unit: "fault", Interval: 1, Summary: "page faults with disk access",
		Inside: Inside{Source: Events, Which: "PERF_COUNT_SW_PAGE_FAULTS_MAJ"}, PartOf: "faults",
		Kernel: Kernel{Right: Own, Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	},
	{
		Name: Switches, Unit: "switch", Interval: 10, Summary: "a thread leaves the processor",
		Kernel: Kernel{Right: Look, Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CONTEXT_SWITCHES},
	},
	{
		Name: "migrations", Unit: "migration", Interval: 1, Summary: "a thread moves to another processor",
		Kernel: Kernel{Right: Look, Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_CPU_MIGRATIONS},
	},
	{
		Name: Syscalls, Unit: "syscall", Interval: 100, Summary: "system calls",
		Kernel: Kernel{Right: Trace, Type: unix.PERF_TYPE_TRACEPOINT},
	},
	{
		Name: Calls, Unit: "call", Interval: 100, Summary: "calls of a function; calls:LIBRARY:FUNCTION: of a library",
		Kernel: Kernel{Right: Probe}, Breakpoint: true, Found: InCalled,
	},
	{
		Name: "fpe", Unit: "exception", Interval: 1, Summary: "floating point exceptions: the next four together",
		Inside: Inside{Source: Traps, Which: "INVALID | DIVIDE | OVERFLOW | UNDERFLOW"},
	},
	{Name: "fpe-invalid", Unit: "exception", Interval: 1, Summary: "invalid operations: NaN", Inside: Inside{Source: Traps, Which: "INVALID"}},
	{Name: "fpe-divide", Unit: "exception", Interval: 1, Summary: "divisions by zero", Inside: Inside{Source: Traps, Which: "DIVIDE"}},
	{Name: "fpe-overflow", Unit: "exception", Interval: 1, Summary: "results too large", Inside: Inside{Source: Traps, Which: "OVERFLOW"}},
	{Name: "fpe-underflow", Unit: "exception", Interval: 1, Summary: "results too small", Inside: Inside{Source: Traps, Which: "UNDERFLOW"}},
	{Name: "fpe-inexact", Unit: "exception", Interval: 1, Summary: "rounded results", Inside: Inside{Source: Traps, Which: "INEXACT"}},
	{Name: "fpe-denormal", Unit: "exception", Interval: 1, Summary: "denormal operands", Inside: Inside{Source: Traps, Which: "DENORMAL"}},
	{
		Name: "cycles", Unit: "cycle", Interval: 1000003, Summary: "processor cycles, if the machine counts them",
		Kernel: Kernel{Right: Own, Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_CPU_CYCLES},
	},
	{
		Name: "instructions", Unit: "instruction", Interval: 1000003, Summary: "instructions, if the machine counts them",
		Kernel: Kernel{Right: Own, Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_INSTRUCTIONS},
	},
	{
		Name: "cache-misses", Unit: "miss", Interval: 1009, Summary: "last-level cache misses, if counted",
		Kernel: Kernel{Right: Own, Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_CACHE_MISSES},
	},
	{
		Name: "branch-misses", Unit: "miss", Interval: 10007, Summary: "mispredicted branches, if counted",
		Kernel: Kernel{Right: Own, Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_BRANCH_MISSES},
	},
	{
		// It never happens on x86-64.
		Name: "alignment", Unit: "fault", Interval: 1,
		Kernel: Kernel{Right: Own, Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_ALIGNMENT_FAULTS},
	},
}
