/*
 * consume.h: what libpct.so lends to libraries that count a resource, such as libpctalloc.so. They
 * refer to it weakly: without libpct.so they do nothing.
 */
#ifndef PCT_CONSUME_H
#define PCT_CONSUME_H

#include <stdint.h>
#include <ucontext.h>

#define PCT_LENT __attribute__((visibility("default"), weak))

enum { PCT_NOT_YET = -1, PCT_NEVER = -2 };

/*
 * The number of a resource and its interval; PCT_NOT_YET before the collector has started,
 * PCT_NEVER if it does not measure this, or no more. No system call.
 */
PCT_LENT int pct_resource(const char *name, uint64_t *interval);

/*
 * Samples the call path of a context: so many intervals were consumed there. Signals are blocked.
 */
PCT_LENT void pct_consumed(int resource, const ucontext_t *context, uint64_t hits);

/* The program has a malloc that is not asked through the library. */
PCT_LENT void pct_own_malloc(void);

#endif
