package tracer

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// saNoCldStop is SA_NOCLDSTOP of sigaction(2).
const saNoCldStop = 1

// quiet has the kernel send no SIGCHLD for stops. Nobody here acts on one, but Go's runtime has a
// handler for it, which each stop of a traced thread would run on one thread of ours or another while
// the tracing thread is to look at the stop.
//
// No stop can be missed for it. A wait does not depend on the signal: the kernel wakes those who wait
// for a child in any case, after the child's state has become what they look for, and who begins to
// wait is queued before he looks. The end of a child is told as before, and a program that we start has
// the disposition that it would have without this: to execute one clears the flag.
func quiet() {
	var action struct {
		handler  uintptr
		flags    uint64
		restorer uintptr
		mask     uint64
	}
	sigaction := func(set, get unsafe.Pointer) unix.Errno {
		_, _, e := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), uintptr(set), uintptr(get), unsafe.Sizeof(action.mask), 0, 0)
		return e
	}
	if sigaction(nil, unsafe.Pointer(&action)) == 0 && action.flags&saNoCldStop == 0 {
		action.flags |= saNoCldStop
		sigaction(unsafe.Pointer(&action), nil)
	}
}
