package ring

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Resource is a monotonic resource (section 2 of the 1993 paper): its consumption is the
// ticking of a clock, which samples when it has swept out an interval.
type Resource struct {
	Name     string // one of Resources, or calls:FUNCTION, calls:LIBRARY:FUNCTION
	Interval uint64 // gticks between two samples: µs of a time, else events or bytes; 0: the default one

	exact time.Duration // interval of a time that is not of whole µs
}

// source is how a resource is counted.
type source struct {
	unit     string // one gtick
	interval uint64 // the default; 0: Config.Period
	typ      uint32 // of the perf event
	config   uint64
	inKernel bool // it's counted in the kernel, so that those who may not look there can't have it
	library  bool // it's counted by libpct.so in the program, not by us
}

// Units.
const (
	micro     = "µs"
	byteUnit  = "byte"
	exception = "exception"
)

// The sources of the resources, by name. Constants, but for their type.
var sources = map[string]source{
	"cpu":          {unit: micro},
	"user":         {unit: micro},
	"real":         {unit: micro, inKernel: true},
	"faults":       {unit: "fault", interval: 10, typ: unix.PERF_TYPE_SOFTWARE, config: unix.PERF_COUNT_SW_PAGE_FAULTS},
	"major-faults": {unit: "fault", interval: 1, typ: unix.PERF_TYPE_SOFTWARE, config: unix.PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	"minor-faults": {unit: "fault", interval: 10, typ: unix.PERF_TYPE_SOFTWARE, config: unix.PERF_COUNT_SW_PAGE_FAULTS_MIN},
	"alignment":    {unit: "fault", interval: 1, typ: unix.PERF_TYPE_SOFTWARE, config: unix.PERF_COUNT_SW_ALIGNMENT_FAULTS},
	"switches":     {unit: "switch", interval: 10, typ: unix.PERF_TYPE_SOFTWARE, config: unix.PERF_COUNT_SW_CONTEXT_SWITCHES, inKernel: true},
	"migrations":   {unit: "migration", interval: 1, typ: unix.PERF_TYPE_SOFTWARE, config: unix.PERF_COUNT_SW_CPU_MIGRATIONS, inKernel: true},
	"cycles":       {unit: "cycle", interval: 1000003, typ: unix.PERF_TYPE_HARDWARE, config: unix.PERF_COUNT_HW_CPU_CYCLES},
	"instructions": {unit: "instruction", interval: 1000003, typ: unix.PERF_TYPE_HARDWARE, config: unix.PERF_COUNT_HW_INSTRUCTIONS},
	"cache-misses": {unit: "miss", interval: 1009, typ: unix.PERF_TYPE_HARDWARE, config: unix.PERF_COUNT_HW_CACHE_MISSES},
	"branch-misses": {unit: "miss", interval: 10007, typ: unix.PERF_TYPE_HARDWARE,
		config: unix.PERF_COUNT_HW_BRANCH_MISSES},
	"syscalls": {unit: "syscall", interval: 100, typ: unix.PERF_TYPE_TRACEPOINT, inKernel: true},
	"read":     {unit: byteUnit, interval: 4096, typ: unix.PERF_TYPE_TRACEPOINT, inKernel: true},
	"write":    {unit: byteUnit, interval: 4096, typ: unix.PERF_TYPE_TRACEPOINT, inKernel: true},
	calls:      {unit: "call", interval: 100},

	"alloc":         {unit: byteUnit, interval: 524288, library: true},
	"io":            {unit: micro, interval: 10000, library: true},
	"fpe":           {unit: exception, interval: 1, library: true},
	"fpe-invalid":   {unit: exception, interval: 1, library: true},
	"fpe-divide":    {unit: exception, interval: 1, library: true},
	"fpe-overflow":  {unit: exception, interval: 1, library: true},
	"fpe-underflow": {unit: exception, interval: 1, library: true},
	"fpe-inexact":   {unit: exception, interval: 1, library: true},
	"fpe-denormal":  {unit: exception, interval: 1, library: true},
}

// calls is the resource of the calls of a function, whose name follows it after a colon.
const calls = "calls"

func (r Resource) source() source {
	name, _, _ := strings.Cut(r.Name, ":")
	return sources[name]
}

// isTime reports whether a gtick is a µs.
func (r Resource) isTime() bool { return r.source().unit == micro }

// isCalls reports whether a gtick is a call of a function.
func (r Resource) isCalls() bool { return strings.HasPrefix(r.Name, calls+":") }

// period is the time between two samples, 0 if the resource is none.
func (r Resource) period() time.Duration {
	if !r.isTime() {
		return 0
	}
	if r.exact > 0 {
		return r.exact
	}
	return time.Duration(r.Interval) * time.Microsecond
}

// Misused says what is wrong with a combination of resources; nil if nothing is.
func (cfg Config) Misused() error {
	_, err := cfg.resolved()
	return err
}

// resolved are the resources of a run with their intervals; cpu if none was named.
func (cfg Config) resolved() ([]Resource, error) {
	resources := cfg.Resources
	if len(resources) == 0 {
		resources = []Resource{{Name: "cpu"}}
	}
	seen := map[string]bool{}
	all := make([]Resource, len(resources))
	for i, r := range resources {
		if seen[r.Name] {
			return nil, fmt.Errorf("the resource %s is named twice", r.Name)
		}
		if r.source().library {
			return nil, fmt.Errorf("the resource %s is measured in a program: profile -r %s PROGRAM", r.Name, r.Name)
		}
		seen[r.Name] = true
		if r.Name == "real" && cfg.Counting == ByCPU {
			return nil, errors.New("real time is measured in each thread, not on whole processors: what all others do would be too much (no -cpus, or -r cpu)")
		}
		if r.Interval == 0 {
			r.Interval = r.source().interval
		}
		if r.Interval == 0 {
			r.Interval, r.exact = uint64(cfg.Period/time.Microsecond), cfg.Period
		}
		all[i] = r
	}
	return all, nil
}

// specs are the events that count the resources.
func (cfg Config) specs() ([]eventSpec, error) {
	var all []eventSpec
	for i, r := range cfg.Resources {
		src := r.source()
		spec := eventSpec{
			name: r.Name, resource: i, typ: src.typ, config: src.config, period: stride(r.Interval), each: stride(r.Interval), timed: r.Interval,
			kernel: true, user: !cfg.Kernel, inKernel: src.inKernel, stack: cfg.copied(stackBytes), chain: cfg.Paths && cfg.Kernel,
		}
		var of []eventSpec
		var err error
		switch kind, function, _ := strings.Cut(r.Name, ":"); kind {
		case "cpu", "user", "real":
			spec.clock, spec.period, spec.each, spec.timed = true, uint64(r.period()), 1, 0
			if kind == "user" {
				spec.kernel, spec.user, spec.chain = false, false, false
			}
			if kind == "real" {
				of = cfg.offCPU(&spec)
			}
			of = append([]eventSpec{spec}, of...)
		case "syscalls":
			err = spec.tracepoint("sys_enter")
			of = []eventSpec{spec}
		case "read", "write":
			of, err = spec.transfers(kind)
		case calls:
			err = spec.uprobe(function, cfg)
			of = []eventSpec{spec}
		default:
			of = []eventSpec{spec}
		}
		for i := range of {
			if !of[i].clock {
				of[i].stack = min(of[i].stack, eventStack)
			}
		}
		if err != nil {
			return nil, err
		}
		if r.Name == "switches" && cfg.resource("real") >= 0 {
			continue // Linux 6.18 gives the samples of two events of one kind the same id
		}
		all = deepened(all, of)
	}
	return all, nil
}

// deepened adds specs, and those that take their places while stacks are larger than their copies: one
// that makes larger copies, and of clocks for larger ones still one that tells at once, so that the rest of
// the stack can be read.
func deepened(all, more []eventSpec) []eventSpec {
	from := len(all)
	all = append(all, more...)
	for i, s := range more {
		if s.stack == 0 || s.absence {
			continue
		}
		all[from+i].deeper = len(all) - from - i
		s.off = true
		if !s.clock {
			s.stack = deepEvent
			all = append(all, s)
			continue
		}
		s.stack, s.deeper = deepBytes, 1
		all = append(all, s)
		s.hasty, s.deeper = true, 0
		all = append(all, s)
	}
	return all
}

// copied is how much is copied of a stack: nothing, if paths are not wanted.
func (cfg Config) copied(n int) int {
	if cfg.Paths {
		return n
	}
	return 0
}

// resource is the index of a resource, -1 if it's not measured.
func (cfg Config) resource(name string) int {
	return slices.IndexFunc(cfg.Resources, func(r Resource) bool { return r.Name == name })
}

// clock is the index of the first resource that's a time, -1 if there is none.
func (cfg Config) clock() int {
	return slices.IndexFunc(cfg.Resources, Resource.isTime)
}
