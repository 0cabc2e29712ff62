#include <stdio.h>

static inline __attribute__((always_inline)) unsigned innermost(unsigned x)
{
	volatile unsigned y = x * 3;	/* line 5 */
	return y + 1;
}

static inline __attribute__((always_inline)) unsigned middle(unsigned x)
{
	return innermost(x) << 1;	/* line 11 */
}

__attribute__((noinline)) unsigned outermost(unsigned x)
{
	return middle(x) ^ 7;		/* line 16 */
}

static unsigned nested(unsigned n)
{
	__attribute__((noinline)) unsigned within(unsigned x) { return x + n; }
	return within(n) + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%u %u\n", outermost(argc), nested(argc));
	return 0;
}
