/*
 * throw.c: what goes out of frames other than by returning, and what reads return addresses, which
 * is to find them as the program made them.
 *
 * All that unwinds stacks, by libgcc and others, linked as a library or into the program, for
 * exceptions, cancelled threads and back traces, asks one of these functions what it is to know of
 * the first frame's code, before it reads the return addresses further out. Where activations are
 * not counted all of that is none of our business, and the program goes straight on to the
 * function that it called.
 */
#include "borrowed.h"
#include "collector.h"
#include "mask.h"
#include "next.h"
#include "options.h"
#include "text.h"
#include "unwind/trampoline.h"
#include "unwind/unwind.h"

#include <link.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef __x86_64__

/*
 * What goes straight on finds who has called the program's function by its own return address: it
 * must not be called itself.
 */
#ifndef __OPTIMIZE__
#error "compile the collector with -O1 or more: here calls have to be jumps"
#endif

#include <setjmp.h>

struct dl_find_object;
typedef int find_function(void *, struct dl_find_object *);
typedef void *catch_function(void *);
typedef void jump_function(struct __jmp_buf_tag[1], int);

int _dl_find_object(void *, struct dl_find_object *);
catch_function __cxa_begin_catch;
void __longjmp_chk(struct __jmp_buf_tag[1], int) __attribute__((noreturn));

/* The functions that would have been called without us. */
static find_function *next_find;
static catch_function *next_catch;
static jump_function *next_longjmp, *next__longjmp, *next_siglongjmp, *next___longjmp_chk;

static void find_next(void)
{
	if (next_find)
		return;
	next_catch = (catch_function *)dlsym(RTLD_NEXT, "__cxa_begin_catch");
	next_longjmp = (jump_function *)dlsym(RTLD_NEXT, "longjmp");
	next__longjmp = (jump_function *)dlsym(RTLD_NEXT, "_longjmp");
	next_siglongjmp = (jump_function *)dlsym(RTLD_NEXT, "siglongjmp");
	next___longjmp_chk = (jump_function *)dlsym(RTLD_NEXT, "__longjmp_chk");
	next_find = (find_function *)dlsym(RTLD_NEXT, "_dl_find_object");
}

/*
 * The address in libgcc's own library from which it asks, which is known by its name; 0: it has
 * not asked yet.
 */
static _Atomic uintptr_t libgcc;

/* What dlfcn.h has of it since glibc 2.35, where that is what the dynamic linker fills in. */
struct found {
	unsigned long long flags;
	char *start, *end; /* of what is mapped */
	struct link_map *map;
	char *header; /* .eh_frame_hdr */
	unsigned long long more[8];
};

/*
 * Whether code is of libgcc's own library. Notices an unwinder that is linked into another one,
 * loaded since the program started.
 */
static bool is_libgcc(void *caller)
{
	enum { LOOKED_AT = 4096 };
	struct found f;
	struct unwind_object o;

	if ((uintptr_t)caller == libgcc)
		return true;
	if (!unwind_counted() || unwind_linked_known((uintptr_t)caller) ||
	    next_find(caller, (struct dl_find_object *)&f))
		return false;
	if (text_begins(text_base(f.map->l_name), "libgcc_s.so")) {
		libgcc = (uintptr_t)caller;
		return true;
	}
	o = (struct unwind_object){
		.start = (uintptr_t)f.start,
		.end = (uintptr_t)f.end,
		.data_start = (uintptr_t)f.start,
		.data_end = (uintptr_t)f.end,
		.header = (uintptr_t)f.header,
	};
	unwind_linked(&o, LOOKED_AT);
	return false;
}

static __attribute__((noinline)) int find_noticed(void *pc, struct dl_find_object *result, void *caller)
{
	find_next();
	pc = (void *)unwind_looks_up((uintptr_t)pc, (uintptr_t)caller, is_libgcc(caller));
	return next_find(pc, result);
}

/* libgcc asks for each frame of each exception, and for most of them there is nothing to do. */
static int find_counted(void *pc, struct dl_find_object *result)
{
	void *caller = __builtin_return_address(0);

	if (__builtin_expect((uintptr_t)caller == libgcc && trampoline_quiet((uintptr_t)pc), 1))
		return next_find(pc, result);
	return find_noticed(pc, result, caller);
}

static find_function *_Atomic find = find_counted;

EXPORT int _dl_find_object(void *pc, struct dl_find_object *result)
{
	return atomic_load_explicit(&find, memory_order_relaxed)(pc, result);
}

/* That of a library which only its own users see is found by what these are linked with. */
static catch_function *catch_of(void *caller)
{
	Dl_info info;
	void *map;

	if (!dladdr1(caller, &info, &map, RTLD_DL_LINKMAP))
		return NULL;
	return (catch_function *)dlsym(map, "__cxa_begin_catch");
}

/* An exception has come to the frame that handles it. */
static void *catch_counted(void *exception)
{
	uintptr_t *frame = __builtin_frame_address(0);
	catch_function *f = next_catch;

	unwind_landed((uintptr_t)(frame + 2));
	if (!f)
		f = catch_of((void *)frame[1]);
	return f(exception);
}

static catch_function *_Atomic begin_catch = catch_counted;

EXPORT void *__cxa_begin_catch(void *exception)
{
	return atomic_load_explicit(&begin_catch, memory_order_relaxed)(exception);
}

/* The stack pointer that a jump gives. */
static uintptr_t target(const struct __jmp_buf_tag *to)
{
	enum { SP = 6, ROTATED = 17 };
	uintptr_t sp = (uintptr_t)to->__jmpbuf[SP], guard;

	__asm__("mov %%fs:0x30, %0" : "=r"(guard));
	return (sp >> ROTATED | sp << (64 - ROTATED)) ^ guard;
}

static void landed(uintptr_t sp)
{
	mask_landed(sp);
	unwind_landed(sp);
	if (pct_landed)
		pct_landed(sp);
}

#define JUMP(name)                                                              \
	static void noticed_##name(struct __jmp_buf_tag to[1], int value)       \
	{                                                                       \
		landed(target(to));                                             \
		if (!next_##name)                                               \
			find_next();                                            \
		next_##name(to, value);                                         \
	}                                                                       \
	static jump_function *_Atomic jump_##name = noticed_##name;             \
	EXPORT void name(struct __jmp_buf_tag to[1], int value)                 \
	{                                                                       \
		atomic_load_explicit(&jump_##name, memory_order_relaxed)(to, value); \
		__builtin_unreachable();                                        \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

/* Beforehand, for some of the functions are called by signal handlers. */
__attribute__((constructor)) static void choose(void)
{
	find_next();
	if (collector_awake() && options.calls)
		return;
	find = next_find;
	if (next_catch)
		begin_catch = next_catch;
	if (collector_awake() || pct_landed)
		return;
	jump_longjmp = next_longjmp;
	jump__longjmp = next__longjmp;
	jump_siglongjmp = next_siglongjmp;
	jump___longjmp_chk = next___longjmp_chk;
}

#endif
