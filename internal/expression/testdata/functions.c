/* Types of functions, as a debugger spells them. It runs until it is killed. */
#include <stddef.h>
#include <stdint.h>

struct op;
union u;
enum e { A, B };
typedef struct {
	int x;
} anon;
typedef const char *cs;
typedef int fn(int);
typedef int vec __attribute__((vector_size(16)));

volatile int sink;

int work(int i)
{
	for (int k = 0; k < 100; k++)
		sink += i;
	return sink;
}

long (*p1)(long, unsigned long, long long, unsigned char, short, unsigned short, _Bool, long double, float, signed char, char, unsigned, unsigned long long) = (void *)work;
int (*p2)() = (void *)work;
void (*p3)(struct op *, union u *, enum e, anon, const anon *, cs, size_t, uint8_t, int (*)[5], int[3][4], const volatile int *const *volatile, char *restrict, struct op **, const cs, void *, const void *) = (void *)work;
int *(*p4)(void) = (void *)work;
int (*p5[3])(int) = { work, 0, work };
int *(*(*p6)(int (*)(void), char[2]))[4] = (void *)work;
const char *const (*p7)(int, ...) = (void *)work;
struct {
	int (*f)(anon);
	fn *next;
} s = { (void *)work, work };
int (*(*p8)(void))(double) = (void *)work;
struct {
	int a;
} *(*p9)(enum { INNER } *) = (void *)work;
__int128 (*p10)(unsigned __int128, vec) = (void *)work;
uint64_t (*p11)(volatile struct op *const, const struct op *volatile) = (void *)work;
fn *p12 = work, **p13 = &p12;
void (*nowhere)(void) = (void *)16, (*none)(void);
struct op *declared = (struct op *)0x1234;
union u *other;

int main()
{
	for (;;)
		p12(1);
}
