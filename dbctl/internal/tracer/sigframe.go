package tracer

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// action is the kernel's struct sigaction.
type action struct{ handler, flags, restorer, mask uint64 }

func (a *action) bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(a)), unsafe.Sizeof(*a)) }

// bend is put on the stack of a thread that is made to call rt_sigaction(2):
// what it calls with, and where it goes from there if nobody stops it. That is
// a return from a signal handler, which loads all registers from here. It has
// the layout that the kernel gives a handler's frame, from Back on.
type bend struct {
	Pause, Old, Was action // to be set, to be set back, and what there was

	Back        uint64 // the address to return to
	Flags, Link uint64 // struct ucontext
	Stack       uint64
	StackFlags  uint64
	StackSize   uint64
	General     [18]uint64 // r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, flags
	Segments    [4]uint16  // cs, gs, fs, ss
	_           [4]uint64
	FloatAt     uint64
	_           [8]uint64
	Mask        uint64
	_           [5]uint64 // so that what follows is aligned to 64 bytes
	Float       [floatSize]byte
}

const (
	noStack   = 0x10 // no flag of a stack: the kernel leaves the alternate one alone
	floatUsed = 464  // what follows in the image is for the kernel's own use
)

// fill has it load these registers.
func (b *bend) fill(r *unix.PtraceRegs, float uint64) {
	b.General = [18]uint64{
		r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15,
		r.Rdi, r.Rsi, r.Rbp, r.Rbx, r.Rdx, r.Rax, r.Rcx, r.Rsp, r.Rip, r.Eflags,
	}
	b.Segments = [4]uint16{uint16(r.Cs), 0, 0, uint16(r.Ss)}
	b.FloatAt = float
}

func (b *bend) bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(b)), unsafe.Sizeof(*b)) }
