/* Ways of living with limits. */
#include "way.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

static void limit(int what, rlim_t most)
{
	struct rlimit l = { most, most };

	MUST(!setrlimit(what, &l));
}

/* What the program may use is what its caller gave it. */
static void reads(void)
{
	struct rlimit l;

	burn(0.05);
	for (int what = 0; what < RLIM_NLIMITS; what++) {
		MUST(!getrlimit(what, &l));
		SAY("%d: %ld %ld", what, (long)l.rlim_cur, (long)l.rlim_max);
	}
}

static void files(void)
{
	int n = 0;

	burn(0.03);
	limit(RLIMIT_NOFILE, 20);
	while (open("/dev/null", O_RDONLY) >= 0)
		n++;
	SAY("%d files, then %s", n, strerror(errno));
	burn(0.06);
}

static void few_files_over_exec(void)
{
	limit(RLIMIT_NOFILE, 6);
	burn(0.03);
	again(".files-in-few");
}

static void files_in_few(void)
{
	int n = 0;

	while (open("/dev/null", O_RDONLY) >= 0)
		n++;
	SAY("%d files, then %s", n, strerror(errno));
	burn(0.05);
}

static volatile sig_atomic_t exceeded;

static void exceeds(int s) { (void)s; exceeded++; }

static void file_size(void)
{
	char name[] = "limited.XXXXXX", b[4096] = "";
	int n = 0, fd = mkstemp(name);

	MUST(fd >= 0);
	signal(SIGXFSZ, exceeds);
	limit(RLIMIT_FSIZE, 10 * sizeof b);
	burn(0.05);
	while (write(fd, b, sizeof b) == sizeof b)
		n++;
	SAY("%d blocks, then %s, %d signals", n, strerror(errno), exceeded);
	unlink(name);
	burn(0.06);
	SAY("%d signals", exceeded);
}

/* The burning alone must not exceed it. */
static void file_size_of_nothing(void)
{
	limit(RLIMIT_FSIZE, 0);
	burn(0.1);
	SAY("alive");
}

static void tries(const char *what, size_t n)
{
	char *p = malloc(n);

	SAY("%s: %s", what, p ? "there" : strerror(errno));
	for (size_t i = 0; p && i < n; i += 4096)
		p[i] = 1;
	free(p);
	burn(0.03);
}

static void address_space(void)
{
	limit(RLIMIT_AS, 300 << 20);
	tries("100 MB", 100 << 20);
	tries("400 MB", 400 << 20);
	again("small-in-space");
}

static void data_size(void)
{
	limit(RLIMIT_DATA, 64 << 20);
	tries("30 MB", 30 << 20);
	tries("100 MB", 100 << 20);
	again("small-in-space");
}

static void small_in_space(void)
{
	burn(0.03);
	tries("20 MB", 20 << 20);
}

static int deepen(int n)
{
	volatile char room[1024];

	room[0] = (char)n;
	if (n % 500 == 0)
		burn(0.003);
	return n ? deepen(n - 1) + room[0] - (char)n : 1;
}

static void stack_size(void)
{
	struct rlimit l = { 8 << 20, 8 << 20 };

	l.rlim_cur = 4 << 20;
	MUST(!setrlimit(RLIMIT_STACK, &l));
	SAY("deep: %d", deepen(3000));
	burn(0.03);
}

static void timers(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t t;
	int n = 0;

	limit(RLIMIT_SIGPENDING, 3);
	burn(0.05);
	while (n < 10 && !timer_create(CLOCK_MONOTONIC, &e, &t))
		n++;
	SAY("%d timers", n);
	burn(0.05);
}

/* The limit counts all that a user has, so that he must have nothing else. */
static void pending_signals(void)
{
	uid_t alone = 0x10000000 + (uid_t)getpid();

	if (!getuid())
		MUST(!setresuid(alone, alone, alone));
	again(".timers");
}

static void locked(void)
{
	char *p;

	limit(RLIMIT_MEMLOCK, 1 << 20);
	burn(0.03);
	p = mmap(NULL, 1 << 19, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	MUST(p != MAP_FAILED);
	SAY("mlock: %d", mlock(p, 1 << 19));
	burn(0.05);
}

static void cores(void)
{
	limit(RLIMIT_CORE, 0);
	burn(0.05);
	abort();
}

static void processor_time(void)
{
	struct rlimit l = { 1000, 2000 };

	MUST(!setrlimit(RLIMIT_CPU, &l));
	burn(0.06);
	MUST(!getrlimit(RLIMIT_CPU, &l));
	SAY("%ld %ld", (long)l.rlim_cur, (long)l.rlim_max);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "reads", reads },
		{ "files", files },
		{ "few-files-over-exec", few_files_over_exec },
		{ "file-size", file_size },
		{ "file-size-of-nothing", file_size_of_nothing },
		{ "address-space", address_space },
		{ "data-size", data_size },
		{ "small-in-space", small_in_space },
		{ "stack-size", stack_size },
		{ "pending-signals", pending_signals },
		{ "locked", locked },
		{ "cores", cores },
		{ "processor-time", processor_time },
		{ ".files-in-few", files_in_few },
		{ ".timers", timers },
	};

	return go(ways, LENGTH(ways), argc, argv);
}
