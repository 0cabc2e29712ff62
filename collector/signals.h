/*
 * signals.h: the signals that may be ours, and what the program wants of them.
 *
 * Where our handler is in place the program believes its own disposition to be. What is not ours
 * is handed on: the handler does what the program's disposition asks for, as the kernel would, and
 * what the calling thread blocks stays pending (mask.h). A signal is retired when the program has
 * shown that it uses it: nothing of ours is sent by it any more, and the handler is there for the
 * program's own alone.
 */
#ifndef PCT_SIGNALS_H
#define PCT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

typedef void signals_handler(int, siginfo_t *, void *);

static inline uint64_t signals_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* Whether the program has no handler for a signal. */
bool signals_free(int signal);

/* Whether the program has a handler for one of a set. */
bool signals_handled(uint64_t set);

/*
 * Puts the handler in place, if it is not there yet; false if it can't be. Threads that block the
 * signal go on to do so.
 */
bool signals_take(int signal, signals_handler *handler);

/*
 * Takes a signal that the clock may use instead of others, that the program does not use; 0: there
 * is none. but is a set.
 */
int signals_take_any(uint64_t but, signals_handler *handler);

/*
 * The program blocks these: our handler is in place for those that the clock may use later, or
 * they are retired, so that none is blocked where it is needed.
 */
void signals_blocked(uint64_t set);

/* Nothing of ours comes by this signal any more. */
void signals_retire(int signal);

/*
 * Whether our handler is in place for a signal; the set of these; those of them that are not
 * retired.
 */
bool signals_ours(int signal);
uint64_t signals_set(void);
uint64_t signals_in_use(void);

/* The signals that signals_blocked and masks are about. */
uint64_t signals_watched(void);

/* Whether it is there still, and no system call of the program has put another in its place. */
bool signals_in_place(int signal, signals_handler *handler);

/*
 * Gives a signal back, which no thread hides: the program's disposition is in place again, and
 * none of ours pending.
 */
void signals_give_back(int signal);

/* What the program would have seen and set if our handler were not there. */
void signals_disposition(int signal, const struct sigaction *set, struct sigaction *old);

/*
 * Whether the kernel forces a signal on the program, a trap of its own code, even if that ignores
 * or blocks it.
 */
bool signals_forced(int signal, const siginfo_t *info);

/*
 * Puts what the program ignores in place as the kernel hands it on to what is executed, and our
 * handler again.
 */
void signals_lend(bool lent);

/*
 * A signal that came to our handler but is not of a source, and is not blocked: does what the
 * program wants of it.
 */
void signals_pass(int signal, siginfo_t *info, ucontext_t *context);

/*
 * Whether a debugger holds the process: it would see each SIGTRAP, and takes those of a
 * program that it starts for the steps of that start.
 */
bool signals_traced(void);

#endif
