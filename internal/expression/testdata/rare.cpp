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
wchar_t wpadded[8] = L"ab", wrun[40] = L"aaaaaaaaaaaaaaab", wfull[3] = { 'a', 'b', 'c' }, wzero[20], wone[1] = {}, wtwo[2] = {};
wchar_t wodd[] = L"é日本\U0001F600\x7f\x1b\"'\\\n\x80", wmixed[] = L"abbbbbbbbbbbc", waccents[] = L"éééééééééééé12", wdigits[] = L"1234\x01" L"56\x01";
wchar_t wbad[] = { (wchar_t)0x110000, L'x', (wchar_t)0xd800, (wchar_t)-1, (wchar_t)0x378, 0xe000, 0xad, 0x301, 0x200b, 0x3000, 0x2028, 0 };
char16_t upair[] = u"x\U0001F600y", ulone[] = { 0xd83d, 'a', 0xde00, 'b', 0 }, uodd[] = { 1, '7', 0xfffe, 0xffff, '8', 'a', 'g', 0x1ff, '7', 0x200, '9', 0 };
char16_t ucut[] = { 'a', 0xd83d, 0 }, *ucuts = ucut, urun[30] = u"aaaaaaaaaaaaaaaaa";
char32_t U32[] = U"thirty\U0001F600two", Ubad[] = { 0x110000, '7', 0x10ffff, 'f', 0 };
wchar_t w200[201], w201[202], *to200 = w200, *to201 = w201, *wodds = wodd, *wbads = wbad, *wnull = 0, *wunmapped = (wchar_t *)8, *wempty = wone;
char c200[201], c201[202], *toc200 = c200, *toc201 = c201, *runs = room + 4;
const char16_t *upairs = upair, *ulones = ulone;
const char32_t *Us = U32;
struct Wide {
	const wchar_t *name;
	wchar_t text[8];
	int n;
	const char *narrow;
	const char16_t *sixteen;
	char32_t c;
} wides[2] = { { L"one", L"two", 3, "narrow", u"four", U'é' }, { L"ONE", L"TWO", 4, "NARROW", u"FOUR", (char32_t)0x110000 } };
const wchar_t *wtexts[] = { L"a", L"a", L"a", L"a", L"a", L"a", L"a", L"a", L"a", L"a", L"a", L"b" };
wchar_t wtable[2][4] = { L"ab", L"cd" }, w1 = 0x378, w2 = 0xad, w3 = (wchar_t)0x110000, w4 = 0x80, w5 = L'\'', w6 = L'\n', w7 = 0x200b, w8 = (wchar_t)0xd800, w9 = -1;
char16_t u1 = 0xd83d, u2 = 0xfffe, u3 = 0x378, u4 = u'"';
typedef char16_t Unit;
Unit unit = u'x', units[] = u"units", *to_units = units;
wchar_t &wref = w4;
struct Plain0 { int a = 1; };
struct Plain1 { int b = 2; };
struct Plains : Plain0, Plain1 { int c = 3; } plains;
struct Twice0 : Plain1 { int d = 4; };
struct Repeated : Plains, Twice0 { int f = 6; } repeated;
Plains several[2];
Plain1 *in_plains = &plains;
Plains *no_plains = 0;
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
First *as_first = &both;
Second *as_second = &both;
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
	for (int i = 0; i < 201; i++) {
		if (i < 200)
			w200[i] = c200[i] = 'a' + i % 3;
		w201[i] = c201[i] = 'a' + i % 3;
	}
	for (;;)
		sink += work(vector, ld, wide, bottom, 1.5);
}
