package ring

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profilecollection/pct/internal/proc"
	"github.com/profilecollection/pct/pct/data"
	"github.com/profilecollection/pct/unwind"
)

// table are the processes that are followed, as the records tell of them.
type table struct {
	cfg       Config
	out       *output
	of        map[int]*process
	images    images
	kernel    *kernel
	samples   uint64
	lost      uint64
	throttled uint64
	whole     bool     // processors are sampled
	setuid    bool     // a set-uid program was executed, and could not be sampled
	root      *process // launched
	ended     *process // it, once it has ended: its status comes from elsewhere
	endedAt   time.Duration
	looked    time.Time
	absent    map[int]*absence // by thread: those that are off the processor
	weights   []uint64         // gticks that samples stand for, by resource
	cache     *unwind.Cache    // of object files, for all processes
	frames    []unwind.Frame   // room for those of a path
	deep      deep
	foreign   map[int]bool // processes with samples that are not followed
}

func newTable(cfg Config, out *output) *table {
	return &table{cfg: cfg, out: out, of: map[int]*process{}, images: images{}, cache: unwind.NewCache(),
		absent: map[int]*absence{}, weights: make([]uint64, len(cfg.measured)),
		deep: deep{trails: map[int]*trail{}, read: map[int]*live{}, looks: map[int]int{}, short: map[uint64]bool{}}, foreign: map[int]bool{}}
}

// launched adds the process that is going to execute the program.
func (t *table) launched(pid int, path string, argv []string) {
	p := &process{pid: pid, ppid: os.Getpid(), threads: map[int]bool{pid: true}}
	t.of[pid], t.root = p, p
	t.out.base = &program{pid: pid, ppid: p.ppid, name: path, argv: argv, start: monotonic()}
	start := time.Now()
	t.out.log(func(w *data.TreeWriter) error { return w.Start(start, pid, p.ppid, "launch") })
}

// attached adds a process that runs.
func (t *table) attached(pid int) {
	s, err := proc.ReadStat(pid)
	if err != nil || t.of[pid] != nil {
		return
	}
	p := &process{pid: pid, ppid: s.Ppid, threads: map[int]bool{}, attached: true, began: s.CPU}
	threads, _ := proc.Threads(pid)
	for _, tid := range threads {
		p.threads[tid] = true
	}
	p.maps = readMaps(pid)
	exe, _ := proc.Exe(pid)
	p.prog = &program{pid: pid, ppid: s.Ppid, exe: exe, start: monotonic()}
	p.prog.name = p.prog.nameOf()
	p.prog.argv = readArgv(pid, p.prog.exe)
	p.prog.buildID = t.buildID(p)
	p.programs = 1
	t.of[pid] = p
	t.blocked(p)
	if t.out.base == nil {
		t.out.base = p.prog
	}
	now := time.Now()
	argv := p.prog.argv
	t.out.log(func(w *data.TreeWriter) error { return w.Start(now, pid, s.Ppid, "attach") })
	t.out.log(func(w *data.TreeWriter) error { return w.Exec(now, pid, exe, argv) })
	t.out.log(func(w *data.TreeWriter) error { return w.Mode(now, pid, "sampled") })
}

// take uses a record. They come in the order of their time.
func (t *table) take(r record) {
	p := t.of[r.pid]
	switch of := r.of.(type) {
	case lost:
		t.lost += of.n
	case fork:
		t.forked(r, of)
	case comm:
		if p != nil && of.exec {
			t.executed(p, r, of)
		} else if p != nil && p.prog != nil && p.prog.exe == "" {
			p.prog.name = of.name
		}
	case mmap:
		if p != nil {
			t.mapped(p, of)
		}
	case sample:
		if p != nil && of.spec.absence {
			t.leaves(p, r, of)
		} else if p != nil {
			t.sampled(p, r, of)
		} else {
			t.foreign[r.pid] = true
			t.deep.give(of.stack)
		}
	case switched:
		if p != nil {
			t.switched(p, r, of)
		}
	case nil:
		if p != nil && r.kind == unix.PERF_RECORD_EXIT {
			t.exited(p, r)
		}
	}
}

