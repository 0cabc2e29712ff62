/*
 * every.c: makes every system call, with arguments that look like something. Nothing is done where
 * a tracer replaces each call by a result; so it has no C library, which could not start then.
 */
#include "call.h"

#include <stdint.h>

enum { PAGE = 4096, ARGUMENTS = 6, LAST = 451 };

static char zeros[PAGE] __attribute__((aligned(PAGE)));
static char ones[PAGE] __attribute__((aligned(PAGE)));
static char noise[PAGE] __attribute__((aligned(PAGE)));
static char full[PAGE] __attribute__((aligned(PAGE)));
static char text[] = "a text, \"quoted\" and long enough to be cut\n";
static char path[] = "/a/path\1" "2";

static uint64_t state = 1;

static uint64_t draw(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 33;
}

static long value(void)
{
	const long small[] = {
		0, 1, 2, 3, 4, 5, 8, 16, 24, 64, 128, -1, -100, 256, 4096, 0644, 0x80042, 0x8000, 1L << 32,
		0x7fffffff,
	};
	const long pointers[] = {
		(long)zeros, (long)noise, (long)text, (long)path, (long)ones, (long)(noise + 64), 8, (long)"x",
		(long)full, (long)(ones + PAGE - 24),
	};

	switch (draw() % 8) {
	case 0:
	case 1:
	case 2:
		return small[draw() % (sizeof(small) / sizeof(small[0]))];
	case 3:
		return (long)draw() << (draw() % 8);
	default:
		return pointers[draw() % (sizeof(pointers) / sizeof(pointers[0]))];
	}
}

void _start(void)
{
	for (int i = 0; i < PAGE; i++) {
		noise[i] = draw() % 3 ? draw() % 16 : draw();
		full[i] = -1;
		ones[i] = i % 4 ? 0 : 1;
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (long n = 0; n < LAST; n++) {
			/* Numbers that strace does not know are not replaced. */
			if (n == SYS_exit_group || n == SYS_exit || n == SYS_execve)
				continue;
			if (n > SYS_rseq && n < SYS_pidfd_send_signal)
				continue;
			long a[ARGUMENTS];

			for (int i = 0; i < ARGUMENTS; i++)
				a[i] = value();
			call(n, a[0], a[1], a[2], a[3], a[4], a[5]);
		}
	}
	call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}
