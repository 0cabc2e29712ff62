// Types and scopes of C, for values that are compared with gdb's. It runs until it is killed.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>

enum color { RED, GREEN = 5, BLUE };
enum flags { FA = 1, FB = 2, FC = 4 };
typedef struct point { int x, y; } point;
struct node {
	struct node *next;
	const char *name;
	char buffer[24];
	unsigned bits : 3;
	int sbits : 5;
	enum color color;
	enum flags flags;
	union { int i; float f; };
	struct { short a; long b; } inner;
	double weights[3];
	bool ok;
	uint8_t byte;
	int8_t sbyte;
	int (*callback)(int);
	void *opaque;
};
typedef int (*function)(int);

int global_counter = 7;
struct settings { int level; } settings = { 3 };
static const char *file_static = "a static";
long table[40];
char blank[64];
double ratio = 2.5;
float small = 0.1f;
unsigned long long big = 18446744073709551615ULL;
point origin = { 3, -4 };
point *corner = &origin;
enum color paint = BLUE;
enum flags mask = FA | FC;
int matrix[3][4] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
const char *words[] = { "zero", "one\n\"two\"", 0 };
unsigned char raw[] = { 0, 1, 200, 255 };
wchar_t wide = L'x';
const wchar_t *c_wide = L"wide\x3b1";
char16_t c_sixteen[8] = u"c\xd800";
struct { const wchar_t *w; char32_t c[4]; } c_texts = { L"in C", U"in" };
_Bool flag = 1;
static int twice(int n) { return 2 * n; }
function pointer_to = twice;
__thread int per_thread = 42;
volatile int sink;

__attribute__((noinline)) static int leaf(struct node *p, int n, double d, unsigned char c, short s)
{
	static int calls;
	struct node copy = *p;
	point pt = { n, n + 1 };
	long a[5] = { n, n * 2, n * 3, n * 4, n * 5 };
	unsigned u = (unsigned)n + 4000000000u;
	calls++;
	for (int i = 0; i < 300; i++) {
		int n = i * 2;
		double part = d * i;
		sink += n + (int)part + c + s + (int)a[i % 5] + pt.x + (int)u;
	}
	sink += copy.color + calls;
	return sink;
}

static inline int mid(struct node *p, int depth)
{
	int local = depth * 3;
	char text[16];
	memset(text, 'a' + depth % 26, sizeof text);
	text[depth % 12 + 1] = 0;
	int r = leaf(p, local, local / 7.0, (unsigned char)depth, (short)-depth);
	sink += text[0];
	return r + local;
}

__attribute__((noinline)) int outer(int depth, struct node *p)
{
	point here = { depth, -depth };
	float f = depth * 0.25f;
	int r = 0;
	if (depth > 0) {
		int inside = depth + 100;
		r = outer(depth - 1, p);
		sink += inside;
	} else {
		r = mid(p, here.x + 5);
	}
	sink += here.y + (int)f;
	return r;
}

int main(int argc, char **argv)
{
	struct node first = { 0, "first", "buffer", 5, -3, GREEN, FB, { 17 }, { -2, 1L << 40 }, { 1.5, -2.25, 1e100 }, true, 'b', -7, twice, &global_counter };
	struct node second = first;
	second.next = &first;
	second.name = NULL;
	strcpy(second.buffer, "aaaaaaaaaaaaaaaaaaaaab");
	struct node *list = &second;
	per_thread++;
	for (unsigned long round = 0;; round++) {
		sink = outer((int)(round % 6), round % 2 ? list : &first);
		table[round % 40] = (long)round;
	}
	return argc + (argv != 0);
}
