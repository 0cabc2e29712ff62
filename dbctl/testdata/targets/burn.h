/* Burning CPU time, in milliseconds of the calling thread. */
#include <time.h>

static inline double burnt(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static inline void burn(double ms)
{
	double end = burnt(CLOCK_THREAD_CPUTIME_ID) + ms;
	while (burnt(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 10000; i++)
			;
}
