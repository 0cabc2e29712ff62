// What an unwinder does on stacks whose return addresses are other ones now and then: unwinds MODE.
#include "burn.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <stdexcept>
#include <unwind.h>

#define CALLED __attribute__((noinline, noclone))

namespace {

volatile long sum;
thread_local long cleaned;
double until;
bool nests = true;

bool going()
{
	return cpu() < until;
}

void check(bool good, const char *what)
{
	if (!good) {
		puts(what);
		exit(1);
	}
}

CALLED void work()
{
	spin(500);
}

// Whose end throws and catches too.
struct resource {
	bool nested;

	explicit resource(bool n) : nested(n) {}
	~resource()
	{
		work();
		if (nested)
			try {
				work();
				throw 1;
			} catch (int i) {
				cleaned += i - 1;
			}
		cleaned++;
	}
};

struct special : std::runtime_error {
	using std::runtime_error::runtime_error;
};

CALLED long down(int levels, void (*f)())
{
	resource r(nests && levels % 3 == 0);

	work();
	if (levels)
		return down(levels - 1, f) + 1;
	f();
	return 0;
}

CALLED void throws()
{
	work();
	throw special("thrown");
}

// Passes an exception on, by two ways.
CALLED void rethrows()
{
	try {
		down(4, throws);
	} catch (const special &) {
		work();
		throw;
	}
}

CALLED void converts()
{
	std::exception_ptr held;

	try {
		down(4, throws);
	} catch (...) {
		held = std::current_exception();
	}
	work();
	std::rethrow_exception(held);
}

CALLED void caught_by(void (*f)(), long expected)
{
	bool caught = false;

	cleaned = 0;
	try {
		down(10, f);
	} catch (const std::runtime_error &e) {
		caught = !strcmp(e.what(), "thrown");
		work();
	}
	check(caught && cleaned == expected, "an exception");
}

void exceptions()
{
	while (going()) {
		caught_by(throws, 11);
		caught_by(rethrows, 16);
		caught_by(converts, 16);
		cleaned = 0;
		check(down(5, work) == 5 && cleaned == 6, "after exceptions");
	}
}

enum { FRAMES = 64 };

struct trace {
	int n;
	uintptr_t pc[FRAMES], cfa[FRAMES];
};

trace traced;

_Unwind_Reason_Code take(_Unwind_Context *c, void *to)
{
	auto *t = static_cast<trace *>(to);

	work();
	t->pc[t->n] = _Unwind_GetIP(c);
	t->cfa[t->n] = _Unwind_GetCFA(c);
	return ++t->n == FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

CALLED void traces()
{
	work();
	traced.n = 0;
	_Unwind_Backtrace(take, &traced);
	work();
}

// Its own return address is the unwinder's.
CALLED _Unwind_Reason_Code hands_on()
{
	work();
	traced.n = 0;
	return _Unwind_Backtrace(take, &traced);
}

CALLED void hands()
{
	sum += hands_on();
}

void backtraces()
{
	void (*const ways[])() = { traces, hands };

	for (auto f : ways) {
		static trace first;

		first.n = 0;
		for (double end = cpu() + 0.15; cpu() < end;) {
			down(20, f);
			if (!first.n)
				first = traced;
			check(first.n > 22 && !memcmp(&first, &traced, sizeof first), "a trace");
		}
	}
}

void interrupts(int)
{
	const trace interrupted = traced;
	const long before = cleaned;

	down(5, hands);
	try {
		down(5, [] { throw 1; });
	} catch (int i) {
		work();
	}
	traced = interrupted;
	cleaned = before;
}

// Where a handler of signals unwinds, while an unwinder is at work. Nothing else allocates memory.
void handlers()
{
	struct sigaction action = {};
	sigevent event = {};
	itimerspec times = {};
	timer_t timer;

	nests = false;
	interrupts(0); // an unwinder begins by pthread_once, which a handler in its midst would wait for
	action.sa_handler = interrupts;
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, nullptr);
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGUSR1;
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	times.it_value.tv_nsec = times.it_interval.tv_nsec = 700001;
	timer_settime(timer, 0, &times, nullptr);
	backtraces();
	timer_delete(timer);
}

CALLED void waits()
{
	for (;;) {
		work();
		pthread_testcancel();
	}
}

CALLED void exits()
{
	work();
	pthread_exit(nullptr);
}

void *ends(void *how)
{
	struct counts {
		long *to;

		~counts() { *to = cleaned; }
	} counts{ static_cast<long *>(how) };

	cleaned = 0;
	down(20, *counts.to ? exits : waits);
	return nullptr;
}

void threads()
{
	for (int n = 0; going(); n++) {
		pthread_t t;
		long how = n % 2;
		const bool exiting = how;

		pthread_create(&t, nullptr, ends, &how);
		down(10, work);
		if (!exiting)
			pthread_cancel(t);
		pthread_join(t, nullptr);
		check(how == 21 || (!exiting && how == 0), "what a thread cleaned up");
	}
}

}

extern "C" int run(const char *mode)
{
	until = cpu() + 0.3;
	if (!strcmp(mode, "exceptions"))
		exceptions();
	else if (!strcmp(mode, "backtraces"))
		backtraces();
	else if (!strcmp(mode, "handlers"))
		handlers();
	else if (!strcmp(mode, "threads"))
		threads();
	else
		return 1;
	puts("done");
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? run(argv[1]) : 1;
}
