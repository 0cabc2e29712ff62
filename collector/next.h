/*
 * next.h: the functions that preloaded libraries stand before.
 */
#ifndef PCT_NEXT_H
#define PCT_NEXT_H

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))

/* The function that would have been called without us. */
#define NEXT(name)                                                              \
	({                                                                      \
		static _Atomic(__typeof__(&name)) next;                         \
		__typeof__(&name) f = next;                                     \
		if (!f)                                                         \
			next = f = (__typeof__(&name))dlsym(RTLD_NEXT, #name);  \
		f;                                                              \
	})

#endif
