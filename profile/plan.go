package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/profilecollection/pct/internal/resource"
)

// A collector is what samples.
type collector int

const (
	nothing collector = iota // the program runs, and that is all
	library
	kernel
	debugger
)

// A target is what is known of the program that is run here. The zero value is any that may be.
type target struct {
	program string
	secret  bool    // this user may execute it but not read it
	unfit   *unfit  // why it can't have the library; nil: it can, or that is not known yet
	native  *native // whether the library can evaluate the expressions; nil: that is not known yet
}

// unfit is why a program can't be given the library, as pct-launch told.
type unfit struct {
	name   string // as in collector/launch/unfit.h, without UNFIT_
	clause string // of which the program is the subject, and its path begins it
}

// rights are what this user may do. What takes a process to find out is asked for when it matters.
type rights struct {
	probes   bool     // the kernel may be asked to count calls of functions
	low      string   // a soft limit on memory that is too low for all but the library
	events   *verdict // whether page faults can be counted in the program
	counters *verdict // whether the kernel may be asked to sample
}

// A verdict is "" if something may be, or why it may not.
type verdict string

// A collection is how a run is sampled.
type collection struct {
	collector collector
	asks      func(*session, *target, *rights) error // not nil: what has to be known first; then plan is asked again
	calls     bool                                   // activations of functions are counted
	stop      *resource.Resource                     // what is counted by breakpoints; nil: nothing is
	arguments []string                               // of the collector: the library's letters, or options
	preload   []string                               // beside libpct.so, for the library
	plans     string                                 // the file of plans of expressions, for the library; "" if there are none

	before, after []note // for the user
}

// can are the columns of the table: who measures a resource, by the rows of package resource.
type can struct {
	inside  bool // the library, in a program that is run here
	outside bool // the kernel
	stop    bool // a debugger, by breakpoints
}

// whoCan is the table.
func whoCan(k *resource.Kind) can {
	return can{
		// A clock that interrupts system calls is for those who ask for it.
		inside:  k.Inside.Source != resource.NoSource && !k.Inside.Interrupt,
		outside: k.Kernel.Right != resource.NoRight,
		stop:    k.Breakpoint,
	}
}

// stopped is what only breakpoints count here: of resources that can be counted so, those that neither
// the library nor the kernel may count.
func stopped(o *options, r rights) *resource.Resource {
	var last *resource.Resource
	for i := range o.resources {
		kind := o.resources[i].Kind()
		c := whoCan(kind)
		probed := kind.Kernel.Right != resource.Probe || r.probes
		if c.stop && !o.kernel && !(c.inside && !o.limited()) && !(c.outside && probed) {
			last = &o.resources[i]
		}
	}
	return last
}

// among sorts what is measured by who alone can: within the program, outside of it, and what either can.
type among struct {
	within, outside, paged, moved []string
	inside                        *resource.Resource // the last of those within
}

func sorted(resources []resource.Resource) among {
	var a among
	var times []string
	whole, part := false, false // page faults, and a part of them
	for i, r := range resources {
		kind := r.Kind()
		switch c := whoCan(kind); {
		case !c.outside:
			a.within, a.inside = append(a.within, r.Name), &resources[i]
		case !c.inside:
			a.outside = append(a.outside, r.Name)
		case kind.Inside.Source == resource.Clock:
			times = append(times, r.Name)
		case kind.Inside.Source == resource.Events:
			a.paged = append(a.paged, r.Name)
			whole, part = whole || kind.PartOf == "", part || kind.PartOf != ""
		default:
			a.moved = append(a.moved, r.Name)
		}
	}
	// One clock of the library measures one time, and its events a fault or a part of it.
	if len(times) > 1 {
		a.outside = append(a.outside, "cpu beside user")
	}
	if whole && part {
		a.outside = append(a.outside, "faults beside a part of them")
	}
	return a
}

