// An unwinder that the collector can't stand before meets marks on the stack, and goes on through them by call frame information.
#include "burn.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#define CALLED __attribute__((noinline, noclone))

// In place of what the unwinder that is linked in would ask otherwise.
extern "C" int _dl_find_object(void *pc, struct dl_find_object *result) throw()
{
	static auto next = reinterpret_cast<int (*)(void *, struct dl_find_object *)>(
		dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "_dl_find_object"));

	return next(pc, result);
}

namespace {

enum { FRAMES = 64 };

struct trace {
	int n;
	uintptr_t pc[FRAMES], cfa[FRAMES];
};

volatile long sum;
trace traced;
uintptr_t low, high; // of the collector
int seen;

_Unwind_Reason_Code take(_Unwind_Context *c, void *to)
{
	auto *t = static_cast<trace *>(to);
	uintptr_t pc = _Unwind_GetIP(c);

	if (pc >= low && pc < high) {
		seen++;
		return _URC_NO_REASON;
	}
	t->pc[t->n] = pc;
	t->cfa[t->n] = _Unwind_GetCFA(c);
	return ++t->n == FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

CALLED void work()
{
	spin(2000);
}

CALLED void traces()
{
	work();
	traced.n = 0;
	_Unwind_Backtrace(take, &traced);
	sum++;
}

CALLED void down(int levels)
{
	work();
	if (levels)
		down(levels - 1);
	else
		traces();
	work();
}

int find(dl_phdr_info *info, size_t, void *)
{
	if (!strstr(info->dlpi_name, "libpct.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			high = low + info->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

}

int main()
{
	trace first = {};

	dl_iterate_phdr(find, nullptr);
	for (double end = cpu() + 0.5; cpu() < end;) {
		down(20);
		if (!first.n)
			first = traced;
		if (first.n < 22 || traced.n != first.n || memcmp(first.pc, traced.pc, first.n * sizeof *first.pc) ||
		    memcmp(first.cfa, traced.cfa, first.n * sizeof *first.cfa)) {
			puts("another trace");
			return 1;
		}
	}
	puts(seen ? "done" : "no mark was met");
	return 0;
}
