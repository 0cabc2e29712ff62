// Types of C++ that few programs have, for values that are compared with gdb's. It runs until it is killed.
#include <cstdint>

struct Top {
	int top = 1;
	virtual ~Top() {}
};
struct Left : virtual Top {
	int left = 2;
};
struct Right : virtual Top {
	int right = 3;
};
struct Bottom : Left, Right {
	int bottom = 4;
	static const int fixed = 7;
	static int counted;
	static const char *label;
};
int Bottom::counted = 8;
const char *Bottom::label = "label";
namespace ns {
template <class T, int N> struct Box {
	static int made;
	T items[N];
};
template <class T, int N> int Box<T, N>::made = 9;
}
using ns::Box;
namespace alias = ns;
typedef float vec4 __attribute__((vector_size(16)));
typedef int vec2 __attribute__((vector_size(8)));
struct Flexible {
	int n;
	char text[];
};
struct Hidden : private Left {
	int left = 20;
	int x = 21;
};

long double ld = 0.1L;
long double ldbig = -1e4000L;
__int128 wide = (__int128)1 << 100;
unsigned __int128 uwide = ~(unsigned __int128)0;
__int128 negative = -5;
vec4 vector = { 1, 2.5, -3, 4 };
Bottom bottom;
Top *top = &bottom;
Left *left = &bottom;
Hidden hidden;
Box<long, 3> box = { { 1, 2, 3 } };
ns::Box<const char *, 1> texts = { { "text" } };
char room[32] = { 5, 0, 0, 0, 'a', 'b', 0 };
Flexible *flexible = (Flexible *)room;
wchar_t wtext[] = L"wide";
const wchar_t *wp = L"pointed";
char16_t u16[] = u"sixteen";
thread_local int per_thread = 41;
int (*function)(int);
int Bottom::*member = &Bottom::bottom;
struct Opaque;
struct First {
	int first = 1;
	virtual int one(int a) { return a + first; }
	virtual ~First() {}
};
struct Second {
	int second = 2;
	virtual long two() { return second; }
};
struct Both : First, Second {
	int both = 3, bits : 4;
	int plain(int a) const { return a + both; }
	int one(int a) override { return a; }
	virtual void many(const char *, ...) {}
};
Both both;
Opaque *opaque = (Opaque *)0x1234;
Opaque &referred = *opaque;
int Both::*own = &Both::both, Both::*none = 0, Both::*of_first = &Both::first, Both::*of_second = &Both::second;
int (Both::*plain)(int) const = &Both::plain;
int (Both::*one)(int) = &Both::one, (Both::*nothing)(int) = 0;
long (Both::*two)() = &Both::two;
int Opaque::*unknown = (int Opaque::*)&Both::both;
int (Opaque::*unknown_function)(int) = (int (Opaque::*)(int))&Both::one;
void (Both::*many)(const char *, ...) = &Both::many;
struct Callbacks {
	int Both::*data;
	int (Both::*method)(int) const;
	Opaque *of;
	Box<long, 3> *(*function)(const Box<const char *, 1> &, Both &&, ns::Box<long, 3>, const volatile Opaque *const *, ...);
} callbacks = { &Both::both, &Both::plain, opaque, 0 };
void *(*allocate)(unsigned long) = (void *(*)(unsigned long))0x401000;
int empty[0];
enum : unsigned char { small1 = 200 } small = small1;
bool flags[3] = { true, false, true };
volatile int sink;

__attribute__((noinline)) int work(vec4 v, long double l, __int128 w, Bottom &b, double d)
{
	vec4 twice = v + v;
	per_thread++;
	for (int i = 0; i < 100; i++)
		sink += (int)(twice[i & 3] + (float)l + (float)d) + b.bottom + (int)w;
	return (int)twice[1] + box.made + texts.made;
}

int main()
{
	for (;;)
		sink += work(vector, ld, wide, bottom, 1.5);
}
