package ring

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// eventSpec is an event that the kernel is to make: a clock, or the count of a resource.
type eventSpec struct {
	name     string // of the resource
	resource int    // which one of Config.measured
	clock    bool   // it's of CPU time; else of what typ and config say
	typ      uint32
	config   uint64
	file     []byte // of a uprobe, with a zero at its end
	offset   uint64 // of it in the file
	filter   string // of a tracepoint, "" none
	period   uint64 // between two samples: ns of a clock, else events
	each     uint64 // for so many events a sample stands
	timed    uint64 // interval of our timer, which makes hits of what is no clock
	raw      bool   // copy what the tracepoint tells
	result   int    // at which offset of that the result of the system call is
	switches bool   // tell when threads are switched out and in
	absence  bool   // it's of being switched out
	tells    bool   // it takes no samples, but tells of processes, mappings and switches
	wakeup   uint32 // bytes in a ring mapped from it at which we are woken; 0: half of it
	unused   bool   // it's not opened
	deeper   int    // how many specs further on the one is that takes its place while stacks are larger than what it copies; 0: there is none
	hasty    bool   // it wakes us at each sample
	off      bool   // it does not count until it is told to

	first    bool // it's the first of its processor: it tells of processes and mappings
	inKernel bool // it happens in the kernel: no use where that is not permitted
	kernel   bool // take samples while the kernel runs, too
	user     bool // and say of them where the program called it
	target   int  // thread that it's for; allTasks: whatever runs on the processor
	onExec   bool // it starts when the target executes a program
	stack    int  // copy the registers and so much of the stack; 0: no paths
	chain    bool // copy the kernel's call path
}

// allTasks is the target of a clock for a processor.
const allTasks = -1

// sampleType is what a sample record has; parse knows the order. Of its fields the
// kernel adds TID, TIME, CPU and IDENTIFIER to the other records.
const sampleType = unix.PERF_SAMPLE_IDENTIFIER | unix.PERF_SAMPLE_IP | unix.PERF_SAMPLE_TID |
	unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_CPU

const (
	bitBuildID  = 1 << 34 // of the attributes, since Linux 5.12
	bitSwitches = 1 << 26 // of the attributes: context_switch
	userIP      = 1 << 8  // PERF_REG_X86_IP
)

