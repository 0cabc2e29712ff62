// A function whose parameters always have the same values, and are stored in its prologue.
#include <cstdarg>

struct big { long x, y, z; };

struct body {
	int own = 77;
	int leaf(int a, const char *s, double d, char c, long e, long seventh, big b, ...);
};

static volatile long sink;

__attribute__((noinline)) int body::leaf(int a, const char *s, double d, char c, long e, long seventh, big b, ...)
{
	volatile char room[9000];
	va_list more;
	va_start(more, b);
	room[a] = c;
	sink += va_arg(more, int) + s[0] + (long)d + e + seventh + b.y + own + room[a];
	va_end(more);
	return a;
}

__attribute__((noinline)) void between(long n)
{
	volatile long other[32];
	for (int i = 0; i < 32; i++)
		other[i] = n * 31 + i;
}

int main()
{
	body o;
	for (long n = 0;; n++) {
		between(n);
		o.leaf(11, "text", 2.5, 'q', 55, 66, big{7, 8, 9}, 3);
	}
}
