#ifdef __x86_64__

#include "peculiar.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>

enum { PECULIAR = 24 };
static struct { uintptr_t start, end; } peculiar[PECULIAR];
static uint32_t peculiars;

static void add(uintptr_t start, uintptr_t end)
{
	if (peculiars < PECULIAR && start < end) {
		peculiar[peculiars].start = start;
		peculiar[peculiars++].end = end;
	}
}

static void add_function(void *f)
{
	Dl_info info;
	void *symbol;

	if (f && dladdr1(f, &info, &symbol, RTLD_DL_SYMENT) && symbol)
		add((uintptr_t)f, (uintptr_t)f + ((const ElfW(Sym) *)symbol)->st_size);
}

static void add_linker(void)
{
	const ElfW(Ehdr) *e = (const void *)getauxval(AT_BASE);
	const ElfW(Phdr) *p = e ? (const void *)((const char *)e + e->e_phoff) : NULL;

	for (unsigned i = 0; e && i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X)
			add((uintptr_t)e + p[i].p_vaddr, (uintptr_t)e + p[i].p_vaddr + p[i].p_memsz);
}

void peculiar_find(void)
{
	static const char *const names[] = {
		"setjmp", "_setjmp", "__sigsetjmp", "getcontext", "swapcontext", "vfork", "syscall", "clone",
		"dlsym", "dlvsym", "dlopen", "dlmopen", "_Ux86_64_getcontext", "unw_getcontext", "__unw_getcontext",
	};

	add_linker();
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		void *f = dlsym(RTLD_DEFAULT, names[i]), *next = dlsym(RTLD_NEXT, names[i]);

		add_function(f);
		/* Which is another one where we stand before it. */
		if (next != f)
			add_function(next);
	}
}

bool peculiar_holds(uint64_t pc)
{
	for (uint32_t i = 0; i < peculiars; i++)
		if (pc >= peculiar[i].start && pc < peculiar[i].end)
			return true;
	return false;
}

#endif
