package ring

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/profilecollection/pct/internal/resource"
)

// measured is a resource with the interval that serves.
type measured struct {
	resource.Resource
	exact time.Duration // between two samples of a time whose interval is Config.Period, which may be no whole µs
}

// period is the time between two samples, 0 if the resource is none.
func (r measured) period() time.Duration {
	if !r.IsTime() {
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
func (cfg Config) resolved() ([]measured, error) {
	resources := cfg.Resources
	if len(resources) == 0 {
		resources = []resource.Resource{{Name: resource.CPU}}
	}
	seen := map[string]bool{}
	all := make([]measured, len(resources))
	for i, r := range resources {
		if seen[r.Name] {
			return nil, fmt.Errorf("the resource %s is given twice", r.Name)
		}
		if r.Kind().Kernel.Right == resource.NoRight {
			return nil, fmt.Errorf("the resource %s is measured in a program: profile -r %s PROGRAM", r.Name, r.Name)
		}
		seen[r.Name] = true
		if r.Name == resource.Real && cfg.Counting == ByCPU {
			return nil, errors.New("real time cannot be measured with -cpus")
		}
		m := measured{Resource: r}
		if m.Interval == 0 {
			m.Interval = r.Kind().Interval
		}
		if m.Interval == 0 {
			m.Interval, m.exact = uint64(cfg.Period/time.Microsecond), cfg.Period
		}
		all[i] = m
	}
	return all, nil
}

// specs are the events that count the resources.
func (cfg Config) specs() ([]eventSpec, error) {
	var all []eventSpec
	for i, r := range cfg.measured {
		kernel := r.Kind().Kernel
		spec := eventSpec{
			name: r.Name, resource: i, typ: kernel.Type, config: kernel.Config, period: stride(r.Interval), each: stride(r.Interval), timed: r.Interval,
			kernel: true, user: !cfg.Kernel, inKernel: kernel.Right == resource.Look || kernel.Right == resource.Trace, stack: cfg.copied(stackBytes), chain: cfg.Paths && cfg.Kernel,
		}
		var of []eventSpec
		var err error
		switch kind := r.Kind().Name; kind {
		case resource.CPU, resource.User, resource.Real:
			spec.clock, spec.period, spec.each, spec.timed = true, uint64(r.period()), 1, 0
			if kind == resource.User {
				spec.kernel, spec.user, spec.chain = false, false, false
			}
			if kind == resource.Real {
				of = cfg.offCPU(&spec)
			}
			of = append([]eventSpec{spec}, of...)
		case resource.Syscalls:
			err = spec.tracepoint("sys_enter")
			of = []eventSpec{spec}
		case resource.Read, resource.Write:
			of, err = spec.transfers(kind)
		case resource.Calls:
			err = spec.uprobe(cfg)
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
		if r.Name == resource.Switches && cfg.resource(resource.Real) >= 0 {
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
	return slices.IndexFunc(cfg.measured, func(r measured) bool { return r.Name == name })
}

// clock is the index of the first resource that's a time, -1 if there is none.
func (cfg Config) clock() int {
	return slices.IndexFunc(cfg.measured, func(r measured) bool { return r.IsTime() })
}
