package ring

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// eventSpec is a clock that the kernel is to make.
type eventSpec struct {
	period time.Duration
	kernel bool // take samples while the kernel runs, too
	user   bool // and say of them where the program called it
	target int  // thread that it's for; allTasks: whatever runs on the processor
	onExec bool // it starts when the target executes a program
}

// allTasks is the target of a clock for a processor.
const allTasks = -1

// sampleType is what a sample record has; parse knows the order. Of its fields the
// kernel adds TID, TIME, CPU and IDENTIFIER to the other records.
const sampleType = unix.PERF_SAMPLE_IDENTIFIER | unix.PERF_SAMPLE_IP | unix.PERF_SAMPLE_TID |
	unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_CPU | unix.PERF_SAMPLE_PERIOD

const (
	bitBuildID = 1 << 34 // of the attributes, since Linux 5.12
	userIP     = 1 << 8  // PERF_REG_X86_IP
)

// open makes the event on a processor. It counts from the start on unless it's
// for an exec.
func (s eventSpec) open(cpu int) (fd int, err error) {
	attr := unix.PerfEventAttr{
		Type:        unix.PERF_TYPE_SOFTWARE,
		Config:      unix.PERF_COUNT_SW_TASK_CLOCK,
		Size:        uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Sample:      uint64(s.period),
		Sample_type: sampleType,
		Wakeup:      ringBytes / 4,
		Clockid:     unix.CLOCK_MONOTONIC,
		Bits: unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm | unix.PerfBitCommExec | unix.PerfBitTask |
			unix.PerfBitSampleIDAll | unix.PerfBitUseClockID | unix.PerfBitWatermark | unix.PerfBitExcludeIdle | bitBuildID,
	}
	if s.target == allTasks {
		attr.Config = unix.PERF_COUNT_SW_CPU_CLOCK
	} else {
		attr.Bits |= unix.PerfBitInherit
	}
	if !s.kernel {
		attr.Bits |= unix.PerfBitExcludeKernel
	}
	if s.user {
		attr.Sample_type |= unix.PERF_SAMPLE_REGS_USER
		attr.Sample_regs_user = userIP
	}
	if s.onExec {
		attr.Bits |= unix.PerfBitDisabled | unix.PerfBitEnableOnExec
	}
	fd, err = unix.PerfEventOpen(&attr, s.target, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if errors.Is(err, unix.EINVAL) {
		attr.Bits &^= bitBuildID // an older kernel
		fd, err = unix.PerfEventOpen(&attr, s.target, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	}
	if err != nil {
		return -1, os.NewSyscallError("perf_event_open", err)
	}
	return fd, nil
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
	switch {
	case isPermission(err):
		level := "it can't be read"
		if text, e := os.ReadFile(paranoidFile); e == nil {
			level = "it is " + strings.TrimSpace(string(text))
		}
		return &NotPermitted{Err: err, Why: fmt.Sprintf("the kernel does not permit us to sample %s: that needs root, or the capability CAP_PERFMON, or at most %d in %s (%s); processes of others need root",
			n.what, n.level, paranoidFile, level)}
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP):
		return &NotPermitted{Err: err, Why: "this kernel has no perf events, or they are forbidden here"}
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return fmt.Errorf("too many files are open: each thread needs one for each processor; raise the limit (ulimit -n), or sample fewer threads (%w)", err)
	case errors.Is(err, unix.ESRCH):
		return errGone
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

func ioctl(fd int, request uint, arg uintptr) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(request), arg); e != 0 {
		return e
	}
	return nil
}
