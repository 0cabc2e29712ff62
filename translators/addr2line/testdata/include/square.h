/* A function of another directory, to be inlined. */
static inline __attribute__((always_inline)) unsigned square(unsigned x)
{
	return x * x + (x >> 3);
}
