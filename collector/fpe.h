/*
 * fpe.h: the resources fpe and fpe-KIND, floating point exceptions of SSE instructions.
 *
 * An exception that is measured is unmasked in each thread. The trap masks it again and has the
 * instruction executed alone, which then has the result and raises the flags that it would have
 * without us; the trap behind it counts what was raised and unmasks.
 */
#ifndef PCT_FPE_H
#define PCT_FPE_H

#include "source.h"

#include <stdbool.h>
#include <ucontext.h>

extern const struct source fpe_source;

/* The calling thread is about to make one or to block a trap, and is one that was made. */
void fpe_before_thread(void);
void fpe_thread(void);

/* Whether the program must not block or handle a signal unseen. */
bool fpe_needs(int signal);

/*
 * In a handler: one of these signals is about to be blocked where the context goes on. No more of
 * it.
 */
void fpe_held(ucontext_t *context);

/* No more of it: the program takes the signals, or confines itself. */
void fpe_stop(void);

/* The program enables exceptions in the calling thread. */
void fpe_yield(void);

/* The program changed the calling thread's floating point environment. */
void fpe_environment(void);

/* The exceptions that the calling thread has unmasked for us, unseen by the program. */
int fpe_hidden(void);

#endif
