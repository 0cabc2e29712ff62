package tracer

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Registers are a thread's, while it stands still.
func (t *Tracer) Registers(tid int) (regs unix.PtraceRegs, err error) {
	err = unix.PtraceGetRegs(tid, &regs)
	return regs, err
}

// SetRegisters changes them.
func (t *Tracer) SetRegisters(tid int, regs *unix.PtraceRegs) error {
	return unix.PtraceSetRegs(tid, regs)
}

// floatSize is that of FXSAVE's image, which PTRACE_GETFPREGS gives.
const floatSize = 512

// Float is the image of the floating point and SSE registers.
func (t *Tracer) Float(tid int) []byte {
	b := make([]byte, floatSize)
	if ptraceAt(unix.PTRACE_GETFPREGS, tid, 0, unsafe.Pointer(&b[0])) != nil {
		return nil
	}
	return b
}

// SetFloat changes them.
func (t *Tracer) SetFloat(tid int, image []byte) error {
	if len(image) != floatSize {
		return unix.EINVAL
	}
	return ptraceAt(unix.PTRACE_SETFPREGS, tid, 0, unsafe.Pointer(&image[0]))
}

// Siginfo is what the kernel knows of the signal for which a thread stands.
type Siginfo [128]byte

// Code tells who sent it: positive values are the kernel's.
func (i *Siginfo) Code() int32 { return *(*int32)(unsafe.Pointer(&i[8])) }

// Fd is the descriptor that one of SIGPOLL's kind is about.
func (i *Siginfo) Fd() int { return int(*(*int32)(unsafe.Pointer(&i[24]))) }

// Siginfo reads it.
func (t *Tracer) Siginfo(tid int) (info Siginfo, err error) {
	err = ptraceAt(unix.PTRACE_GETSIGINFO, tid, 0, unsafe.Pointer(&info))
	return info, err
}

const (
	getSigMask = 0x420a
	setSigMask = 0x420b
)

// Mask is the set of signals that a thread blocks: bit n-1 is signal n.
func (t *Tracer) Mask(tid int) (mask uint64, err error) {
	err = ptraceAt(getSigMask, tid, 8, unsafe.Pointer(&mask))
	return mask, err
}

// SetMask changes it.
func (t *Tracer) SetMask(tid int, mask uint64) error {
	return ptraceAt(setSigMask, tid, 8, unsafe.Pointer(&mask))
}

// debugRegister is the offset of the first debug register in struct user.
const debugRegister = 848

// SetDebug sets debug register n of a thread that stands still.
func (t *Tracer) SetDebug(tid, n int, value uint64) error {
	return ptrace(unix.PTRACE_POKEUSR, tid, debugRegister+uintptr(n)*8, uintptr(value))
}

// Debug reads debug register n.
func (t *Tracer) Debug(tid, n int) (value uint64, err error) {
	err = ptraceAt(unix.PTRACE_PEEKUSR, tid, debugRegister+uintptr(n)*8, unsafe.Pointer(&value))
	return value, err
}

// Bit is a signal's place in a mask; 0, no signal, has none.
func Bit(sig unix.Signal) uint64 {
	if sig == 0 {
		return 0
	}
	return 1 << (sig - 1)
}

// ProcessTime is the CPU time of a process so far, also of one that has ended
// and was not reaped.
func ProcessTime(pid int) time.Duration {
	// The process's CPU clock, as clock_getcpuclockid(3) makes it.
	const schedClock = 2
	var ts unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|schedClock), &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// CallWay says where in a system call a thread stands.
type CallWay byte

const (
	NoCall CallWay = iota
	CallEntry
	CallExit
)

// CallStop is a stop at a system call. Of what the thread asks for and gets it has what the program passes in
// registers: a program of 32 bits has other numbers.
type CallStop struct {
	Way     CallWay
	Foreign bool      // it is one of 32 bits
	Number  uint64    // at its entry
	Args    [6]uint64 // at its entry
	Stack   uint64    // the stack pointer
	Result  int64     // at its exit, a value or a negated error
}

// CallStop is asked when a thread was Called.
func (t *Tracer) CallStop(tid int) CallStop {
	const getSyscallInfo, x8664 = 0x420e, 0xc000003e
	var info struct { // ptrace_syscall_info
		way    CallWay
		_      [3]byte
		arch   uint32
		ip     uint64
		stack  uint64
		values [8]uint64 // at the entry the number and the arguments, at the exit the result
	}
	if ptraceAt(getSyscallInfo, tid, unsafe.Sizeof(info), unsafe.Pointer(&info)) != nil {
		return CallStop{}
	}
	s := CallStop{Way: info.way, Foreign: info.arch != x8664, Stack: info.stack}
	switch info.way {
	case CallEntry:
		s.Number, s.Args = info.values[0], [6]uint64(info.values[1:])
	case CallExit:
		s.Result = int64(info.values[0])
	default:
		return CallStop{}
	}
	return s
}
