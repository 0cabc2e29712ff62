/*
 * truth: runs a loop of some parts, each a function, and tells what share of its CPU time each part has, by the
 * thread's own clock.
 *
 *	truth KIND SECONDS [BYTES]
 *
 * KIND is pipes or sockets (two processes take turns, and pass on BYTES), turns (the same, with longer ones), futex
 * (two threads do), disk, faults (pages of fresh memory) or cpu; SECONDS of CPU time are used by the first process
 * or thread. For each part it prints the nanoseconds that it took in all threads, NAME NS, of the rounds that were
 * measured: one in EACH, for to read the clock takes time, too. What that is, is measured beside it and left out.
 * The system calls are made in the parts themselves, so that a pc is in the part that it belongs to.
 *
 * A turn has its end in the kernel, with interrupts off: no clock finds the thread there, but a little later where
 * the next one goes on. Where turns are short shares of `put` and `get` are off by that, with every sampler.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PART __attribute__((noinline, noclone))

enum { EACH = 8, PARTS = 4, SIDES = 2, LOOP = 3000, /* of a short turn */ TURN = 20000, BLOCK = 65536, PAGE = 4096, PAGES = 16 };

static inline long call(long n, long a, long b, long c, long d, long e, long f)
{
#ifdef __x86_64__
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return result;
#else
	register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
#endif
}

struct side {
	int in, out, file;    /* descriptors */
	_Atomic int *mine, *other; /* futexes: 1 is my turn */
	char *memory;
	uint64_t spent[PARTS], clock, rounds, measured;
};

static volatile uint64_t result;
static struct side *sides;
static _Atomic int turns[SIDES];
static _Atomic bool *over;
static char block[BLOCK];
static long size = 1; /* of what is passed */
static int loop = LOOP;

