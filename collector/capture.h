/*
 * capture.h: the context of running code, as a signal would have interrupted it.
 */
#ifndef PCT_CAPTURE_H
#define PCT_CAPTURE_H

#include <ucontext.h>

/*
 * Calls f with the context of the calling function, just behind the call: pc, sp and the registers
 * that a callee keeps.
 */
void capture(void (*f)(const ucontext_t *context));

#endif
