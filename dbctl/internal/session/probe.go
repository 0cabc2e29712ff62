package session

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/dbctl/internal/breakpoint"
	"github.com/profilecollection/pct/dbctl/internal/tracer"
	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/unwind"
)

// probes are what a script wants to be told of in one process, by breakpoints that the tracing
// goroutine serves without a debugger. What they give is an event like any other, for which the
// thread stands still until it has been acted on.
//
// A pattern stays in force: where the dynamic linker says that it has loaded objects there is a
// breakpoint too. All of it belongs to the tracing goroutine.
type probes struct {
	p        *process
	asked    []*probe
	points   map[uint64]*probePoint     // by run-time address
	known    map[uint64]*probedFunction // by where they begin
	unwinder *unwind.Unwinder           // of the tracing goroutine
	buffer   []unwind.Frame
	searched map[*unwind.Object]bool
	slots    map[*unwind.Object]slots
	reached  map[[2]string]bool // functions whose first call was told, by object and name: whether it was an inlined one
	changes  int                // how often objects were looked for
	linker   uint64             // where the dynamic linker tells of objects; 0: nowhere
	entry    uint64             // where the program will begin, its libraries loaded; 0: it has
}

// probe is what a script has asked for.
type probe struct {
	kind   probeKind
	names  *matcher
	place  string // of atLine, instead
	object string // "": any
	found  bool
	next   int // of atLine: the nearest line behind it that has code; 0: none is known
}

// probeKind is what is to be told of a function.
type probeKind int

const (
	atCalls   probeKind = iota
	atReturns           // of which the calls must be known
	atFirst             // the first call alone
	atLine              // no function, but a line
	probeKinds
)

var probeWords = [probeKinds]string{atCalls: "call", atReturns: "return", atFirst: "first", atLine: "at"}

// probePoint is what a breakpoint of the probes is for. It may be several things at once.
type probePoint struct {
	enters   *probedFunction // it begins here
	runs     *probedFunction // its prologue is done here, and its arguments are where they stay
	returns  bool            // calls return to it
	waits    int             // calls that will
	leaves   leaving
	loads    bool // the dynamic linker tells of objects
	beginsAt bool // the program begins
	inlined  *inlined
	lines    *linesHere
}

// probedFunction is a function with probes.
type probedFunction struct {
	functionName
	wanted  [probeKinds]bool
	run     uint64   // where its call is told; enter, if the arguments are known there
	jumps   bool     // it does not return
	looped  bool     // its code comes by run again in one call
	inlined bool     // it is an inlined call of one
	chooses []choice // it is an indirect function, which gives the address of one that is asked for
}

// functionName is what events need of a function.
type functionName struct {
	name   string // in the source language, without parameters
	object string // the file's name
	vaddr  uint64 // where it begins, in its object
	enter  uint64 // the run-time address of that
}

// probe starts telling of functions.
func (p *process) probe(kind, functions, object string) (err error) {
	if kind == syscallWord {
		return p.probeCalls(functions, object)
	}
	k := probeKind(slices.Index(probeWords[:], kind))
	if k < 0 {
		return fmt.Errorf("PROBE: %q is none of %s, %s", kind, strings.Join(probeWords[:], ", "), syscallWord)
	}
	place := ""
	if k == atLine {
		if _, _, ok := lineOf(functions); !ok {
			return fmt.Errorf("PROBE: %q is no line, such as main.c:12", functions)
		}
		place, functions = functions, regexp.QuoteMeta(functions)
	}
	m, err := newMatcher(functions)
	if err != nil {
		return fmt.Errorf("PROBE: %w", err)
	}
	if p.free.Load() {
		return nil
	}
	fresh := p.now != nil && p.now.fresh
	p.tracing(func() { err = p.startProbe(&probe{kind: k, names: m, place: place, object: object}, fresh) })
	return err
}

