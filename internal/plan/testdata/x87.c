/* Reads calculations, and writes what the processor makes of them. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct calculation {
	uint64_t op;
	uint64_t a[2], b[2];
};

static long double number(const uint64_t words[2])
{
	long double x = 0;

	memcpy(&x, words, 10);
	return x;
}

int main(void)
{
	struct calculation c;

	while (fread(&c, sizeof c, 1, stdin) == 1) {
		volatile long double a = number(c.a), b = number(c.b), x = 0;
		volatile double d;
		volatile float f;
		uint64_t out[2] = { 0, 0 };
		double word;

		memcpy(&word, &c.a[0], 8);
		d = word;
		switch (c.op) {
		case 0: x = a + b; break;
		case 1: x = a - b; break;
		case 2: x = a * b; break;
		case 3: x = a / b; break;
		case 4: out[0] = a == b; break;
		case 5: out[0] = a != b; break;
		case 6: out[0] = a < b; break;
		case 7: out[0] = a <= b; break;
		case 8: x = (int64_t)c.a[0]; break;
		case 9: x = c.a[0]; break;
		case 10: x = d; break;
		case 11: d = (double)a; break;
		case 12: f = (float)a; d = f; break;
		}
		if (c.op < 4 || (c.op > 7 && c.op < 11))
			memcpy(out, (void *)&x, 10);
		if (c.op > 10)
			memcpy(out, (void *)&d, 8);
		fwrite(out, sizeof out, 1, stdout);
	}
	return 0;
}
