// stopper PID: traces a thread by ptrace and does at each of its SIGVTALRM what no sampler from
// outside can do without: it waits for the stop, reads the registers and a piece of the stack, and
// lets the thread go on, without the signal. It prints "ready" when it has begun, and at the end
// the number of such stops.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	pid_t pid = argc == 2 ? atoi(argv[1]) : 0;
	long stops = 0;
	int status;

	if (pid <= 0 || ptrace(PTRACE_SEIZE, pid, 0, 0))
		return 1;
	puts("ready");
	fflush(stdout);
	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		long signal = status >> 16 ? 0 : WSTOPSIG(status);

		if (signal == SIGVTALRM) {
			struct user_regs_struct regs;
			char stack[256];
			struct iovec to = {stack, sizeof stack}, from = {NULL, sizeof stack};

			if (ptrace(PTRACE_GETREGS, pid, 0, &regs))
				return 1;
			from.iov_base = (void *)regs.rsp;
			if (process_vm_readv(pid, &to, 1, &from, 1, 0) < 0)
				return 1;
			stops++;
			signal = 0;
		}
		if (ptrace(PTRACE_CONT, pid, 0, signal))
			return 1;
	}
	printf("%ld\n", stops);
	return 0;
}
