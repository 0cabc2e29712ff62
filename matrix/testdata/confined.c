/* Ways of giving up rights: a system call of another's may end the program. */
#include "way.h"
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* By an array of calls of its own, since the C library's exit makes more. */
static _Noreturn void leave(int status)
{
	syscall(SYS_exit, status);
	__builtin_trap();
}

static void strict(void)
{
	burn(0.04);
	SAY("before");
	MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	spin(60000000);
	if (write(1, "after\n", 6) != 6)
		leave(1);
	spin(10000000);
	leave(5);
}

static void strict_reads(void)
{
	char b[4096];
	long sum = 0;
	ssize_t n;

	burn(0.04);
	MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	while ((n = read(0, b, 100)) > 0) {
		spin(100000);
		for (ssize_t i = 0; i < n; i++)
			sum += b[i];
	}
	spin(30000000);
	leave(sum & 0x7f);
}

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Only what this program needs, and else what. */
static void filter(unsigned otherwise, bool by_prctl)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(write),
		ALLOW(exit_group),
		ALLOW(rt_sigreturn),
		ALLOW(clock_gettime),
		BPF_STMT(BPF_RET | BPF_K, otherwise),
	};
	struct sock_fprog program = { LENGTH(rules), rules };

	MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	MUST(!(by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
			: (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)));
}

static void filtered(void)
{
	burn(0.04);
	SAY("before");
	filter(SECCOMP_RET_KILL_PROCESS, true);
	burn(0.06);
	SAY("after");
	_exit(6);
}

static void filtered_by_errno(void)
{
	burn(0.04);
	SAY("before");
	filter(SECCOMP_RET_ERRNO | EPERM, false);
	burn(0.06);
	SAY_CALL(getppid());
	_exit(7);
}

static void filtered_to_death(void)
{
	burn(0.04);
	SAY("before");
	filter(SECCOMP_RET_KILL_PROCESS, true);
	burn(0.04);
	SAY("confined");
	getppid();
	SAY("after");
}

static volatile sig_atomic_t trapped;

static void on_sys(int s, siginfo_t *i, void *context)
{
	(void)s;
	(void)context;
	trapped++;
	if (i->si_syscall != SYS_getppid)
		SAY("call %d", i->si_syscall);
}

static void filter_traps(void)
{
	struct sigaction a = { .sa_sigaction = on_sys, .sa_flags = SA_SIGINFO };

	sigaction(SIGSYS, &a, NULL);
	SAY("before");
	burn(0.04);
	filter(SECCOMP_RET_TRAP, true);
	burn(0.06);
	getppid();
	SAY("%d calls trapped", trapped);
	_exit(0);
}

static void drops_user(void)
{
	burn(0.04);
	if (!getuid()) {
		MUST(!setresgid(65534, 65534, 65534));
		MUST(!setresuid(65534, 65534, 65534));
	}
	SAY("user %d %d", getuid() == geteuid(), open("/etc/shadow", O_RDONLY));
	burn(0.06);
	SAY("done");
}

static void not_dumpable(void)
{
	MUST(!prctl(PR_SET_DUMPABLE, 0));
	burn(0.08);
	SAY("dumpable: %d", prctl(PR_GET_DUMPABLE));
}

static void no_new_rights(void)
{
	MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	burn(0.05);
	again(".tells-rights");
}

static void tells_rights(void)
{
	SAY("no new privileges: %d", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	say_status("Seccomp:");
	burn(0.05);
}

static void other_root(void)
{
	burn(0.03);
	if (!getuid())
		MUST(!chroot("/usr/share"));
	MUST(!chdir("/"));
	burn(0.05);
	SAY("done");
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "strict", strict },
		{ "strict-reads", strict_reads },
		{ "filtered", filtered },
		{ "filtered-by-errno", filtered_by_errno },
		{ "filtered-to-death", filtered_to_death },
		{ "filter-traps", filter_traps },
		{ "drops-user", drops_user },
		{ "not-dumpable", not_dumpable },
		{ "no-new-rights", no_new_rights },
		{ "other-root", other_root },
		{ ".tells-rights", tells_rights },
	};

	return go(ways, LENGTH(ways), argc, argv);
}
