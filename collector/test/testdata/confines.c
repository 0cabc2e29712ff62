/*
 * confines: is left only what it needs by a filter of system calls, and goes on. What loads that is in a library,
 * as in libseccomp (-DLIBRARY).
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int seccomp_load(void *filter);

#ifdef LIBRARY

int seccomp_load(void *filter)
{
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter);
}

#else

#include "burn.h"

#define ALLOW(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int main(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), ALLOW(SYS_write), ALLOW(SYS_exit_group),
		ALLOW(SYS_rt_sigreturn), ALLOW(SYS_brk), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };

	burn(0.1);
	free(malloc(1000));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || seccomp_load(&program))
		return 1;
	spin(200000000);
	for (int i = 0; i < 1000; i++)
		free(malloc(1000));
	if (write(1, "done\n", 5) != 5)
		return 1;
	_exit(0);
}

#endif
