// Use of CPU time, in loops that a compiler leaves as they are.
#include <math.h>
#include <time.h>

static inline double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline __attribute__((always_inline)) void spin(long n)
{
	unsigned long x = 1;
	while (n--) {
		x = x * 6364136223846793005ul + 1;
		__asm__ volatile("" : : "r"(x));
	}
}

static inline void burn(double seconds)
{
	double end = cpu() + seconds;
	while (cpu() < end)
		spin(20000);
}

// Code in one more object.
static inline double sqrt_in_libm(void)
{
	double end = cpu() + 0.2;
	volatile double x = 0.3;
	while (cpu() < end)
		for (int i = 0; i < 10000; i++)
			x = tgamma(x) / 3;
	return x;
}