// startProbe starts one. Of a program of which nothing has run the libraries are still to come.
func (p *process) startProbe(want *probe, fresh bool) error {
	if _, own := p.breakpoints(); !own {
		p.tally.note("nothing is probed of a process that executes in its parent's memory")
		return nil
	}
	if want.kind == atReturns {
		p.tree.timeCalls()
	}
	if p.probes == nil {
		ps, err := newProbes(p, fresh)
		if err != nil || ps == nil {
			return err
		}
		p.probes = ps
	}
	ps := p.probes
	same := func(q *probe) bool {
		return q.kind == want.kind && q.object == want.object && q.names.pattern == want.names.pattern
	}
	if i := slices.IndexFunc(ps.asked, same); i >= 0 {
		want = ps.asked[i]
	} else {
		ps.asked = append(ps.asked, want)
	}
	ps.search([]*probe{want}, func(*unwind.Object) bool { return true })
	if ps.entry == 0 {
		ps.judge(want, fresh && p == p.tree.root && !p.executed)
	}
	return nil
}

// newProbes is when a process gets the first; nil if it is ending, or can have none.
func newProbes(p *process, fresh bool) (*probes, error) {
	status, err := proc.ReadStatus(p.pid, p.pid)
	if err != nil {
		return nil, nil
	}
	if (status.Caught|status.Ignored)&tracer.Bit(unix.SIGTRAP) != 0 {
		p.refuse(fmt.Errorf("PROBE: %s handles or ignores SIGTRAP, so breakpoints cannot be used", filepath.Base(p.exe)), false)
		return nil, nil
	}
	u, err := unwind.New(p.pid, p.tree.cache)
	if err != nil {
		return nil, nil
	}
	ps := &probes{
		p: p, unwinder: u, points: make(map[uint64]*probePoint),
		known: make(map[uint64]*probedFunction), reached: make(map[[2]string]bool), searched: make(map[*unwind.Object]bool),
	}
	linked := dynamic(proc.Entry(p.pid, "exe"))
	for _, f := range u.Functions(func(symbol string) bool { return symbol == "_dl_debug_state" }) {
		if f.Object.Path != p.exe || !linked {
			ps.linker = f.Addr + f.Object.Bias
		}
	}
	switch {
	case ps.linker != 0:
		ps.point(ps.linker).loads = true
	case linked:
		p.tally.note("functions of objects that are loaded later are not probed: the dynamic linker has no function that tells of them")
	}
	if begins, err := entry(p.pid); err == nil && linked && fresh && p.now.pc != begins {
		ps.entry = begins
		ps.point(begins).beginsAt = true
	}
	return ps, ps.put()
}

// dynamic reports whether a program has a dynamic linker.
func dynamic(path string) bool {
	_, err := interpreterOf(path)
	return !errors.Is(err, errStatic)
}

// at is what a breakpoint is for; nil: for no probe.
func (ps *probes) at(addr uint64) *probePoint {
	if ps == nil {
		return nil
	}
	return ps.points[addr]
}

// point is at, of an address that gets a breakpoint by put.
func (ps *probes) point(addr uint64) *probePoint {
	at := ps.points[addr]
	if at == nil {
		at = &probePoint{}
		ps.points[addr] = at
	}
	return at
}

// put puts the breakpoints in that are not there yet.
func (ps *probes) put() error {
	points, _ := ps.p.breakpoints()
	var missing []uint64
	for addr := range ps.points {
		if points.Owners(addr)&breakpoint.Probe == 0 {
			missing = append(missing, addr)
		}
	}
	return points.Insert(breakpoint.Probe, missing...)
}

// drop takes a breakpoint out, if it is for nothing any more.
func (ps *probes) drop(addr uint64) {
	if at := ps.points[addr]; at != nil && *at == (probePoint{}) {
		delete(ps.points, addr)
		points, _ := ps.p.breakpoints()
		_ = points.Remove(addr, breakpoint.Probe) // the memory may be gone
	}
}

// endProbes is when the process runs on without us, or something else, or has ended.
func (p *process) endProbes() {
	if p.probes == nil {
		return
	}
	p.probes.unwinder.Close()
	p.probes = nil
	for _, th := range p.threads.all() {
		th.probing = probing{stopwatch: th.stopwatch} // a system call may be under way
	}
	if points, own := p.breakpoints(); own {
		points.Drop(breakpoint.Probe)
	}
}

// plainName is a pattern that is but a name.
func plainName(pattern string) bool { return regexp.QuoteMeta(pattern) == pattern }
