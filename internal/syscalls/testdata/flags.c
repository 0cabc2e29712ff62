/* flags.c: calls with all flags set, to compare in which order they are shown. */
#include "call.h"

static struct { unsigned long handler, flags, restorer, mask; } action = { 5, -1, -1, 0 };
static struct { unsigned long base; unsigned flags, pad; unsigned long size; } stack = { 5, -1, 0, 0 };
static unsigned long statx[32] = { [10] = -1 };
static struct { int fd; short events, revents; } polled = { 1, -1, -1 };
static struct { unsigned events, low, high; } epolled = { -1, 2, 0 };

void _start(void)
{
	call(SYS_openat, -100, (long)"x", -1, 0, 0, 0);
	call(SYS_openat, -100, (long)"x", ~0x410000, 0, 0, 0);
	call(SYS_openat, -100, (long)"x", ~0x10000, 0, 0, 0);
	call(SYS_mmap, 0, 1, -1, 0xfffffff0, 0, 0);
	call(SYS_mmap, 0, 1, -1, 0x03fffff3, 0, 0);
	call(SYS_rt_sigaction, 1, (long)&action, 0, 8, 0, 0);
	call(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
	call(SYS_flock, 3, -1, 0, 0, 0, 0);
	call(SYS_msync, 0, 1, -1, 0, 0, 0);
	call(SYS_eventfd2, 0, -1, 0, 0, 0, 0);
	call(SYS_socket, 1, -1, 0, 0, 0, 0);
	call(SYS_sendto, 1, 0, 0, -1, 0, 0);
	call(SYS_wait4, 1, 0, -1, 0, 0, 0);
	call(SYS_waitid, 1, 0, 0, -1, 0, 0);
	call(SYS_clone, -1, 0, 0, 0, 0, 0);
	call(SYS_fchownat, 1, 0, 0, 0, -1, 0);
	call(SYS_faccessat2, 1, 0, -1, -1, 0, 0);
	call(SYS_statx, 1, 0, -1, -1, 0, 0);
	call(SYS_statx, 1, 0, 0x4000, 0x7ff, 0, 0);
	call(SYS_statx, 1, 0, 0x6100, 0xfff, 0, 0);
	call(SYS_mremap, 1, 0, 0, -1, 0, 0);
	call(SYS_mlockall, -1, 0, 0, 0, 0, 0);
	call(SYS_memfd_create, 0, -1, 0, 0, 0, 0);
	call(SYS_fallocate, 0, -1, 0, 0, 0, 0);
	call(SYS_renameat2, 0, 0, 0, 0, -1, 0);
	call(SYS_mount, 0, 0, 0, -1, 0, 0);
	call(SYS_umount2, 0, -1, 0, 0, 0, 0);
	call(SYS_close_range, 0, 0, -1, 0, 0, 0);
	call(SYS_unshare, -1, 0, 0, 0, 0, 0);
	call(SYS_poll, (long)&polled, 1, 0, 0, 0, 0);
	call(SYS_epoll_ctl, 1, 1, 1, (long)&epolled, 0, 0);
	call(SYS_epoll_create1, -1, 0, 0, 0, 0, 0);
	call(SYS_getrandom, 0, 0, -1, 0, 0, 0);
	call(SYS_inotify_add_watch, 0, 0, -1, 0, 0, 0);
	call(SYS_inotify_init1, -1, 0, 0, 0, 0, 0);
	call(SYS_timerfd_create, 1, -1, 0, 0, 0, 0);
	call(SYS_signalfd4, 0, 0, 0, -1, 0, 0);
	call(SYS_splice, 0, 0, 0, 0, 0, -1);
	call(SYS_preadv2, 0, 0, 0, 0, 0, -1);
	call(SYS_mprotect, 0, 0, -1, 0, 0, 0);
	call(SYS_fcntl, 1, 2, -1, 0, 0, 0);
	call(SYS_fcntl, 1, 4, -1, 0, 0, 0);
	call(SYS_fcntl, 1, 1033, -1, 0, 0, 0);
	call(SYS_access, 0, -1, 0, 0, 0, 0);
	call(SYS_pidfd_open, 1, -1, 0, 0, 0, 0);
	call(SYS_seccomp, 1, -1, 0, 0, 0, 0);
	call(SYS_clock_nanosleep, 1, -1, 0, 0, 0, 0);
	call(SYS_mknod, 0, 0x9fff, 1, 0, 0, 0);
	call(SYS_statx, 1, 0, 0, 0, (long)statx, 0);
	call(SYS_mlock2, 0, 0, -1, 0, 0, 0);
	call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}