// open makes the event on a processor. It counts from the start on unless it's
// for an exec.
func (s eventSpec) open(cpu int) (fd int, err error) {
	attr := unix.PerfEventAttr{
		Type:        s.typ,
		Config:      s.config,
		Size:        uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample:      s.period,
		Sample_type: sampleType,
		Clockid:     unix.CLOCK_MONOTONIC,
		Wakeup:      s.wakeup,
		Bits:        unix.PerfBitSampleIDAll | unix.PerfBitUseClockID | unix.PerfBitWatermark,
	}
	if s.first {
		attr.Bits |= unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm | unix.PerfBitCommExec | unix.PerfBitTask | bitBuildID
	}
	if s.hasty {
		attr.Bits &^= unix.PerfBitWatermark
		attr.Wakeup = 1
	}
	if s.tells {
		attr.Type, attr.Config, attr.Sample = unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_DUMMY, 0
	}
	if s.clock {
		attr.Type, attr.Config = unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK
		if s.target == allTasks {
			attr.Config = unix.PERF_COUNT_SW_CPU_CLOCK
		}
		attr.Bits |= unix.PerfBitExcludeIdle
		attr.Sample_type |= unix.PERF_SAMPLE_PERIOD // other events of the kernel's software would sample each time, with it
	}
	if s.file != nil {
		attr.Ext1, attr.Ext2 = uint64(uintptr(unsafe.Pointer(&s.file[0]))), s.offset
		defer runtime.KeepAlive(s.file)
	}
	if s.target != allTasks {
		attr.Bits |= unix.PerfBitInherit
	}
	if s.switches {
		attr.Bits |= bitSwitches
	}
	if s.raw {
		attr.Sample_type |= unix.PERF_SAMPLE_RAW
	}
	if !s.kernel {
		attr.Bits |= unix.PerfBitExcludeKernel
	}
	if s.user {
		attr.Sample_type |= unix.PERF_SAMPLE_REGS_USER
		attr.Sample_regs_user = userIP
	}
	if s.stack > 0 {
		attr.Sample_type |= unix.PERF_SAMPLE_REGS_USER | unix.PERF_SAMPLE_STACK_USER
		attr.Sample_regs_user = userRegs
		attr.Sample_stack_user = uint32(s.stack)
	}
	if s.chain {
		attr.Sample_type |= unix.PERF_SAMPLE_CALLCHAIN
		attr.Bits |= unix.PerfBitExcludeCallchainUser
	}
	switch {
	case s.off:
		attr.Bits |= unix.PerfBitDisabled
	case s.onExec:
		attr.Bits |= unix.PerfBitDisabled | unix.PerfBitEnableOnExec
	}
	fd, err = unix.PerfEventOpen(&attr, s.target, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if errors.Is(err, unix.EINVAL) {
		attr.Bits &^= bitBuildID // an older kernel
		fd, err = unix.PerfEventOpen(&attr, s.target, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	}
	if err != nil {
		return -1, s.refused(os.NewSyscallError("perf_event_open", err))
	}
	if err := s.setFilter(fd); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// refused makes of an error what it says of the resource.
func (s eventSpec) refused(err error) error {
	missing := errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENODEV)
	switch {
	case s.typ == unix.PERF_TYPE_HARDWARE && missing:
		return &NotPermitted{Err: err, Why: fmt.Sprintf("there are no %s here: this machine's processor does not count them, as in most virtual machines", s.name)}
	case s.file != nil && isPermission(err):
		return &NotPermitted{Err: err, Why: fmt.Sprintf("the resource %s needs root, or the capability CAP_PERFMON", s.name)}
	}
	return err
}

// ringBytes is the size of the ring that it wants: for a clock, of a quarter of a second if all
// stacks are large; other events come in bursts.
func (s eventSpec) ringBytes() uint64 {
	switch {
	case s.stack == 0:
		return ringBytes
	case s.clock:
		return uint64(interval) / s.period * deepBytes
	default:
		return largestStack
	}
}

func isPermission(err error) bool {
	return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM)
}

func closeFD(fd int) error { return unix.Close(fd) }

const paranoidFile = "/proc/sys/kernel/perf_event_paranoid"

// What is asked of the kernel, and the greatest perf_event_paranoid that permits it.
type need struct {
	what  string
	level int
}

// Constants, but for their type.
var (
	needUser   = need{"processes of our own", 2}
	needKernel = need{"the kernel", 1}
	needCPUs   = need{"whole processors", 0}
)

// refusal makes of an error of open what the user can do about it.
func refusal(err error, n need) error {
	var refused *NotPermitted
	switch {
	case errors.As(err, &refused):
		return refused
	case isPermission(err):
		level := "it cannot be read"
		if text, e := os.ReadFile(paranoidFile); e == nil {
			set := strings.TrimSpace(string(text))
			level = "it is " + set
			if have, e := strconv.Atoi(set); e == nil && have <= n.level {
				return &NotPermitted{Err: err, Why: fmt.Sprintf("the kernel does not permit sampling of that process, although %s (%d) would: the process has rights that this user does not have, such as those of root or of a set-uid program, or perf events are forbidden here, as in a container; sampling it needs root with all capabilities, or CAP_PERFMON", paranoidFile, have)}
			}
		}
		return &NotPermitted{Err: err, Why: fmt.Sprintf("the kernel does not permit sampling of %s: this needs root, or the capability CAP_PERFMON, or at most %d in %s (%s); processes of other users need root",
			n.what, n.level, paranoidFile, level)}
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP):
		return &NotPermitted{Err: err, Why: "this kernel has no perf events, or they are forbidden here"}
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return fmt.Errorf("too many files are open: each thread needs one for each processor; raise the limit (ulimit -n), or sample fewer threads (%w)", err)
	case errors.Is(err, unix.ESRCH):
		return errors.New("the process has ended")
	}
	return err
}

// onlineCPUs are the processors that there are now.
func onlineCPUs() []int {
	text, err := os.ReadFile("/sys/devices/system/cpu/online")
	if cpus := cpuList(strings.TrimSpace(string(text))); err == nil && len(cpus) > 0 {
		return cpus
	}
	return []int{0}
}

// cpuList reads a list such as 0-3,8.
func cpuList(text string) []int {
	var cpus []int
	for span := range strings.SplitSeq(text, ",") {
		low, high, more := strings.Cut(span, "-")
		if !more {
			high = low
		}
		first, err1 := strconv.Atoi(low)
		last, err2 := strconv.Atoi(high)
		if err1 != nil || err2 != nil {
			return nil
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

func ioctlPointer(fd int, request uint, arg *byte) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), uintptr(unsafe.Pointer(arg))); e != 0 {
		return e
	}
	return nil
}

func ioctl(fd int, request uint, arg uintptr) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), arg); e != 0 {
		return e
	}
	return nil
}