// plan tells how a run is sampled, or why it can't be. It's a function of what it is given: what it
// lacks it asks for.
func plan(o *options, t target, r rights) (*collection, error) {
	c := &collection{collector: library, calls: o.calls}
	if o.ours() && t.unfit == nil && !t.secret {
		switch {
		case t.native == nil:
			c.asks = askNative
			return c, nil
		case t.native.plans != "":
			c.arguments, c.plans = letters(o), t.native.plans
			return c, nil
		case t.native.large:
			c.before = append(c.before, note{largeProgram, []any{t.program}})
		}
	}
	if o.debugged() {
		c.collector = debugger
		return c, c.complete(o, t, r)
	}
	if o.limited() {
		c.collector = kernel
	}
	words := o.resourceWords()
	if c.stop = stopped(o, r); c.stop != nil && len(o.resources) > 1 {
		return nil, misusef("-r %s: %s is counted by breakpoints here and cannot be combined with other resources", words, c.stop.Name)
	}
	who := sorted(o.resources)
	if len(who.outside) > 0 {
		c.collector = kernel
	}
	if c.stop != nil {
		c.collector = debugger
	}
	if c.collector == kernel && who.inside != nil {
		if o.limited() {
			return nil, misusef("-r %s is measured by the library and cannot be combined with -p, -t, -n and -k", who.inside)
		}
		return nil, misusef("-r %s: one run cannot measure both %s (by the library only) and %s (by the kernel only): use two runs",
			words, strings.Join(who.within, " and "), strings.Join(who.outside, " and "))
	}
	switch {
	case c.collector != library && (o.clock != "best" || o.log || o.last != "" || o.verbose):
		return nil, misusef("-clock, -log, -last and -verbose need the library: they cannot be combined with -p, -t, -n, -k and most of -r")
	case o.random && len(o.resources) > 0:
		return nil, misusef("-R cannot be combined with -r, whose intervals are random anyway")
	case o.random && o.kernel:
		return nil, misusef("-R cannot be combined with -k, whose intervals are regular")
	case o.random && c.collector == kernel:
		c.collector = debugger // its clock can be random
	}
	if c.collector == library && len(who.paged) > 0 {
		if r.events == nil {
			c.asks = askEvents
			return c, nil
		}
		if *r.events != "" && who.inside != nil {
			return nil, fmt.Errorf("-r %s: the library cannot measure page faults here, and %s needs the library: %s", words, who.inside.Name, *r.events)
		}
		if *r.events != "" {
			c.collector = kernel
		}
	}
	if c.collector == library && t.unfit == nil {
		return c.byLibrary(o, who), nil
	}
	if c.collector == library {
		if err := c.withoutLibrary(o, t, who); err != nil {
			return nil, err
		}
	}
	return c, c.complete(o, t, r)
}

// byLibrary is a collection by the library.
func (c *collection) byLibrary(o *options, who among) *collection {
	c.arguments = letters(o)
	for _, r := range o.resources {
		if also := r.Kind().Inside.Source.Preload(); also != "" && !slices.Contains(c.preload, also) {
			c.preload = append(c.preload, also)
		}
	}
	if o.clock == "real" {
		c.before = append(c.before, note{id: clockInterrupts})
	}
	if len(who.moved) > 0 {
		c.after = append(c.after, note{bytesOfCalls, []any{strings.Join(who.moved, " and ")}})
	}
	return c
}

// withoutLibrary is for a program that can't have the library.
func (c *collection) withoutLibrary(o *options, t target, who among) error {
	c.collector = kernel
	// Breakpoints are for programs that the library does not suit, not for those with other rights.
	only := len(o.resources) == 1 && who.inside != nil && whoCan(who.inside.Kind()).stop
	if only && (t.unfit.name == "STATIC" || t.unfit.name == "LIBC") {
		c.collector, c.stop = debugger, who.inside
	} else if who.inside != nil {
		return fmt.Errorf("-r %s is measured by the library, but %s", who.inside, t.unfit.clause)
	}
	if c.calls {
		c.before = append(c.before, note{callsUncounted, []any{t.unfit.clause}})
		c.calls = false
	}
	if o.random {
		c.collector = debugger
	}
	return nil
}

// complete is a collection from outside of the program: by the kernel if that may be, else as a debugger does.
func (c *collection) complete(o *options, t target, r rights) error {
	why := ""
	if t.unfit != nil {
		why = t.unfit.clause
	}
	switch {
	case o.attach:
	case t.secret:
		c.collector, c.before = nothing, append(c.before, note{unreadable, []any{t.program}})
		return nil
	case r.low != "" && why == "":
		return fmt.Errorf("under the limit on memory (%s) only the library can sample, not -gdb, -k and the like: %s", r.low, needs)
	case r.low != "":
		c.collector, c.before = nothing, append(c.before, note{unroomy, []any{why, r.low}})
		return nil
	}
	if c.collector == kernel {
		switch {
		case r.counters == nil:
			c.asks = askCounters
			return nil
		case *r.counters == "":
			if why != "" {
				c.before = append(c.before, note{byKernel, []any{why}})
			}
			c.arguments = kernelArguments(o)
			return nil
		case o.kernel:
			return errors.New("-k: " + string(*r.counters))
		case len(o.resources) > 0:
			return fmt.Errorf("-r %s: %s", o.resourceWords(), *r.counters)
		}
		c.collector = debugger
	}
	if why != "" {
		c.before = append(c.before, note{byDebugger, []any{why}})
	}
	if c.stop != nil {
		id := breaksCalls
		if c.stop.Name == resource.Alloc {
			id = breaksAlloc
		}
		c.before = append(c.before, note{id, []any{c.stop.Name}})
		if !o.attach {
			c.before = append(c.before, note{trapsAtKill, []any{c.stop.Name}})
		}
	}
	c.arguments = debuggerArguments(o, c.stop)
	return nil
}