PART static uint64_t now(void)
{
	struct timespec t;

	call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* What is inlined has no function of its own. */
#define BURN(n) \
	do { \
		uint64_t x = result; \
		for (int i = 0; i < (n); i++) \
			x = x * UINT64_C(6364136223846793005) + 1442695040888963407; \
		result = x; \
	} while (0)

PART static void work(struct side *s)
{
	(void)s;
	BURN(loop);
}

PART static void other(struct side *s)
{
	(void)s;
	BURN(2 * loop);
}

PART static void put(struct side *s)
{
	call(SYS_write, s->out, (long)block, size, 0, 0, 0);
}

PART static void get(struct side *s)
{
	if (call(SYS_read, s->in, (long)block, size, 0, 0, 0) <= 0)
		atomic_store(over, true);
}

PART static void wake(struct side *s)
{
	atomic_store(s->other, 1);
	call(SYS_futex, (long)s->other, FUTEX_WAKE, 1, 0, 0, 0);
}

PART static void await(struct side *s)
{
	int was;

	while ((was = atomic_exchange(s->mine, 0)) == 0 && !atomic_load(over))
		call(SYS_futex, (long)s->mine, FUTEX_WAIT, 0, 0, 0, 0);
}

PART static void store(struct side *s)
{
	call(SYS_pwrite64, s->file, (long)block, BLOCK, (long)(s->rounds % 16) * BLOCK, 0, 0);
}

PART static void load(struct side *s)
{
	call(SYS_pread64, s->file, (long)block, BLOCK, (long)(s->rounds % 16) * BLOCK, 0, 0);
}

PART static void flush(struct side *s)
{
	if (s->rounds % 16 == 0)
		call(SYS_fsync, s->file, 0, 0, 0, 0, 0);
}

PART static void map(struct side *s)
{
	s->memory = (char *)call(SYS_mmap, 0, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

PART static void touch(struct side *s)
{
	for (int i = 0; i < PAGES; i++)
		((volatile char *)s->memory)[i * PAGE] = 1;
}

PART static void unmap(struct side *s)
{
	call(SYS_munmap, (long)s->memory, PAGES * PAGE, 0, 0, 0, 0);
}

struct part {
	const char *name;
	void (*f)(struct side *);
};

static const struct kind {
	const char *name;
	int sides;
	struct part parts[PARTS];
} kinds[] = {
	{ "pipes", 2, { { "work", work }, { "put", put }, { "get", get } } },
	{ "sockets", 2, { { "work", work }, { "put", put }, { "get", get } } },
	{ "turns", 2, { { "work", work }, { "store", store }, { "put", put }, { "get", get } } },
	{ "futex", 2, { { "work", work }, { "wake", wake }, { "await", await } } },
	{ "disk", 1, { { "work", work }, { "store", store }, { "load", load }, { "flush", flush } } },
	{ "faults", 1, { { "work", work }, { "map", map }, { "touch", touch }, { "unmap", unmap } } },
	{ "cpu", 1, { { "work", work }, { "other", other } } },
};

static const struct kind *kind;
static uint64_t enough;

/* A round of which the parts are measured; when it ended. */
static uint64_t measure(struct side *s)
{
	uint64_t t, next;

	now(); /* what it needs is in the cache then */
	t = now();
	next = now();
	s->clock += next - t;
	for (int i = 0; i < PARTS && kind->parts[i].f; i++) {
		t = next;
		kind->parts[i].f(s);
		next = now();
		s->spent[i] += next - t;
	}
	s->measured++;
	return next;
}

static void *run(void *arg)
{
	struct side *s = arg;
	uint64_t random = (uint64_t)(s - sides) + 1;

	while (!atomic_load(over)) {
		s->rounds++;
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		if (random >> 33 & (EACH - 1)) {
			for (int i = 0; i < PARTS && kind->parts[i].f; i++)
				kind->parts[i].f(s);
		} else if (measure(s) > enough && s == sides) {
			break;
		}
	}
	atomic_store(over, true);
	if (s->mine)
		wake(s);
	return NULL;
}

static void two_processes(void)
{
	int a[2], b[2];

	sides[0].file = sides[1].file = memfd_create("truth", 0);
	if (strcmp(kind->name, "sockets") != 0) {
		if (pipe(a) < 0 || pipe(b) < 0)
			exit(1);
		sides[0].in = a[0], sides[0].out = b[1], sides[1].in = b[0], sides[1].out = a[1];
	} else {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, a) < 0)
			exit(1);
		sides[0].in = sides[0].out = a[0], sides[1].in = sides[1].out = a[1];
	}
	if (fork() == 0) {
		close(sides[0].in);
		close(sides[0].out);
		get(&sides[1]); /* the other one begins */
		run(&sides[1]);
		exit(0);
	}
	close(sides[1].in);
	close(sides[1].out);
	run(&sides[0]);
	close(sides[0].in);
	close(sides[0].out);
	wait(NULL);
}

static void two_threads(void)
{
	pthread_t t;

	for (int i = 0; i < SIDES; i++)
		sides[i].mine = &turns[i], sides[i].other = &turns[!i];
	turns[0] = 1;
	if (pthread_create(&t, NULL, run, &sides[1]))
		exit(1);
	run(&sides[0]);
	pthread_join(t, NULL);
}

static void one(void)
{
	FILE *f = strcmp(kind->name, "disk") == 0 ? tmpfile() : NULL;

	if (f)
		sides[0].file = fileno(f);
	run(&sides[0]);
}

int main(int argc, char **argv)
{
	uint64_t clock = 0, measured = 0;

	if (argc == 4)
		size = atol(argv[3]);
	for (size_t i = 0; argc > 2 && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			kind = &kinds[i];
	sides = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!kind || sides == MAP_FAILED) {
		fputs("usage: truth pipes|sockets|turns|futex|disk|faults|cpu SECONDS [BYTES]\n", stderr);
		return 2;
	}
	if (strcmp(kind->name, "turns") == 0)
		loop = TURN;
	over = (_Atomic bool *)((char *)sides + PAGE / 2);
	enough = (uint64_t)(atof(argv[2]) * 1e9);
	signal(SIGPIPE, SIG_IGN);
	if (kind->sides == 1)
		one();
	else if (strcmp(kind->name, "futex") == 0)
		two_threads();
	else
		two_processes();
	for (int i = 0; i < kind->sides; i++)
		clock += sides[i].clock, measured += sides[i].measured;
	for (int i = 0; i < PARTS && kind->parts[i].f; i++) {
		uint64_t spent = 0;

		for (int j = 0; j < kind->sides; j++)
			spent += sides[j].spent[i];
		printf("%s %llu\n", kind->parts[i].name, (unsigned long long)(spent > clock ? spent - clock : 0));
	}
	return measured ? 0 : 1;
}
