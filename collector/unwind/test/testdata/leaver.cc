// A library that takes some time when it is unloaded: under a function of crtstuff, which has no
// call frame information.
#include <ctime>

static volatile int left;

struct Leaver {
	~Leaver();
};

__attribute__((noinline)) static void leave(clock_t until)
{
	while (clock() < until)
		left = left + 1;
}

Leaver::~Leaver()
{
	leave(clock() + CLOCKS_PER_SEC / 20);
}

static Leaver leaver;

extern "C" int plugin(int n)
{
	return n + left;
}
