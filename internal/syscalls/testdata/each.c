/*
 * each.c: makes each system call once, of which a filter lets none through: a tracer sees all, the
 * kernel does nothing. It has no C library.
 */
#include "call.h"

#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>

static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 2),
};
static struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

void _start(void)
{
	if (call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0) ||
	    call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0, 0, 0))
		call(SYS_exit_group, 1, 0, 0, 0, 0, 0);
	for (long n = 0; n <= LAST; n++) {
		if (n != SYS_exit_group && (n <= SYS_rseq || n >= SYS_pidfd_send_signal))
			call(n, 0, 0, 0, 0, 0, 0);
	}
	call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}