func (t *table) forked(r record, f fork) {
	if r.pid == f.ppid {
		if p := t.of[r.pid]; p != nil {
			p.threads[r.tid] = true
		}
		return
	}
	parent := t.of[f.ppid]
	if parent == nil || parent.prog == nil {
		return
	}
	if old := t.of[r.pid]; old != nil {
		if old.attached {
			return // it was made before we looked, and told of after
		}
		t.gone(old, r.time) // its end was lost
	}
	p := &process{pid: r.pid, ppid: f.ppid, threads: map[int]bool{r.tid: true}, maps: parent.maps}
	of := parent.prog
	p.prog = &program{pid: r.pid, ppid: f.ppid, name: of.name, exe: of.exe, buildID: of.buildID, argv: of.argv, start: r.time}
	p.programs = 1
	t.of[r.pid] = p
	at := t.out.wall(r.time)
	t.out.log(func(w *data.TreeWriter) error { return w.Start(at, r.pid, f.ppid, "fork") })
	t.out.log(func(w *data.TreeWriter) error { return w.Mode(at, r.pid, "sampled") })
}

// executed begins another program; its path comes with its first mapping.
func (t *table) executed(p *process, r record, c comm) {
	t.release(p)
	p.forget()
	for tid := range p.threads {
		t.settleThread(tid)
	}
	delete(t.deep.looks, p.pid)
	if p.prog != nil {
		t.out.finish(p.prog, t.out.wall(r.time), "complete", "", 0)
	}
	p.maps, p.threads = nil, map[int]bool{p.pid: true}
	p.programs++
	p.prog = &program{pid: p.pid, ppid: p.ppid, name: c.name, start: r.time}
	if p == t.root && p.programs == 1 {
		t.out.base.start, t.out.base.name = r.time, c.name
		p.prog = t.out.base
	}
}

// mapped takes a mapping; the first one of a program is the program's own file.
func (t *table) mapped(p *process, m mmap) {
	if p.prog == nil {
		return // our launcher's
	}
	path := proc.PathOf(m.path)
	p.mapped(&mapping{start: m.start, end: m.start + m.size, offset: m.offset, path: path, buildID: m.buildID})
	if p.prog.exe != "" || path == "" || path[0] != '/' {
		return
	}
	p.prog.exe = path
	if p.prog.buildID = m.buildID; p.prog.buildID == "" {
		p.prog.buildID = t.buildID(p)
	}
	if p.prog.argv == nil {
		p.prog.argv = readArgv(p.pid, path)
	}
	exe, argv, pid, at := path, p.prog.argv, p.pid, t.out.wall(p.prog.start)
	if argv == nil {
		argv = []string{p.prog.name}
	}
	t.out.log(func(w *data.TreeWriter) error { return w.Exec(at, pid, exe, argv) })
	if p == t.root && p.programs == 1 {
		t.out.log(func(w *data.TreeWriter) error { return w.Mode(at, pid, "sampled") })
	}
	t.release(p)
}

// buildID is the build-id of a process's program, read from its file.
func (t *table) buildID(p *process) string {
	for _, m := range p.maps {
		if m.path == p.prog.exe {
			return t.images.place(p.pid, m).buildID
		}
	}
	return ""
}

// release uses the samples that waited for the program's path.
func (t *table) release(p *process) {
	held := p.held
	p.held = nil
	for _, r := range held {
		t.record(p, r, r.of.(sample))
	}
}

func (t *table) sampled(p *process, r record, s sample) {
	switch {
	case p.prog == nil: // our launcher
	case p.prog.exe == "":
		r.of = s
		p.held = append(p.held, r)
	default:
		t.record(p, r, s)
	}
}

// exited takes the end of a thread, perhaps its process's last.
//
// One between an exec and the program's first mapping is not its end: the kernel
// ends its clocks, if it has any, since the program is set-uid and takes other rights.
func (t *table) exited(p *process, r record) {
	if p.prog != nil && p.prog.exe == "" {
		t.setuid = t.setuid || !t.whole
		return
	}
	delete(p.threads, r.tid)
	delete(t.absent, r.tid)
	t.settleThread(r.tid)
	if len(p.threads) == 0 {
		t.gone(p, r.time)
	}
}

