#include "perf.h"
#include "sys.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

enum { PAGE = 4096 };

/* Tells our events from others' in a signal's data. */
#define DATA_MAGIC (UINT64_C(0x70637421) << 32)
#define COUNTER_MAGIC (UINT64_C(0x70637422) << 32)

enum { PERF_LATE = 1 /* TRAP_PERF_FLAG_ASYNC */ };

static int open_event(int tid, uint64_t config, uint64_t period, int signal, uint64_t data, bool heirs)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof a,
		.config = config,
		.sample_period = period,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = signal != 0,
		.remove_on_exec = signal == 0,
		.sigtrap = signal == 0,
		.inherit = heirs,
		.inherit_thread = heirs,
		.sig_data = signal == 0 ? data : 0,
	};

	return (int)sys5(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Whether the kernel is at least this version. */
static bool at_least(int major, int minor)
{
	struct utsname u;
	int v[2] = { 0, 0 };
	const char *s = u.release;

	if (sys1(SYS_uname, &u) < 0)
		return false;
	for (int i = 0; i < 2; i++, s++)
		for (; *s >= '0' && *s <= '9'; s++)
			v[i] = v[i] * 10 + *s - '0';
	return v[0] > major || (v[0] == major && v[1] >= minor);
}

bool perf_trap_is_safe(void)
{
	/* Before 5.19 such a trap killed a thread that blocked SIGTRAP. */
	return at_least(5, 19);
}

/* The event whose descriptor is kept, by its id and inode: there is one at most. */
static struct {
	uint64_t id;
	dev_t device;
	ino_t inode;
} kept;

static bool identify(int fd, uint64_t *id, struct stat *st)
{
	return sys2(SYS_fstat, fd, st) == 0 && sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ID, id) == 0;
}

/* A program that closes all descriptors may have another file by this number since. */
static void close_kept(int fd)
{
	struct stat st;
	uint64_t id;

	if (sys2(SYS_fstat, fd, &st) == 0 && st.st_dev == kept.device && st.st_ino == kept.inode &&
	    identify(fd, &id, &st) && id == kept.id)
		sys_close(fd);
}

static void *keep(int fd)
{
	struct stat st;

	if (!identify(fd, &kept.id, &st)) {
		sys_close(fd);
		return NULL;
	}
	kept.device = st.st_dev;
	kept.inode = st.st_ino;
	return (void *)(uintptr_t)((unsigned)fd << 1 | 1); /* an odd number is a descriptor */
}

void *perf_open(int tid, uint64_t period, int signal, uint32_t data, bool heirs)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = tid };
	int fd = open_event(tid, PERF_COUNT_SW_TASK_CLOCK, period, signal, DATA_MAGIC | data, heirs);
	void *event;

	if (fd < 0)
		return NULL;
	if (heirs)
		return keep(fd);
	event = sys_mmap(PAGE, PROT_READ, MAP_SHARED, fd);
	if (event && signal) {
		sys3(SYS_fcntl, fd, F_SETFL, O_ASYNC | O_NONBLOCK);
		sys3(SYS_fcntl, fd, F_SETSIG, signal);
		sys3(SYS_fcntl, fd, F_SETOWN_EX, &owner);
		sys3(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	sys_close(fd);
	return event;
}

void *perf_open_counter(int tid, uint64_t config, uint64_t period, uint32_t data)
{
	int fd = open_event(tid, config, period, 0, COUNTER_MAGIC | data, false);
	void *event = fd < 0 ? NULL : sys_mmap(PAGE, PROT_READ, MAP_SHARED, fd);

	if (fd >= 0)
		sys_close(fd);
	return event;
}

void perf_close(void *event)
{
	if ((uintptr_t)event & 1)
		close_kept((int)((uintptr_t)event >> 1));
	else if (event)
		sys2(SYS_munmap, event, PAGE);
}

/* What a trap tells, where old headers have no names for it: this follows si_addr. */
struct trap {
	uint64_t data;
	uint32_t type, flags;
};

static bool trapped(const siginfo_t *info, uint64_t magic, uint32_t *data, bool *late)
{
	const struct trap *t = (const void *)((const char *)&info->si_addr + sizeof(void *));

	*data = (uint32_t)t->data;
	*late = t->flags & PERF_LATE;
	return info->si_code == TRAP_PERF && (t->data & ~(uint64_t)UINT32_MAX) == magic;
}

bool perf_counted(const siginfo_t *info, uint32_t *data, bool *late)
{
	return trapped(info, COUNTER_MAGIC, data, late);
}

bool perf_ticked(int signal, const siginfo_t *info, uint32_t *data)
{
	bool late;

	if (signal == SIGTRAP)
		return trapped(info, DATA_MAGIC, data, &late);
	*data = 0; /* F_SETSIG tells of the descriptor alone, and that is closed */
	return info->si_code == POLL_IN || info->si_code == POLL_HUP;
}
