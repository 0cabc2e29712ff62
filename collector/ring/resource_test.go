package ring

import "testing"

// Strides are primes that no program of a short rhythm is in step with.
func TestStride(t *testing.T) {
	for interval, want := range map[uint64]uint64{1: 1, 2: 1, 6: 1, 7: 7, 10: 7, 16: 13, 50: 47, 100: 97, 1000: 997, 1 << 46: 1<<46 - 21} {
		if got := stride(interval); got != want {
			t.Errorf("%d at an interval of %d, want %d", got, interval, want)
		}
	}
}

// A thread's reason for being off the processor is the system call, as the kernel's path names it.
func TestReason(t *testing.T) {
	for want, names := range map[string][]string{
		"[blocked in futex]":        {"__schedule", "schedule", "futex_do_wait", "__x64_sys_futex", "do_syscall_64"},
		"[blocked in read]":         {"schedule", "anon_pipe_read", "vfs_read", "ksys_read", "do_syscall_64", "entry_SYSCALL_64_after_hwframe"},
		"[blocked in a page fault]": {"schedule", "filemap_fault", "exc_page_fault", "asm_exc_page_fault", "__x64_sys_write"},
		"[blocked in recvfrom]":     {"schedule", "__sys_recvfrom", "__x64_sys_recvfrom", "do_syscall_64"},
		"[blocked in wait4]":        {"schedule", "do_wait", "kernel_wait4", "do_syscall_64"},
		"[blocked in epoll_wait]":   {"schedule", "do_epoll_wait", "do_syscall_64"},
		"[stopped]":                 {"schedule", "do_signal_stop", "get_signal"},
		"[blocked]":                 nil,
	} {
		if got := reason(names); got != want {
			t.Errorf("%q: %s, want %s", names, got, want)
		}
	}
}