// gone ends a process; of the one launched the status is still to come.
func (t *table) gone(p *process, at time.Duration) {
	t.release(p)
	for tid := range p.threads {
		t.settleThread(tid)
	}
	p.forget()
	delete(t.of, p.pid)
	delete(t.deep.looks, p.pid)
	if p == t.root {
		t.ended, t.endedAt = p, at
		return
	}
	t.end(p, t.out.wall(at), "complete", "", 0)
}

// end finishes the run of a process's program, and its line in the tree. cpu is what
// it has used, 0 if that's not known.
func (t *table) end(p *process, at time.Time, state, status string, cpu time.Duration) {
	if p.prog != nil {
		known := cpu
		if p.programs > 1 {
			known = 0 // of all of them
		}
		t.out.finish(p.prog, at, state, status, known)
	}
	if cpu == 0 {
		cpu = p.cpu
	}
	if status == "" && state == "detached" {
		status = state
	}
	pid, samples := p.pid, p.samples
	t.out.log(func(w *data.TreeWriter) error { return w.End(at, pid, cpu, samples, 0, status) })
}

// flush writes what waits in memory.
func (t *table) flush() {
	for _, p := range t.of {
		if p.prog != nil {
			t.out.flush(p.prog)
		}
	}
	if t.out.base != nil {
		t.out.flush(t.out.base)
	}
	const often = time.Second
	if time.Since(t.looked) > often {
		t.looked = time.Now()
		t.sweep()
	}
}

// sweep ends processes whose end was lost.
func (t *table) sweep() {
	for pid, p := range t.of {
		switch gone := unix.Kill(pid, 0) == unix.ESRCH; {
		case gone && p.missing:
			t.gone(p, monotonic())
		default:
			p.missing = gone // what was recorded of it may be on its way
		}
	}
}

// ending is how a run ends.
type ending struct {
	exited bool   // the program that was launched has
	status string // its
	cpu    time.Duration
}

// finish ends the runs of all processes.
func (t *table) finish(e ending) {
	now := time.Now()
	t.stillAway(monotonic())
	for _, p := range t.of {
		t.release(p)
	}
	for tid := range t.deep.trails {
		t.settleThread(tid)
	}
	t.tellLosses()
	if p := t.root; p != nil && e.exited {
		if t.ended == nil {
			t.endedAt = monotonic()
			t.release(p)
			delete(t.of, p.pid)
		}
		t.end(p, t.out.wall(t.endedAt), "complete", e.status, e.cpu)
	} else if t.ended != nil {
		t.end(t.ended, now, "complete", "", 0)
	}
	for _, p := range t.of {
		t.release(p)
		var cpu time.Duration
		if s, err := proc.ReadStat(p.pid); err == nil {
			cpu = s.CPU - p.began
		}
		t.end(p, now, "detached", "", cpu)
	}
	t.out.finish(t.out.base, now, "complete", "", 0)
	t.out.close()
}

// tellLosses says in the runs what the kernel could not record.
func (t *table) tellLosses() {
	if t.throttled > 0 {
		t.out.note(fmt.Sprintf("the kernel throttled the clock %d times, because samples took too much time; use a longer period", t.throttled))
	}
	if t.setuid {
		t.out.note("only root may sample a set-uid program, or one that this user may not read: such a program was executed and is not in the data")
	}
	if t.lost == 0 {
		return
	}
	if r := t.out.base.run; r != nil && r.meta.State == "running" && t.out.open(t.out.base, 0) {
		if err := r.of[0].w.Lost(t.lost, "the ring was full"); err != nil {
			t.out.say("cannot write samples: %v", err)
		}
		r.meta.Lost += t.lost
	}
}

// anyAlive reports whether there is any process.
func (t *table) anyAlive() bool { return len(t.of) > 0 }

// anyIn reports whether any process is in the session of the given one.
func (t *table) anyIn(pid int) bool {
	sid, _ := unix.Getsid(pid)
	for pid := range t.of {
		if of, err := unix.Getsid(pid); err == nil && of == sid {
			return true
		}
	}
	return false
}
