package ring

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"time"

	"golang.org/x/sys/unix"
)

// record is one of the kernel's, of any kind.
type record struct {
	kind     uint32 // PERF_RECORD_…
	pid, tid int    // of the task that it's about
	time     time.Duration
	id       uint64 // of the event
	of       any    // sample, mmap, comm, fork, lost, or nil
}

type (
	sample struct {
		ip     uint64
		kernel bool          // ip is an address of the kernel
		user   uint64        // where the program called the kernel, 0 unknown
		period time.Duration // of CPU time, 0 if it's not of a clock
		stack  *stack        // of the program, nil: not copied
		chain  []uint64      // the kernel's call path, innermost first
		spec   *eventSpec
		amount uint64 // gticks that are measured, for a timer of ours
		beside uint64 // so many samples that were lost it stands for, too
		absent bool   // it's of time off the processor
		why    string // because of that, "" as the chain says
	}
	mmap struct {
		start, size, offset uint64
		path                string
		buildID             string // hexadecimal, "" unknown
	}
	comm struct {
		name string
		exec bool // a program was executed
	}
	fork     struct{ ppid, ptid int }
	lost     struct{ n uint64 }
	switched struct {
		out       bool // else in again
		preempted bool // out, but it could have gone on
	}
)

const (
	miscMode    = 7       // bits of the processor's mode
	miscKernel  = 1       // PERF_RECORD_MISC_KERNEL
	miscExec    = 1 << 13 // PERF_RECORD_MISC_COMM_EXEC
	miscBuildID = 1 << 14 // PERF_RECORD_MISC_MMAP_BUILD_ID
	miscOut     = 1 << 13 // PERF_RECORD_MISC_SWITCH_OUT
	miscPreempt = 1 << 14 // PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
)

// fields takes the fields of a record one by one; what is missing is zero.
type fields struct{ b []byte }

func (f *fields) u64() uint64 {
	if len(f.b) < 8 {
		f.b = nil
		return 0
	}
	n := binary.NativeEndian.Uint64(f.b)
	f.b = f.b[8:]
	return n
}

func (f *fields) u32() uint32 {
	if len(f.b) < 4 {
		f.b = nil
		return 0
	}
	n := binary.NativeEndian.Uint32(f.b)
	f.b = f.b[4:]
	return n
}

func (f *fields) id() int { return int(int32(f.u32())) }

func (f *fields) bytes(n int) []byte {
	n = min(n, len(f.b))
	b := f.b[:n]
	f.b = f.b[n:]
	return b
}

func (f *fields) text() string {
	b, _, _ := bytes.Cut(f.b, []byte{0})
	return string(b)
}

// parse reads a record of events that specOf knows; ok is false for kinds that are not needed.
func parse(b []byte, specOf func(id uint64) *eventSpec) (r record, ok bool) {
	const header, trailer = 8, 32
	if len(b) < header+trailer {
		return record{}, false
	}
	r.kind = binary.NativeEndian.Uint32(b)
	misc := binary.NativeEndian.Uint16(b[4:])
	if r.kind == unix.PERF_RECORD_SAMPLE {
		f := &fields{b[header:]}
		r.id = f.u64()
		spec := specOf(r.id)
		if spec != nil {
			r.sample(f, misc, spec)
		}
		return r, spec != nil
	}
	// All others end with what sampleType has for them.
	end := fields{b[len(b)-trailer:]}
	r.pid, r.tid, r.time = end.id(), end.id(), time.Duration(end.u64())
	end.u64() // processor
	r.id = end.u64()
	return r, r.body(&fields{b[header : len(b)-trailer]}, misc)
}

func (r *record) sample(f *fields, misc uint16, spec *eventSpec) {
	s := sample{ip: f.u64(), kernel: misc&miscMode == miscKernel, spec: spec, amount: spec.each}
	r.pid, r.tid, r.time = f.id(), f.id(), time.Duration(f.u64())
	f.u64() // processor
	if spec.clock {
		s.period = time.Duration(f.u64())
	}
	if spec.chain {
		s.chain = readChain(f)
	}
	if spec.raw {
		told := fields{f.bytes(int(f.u32()))}
		told.bytes(spec.result)
		s.amount *= told.u64()
	}
	if spec.stack > 0 {
		s.stack = readStack(f, spec.stack)
	} else if abi := f.u64(); abi != 0 {
		s.user = f.u64()
	}
	r.of = s
}

func (r *record) body(f *fields, misc uint16) bool {
	switch r.kind {
	case unix.PERF_RECORD_MMAP2:
		r.pid, r.tid = f.id(), f.id()
		m := mmap{start: f.u64(), size: f.u64(), offset: f.u64()}
		file := f.bytes(24) // device, inode, generation; or the build-id
		if misc&miscBuildID != 0 && len(file) == 24 {
			m.buildID = hex.EncodeToString(file[4 : 4+min(20, file[0])])
		}
		f.u64() // protection, flags
		m.path = f.text()
		r.of = m
	case unix.PERF_RECORD_COMM:
		r.pid, r.tid = f.id(), f.id()
		r.of = comm{name: f.text(), exec: misc&miscExec != 0}
	case unix.PERF_RECORD_FORK:
		pid, ppid, tid, ptid := f.id(), f.id(), f.id(), f.id()
		r.pid, r.tid = pid, tid
		r.of = fork{ppid: ppid, ptid: ptid}
	case unix.PERF_RECORD_EXIT:
		pid, _, tid := f.id(), f.id(), f.id()
		r.pid, r.tid = pid, tid
	case unix.PERF_RECORD_LOST:
		f.u64()
		r.of = lost{n: f.u64()}
	case unix.PERF_RECORD_SWITCH, unix.PERF_RECORD_SWITCH_CPU_WIDE:
		out := misc&miscOut != 0
		r.of = switched{out: out, preempted: out && misc&miscPreempt != 0}
	case unix.PERF_RECORD_THROTTLE:
	default:
		return false
	}
	return true
}
