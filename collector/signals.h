/*
 * signals.h: the signals that the clock uses, and what the program wants of them.
 *
 * While the clock uses a signal, our handler stands where the program believes its own
 * disposition to be, which is the default or to ignore it: when the program installs a
 * handler the clock goes over to another signal.
 */
#ifndef PCT_SIGNALS_H
#define PCT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/* Whether the program has no handler for a signal. */
bool signals_free(int signal);

/* Puts the handler in place and lets the signal through to the calling thread. */
void signals_install(int signal, void (*handler)(int, siginfo_t *, void *));

/* The same if it is not there yet and the program has none; false if it has. */
bool signals_take(int signal, void (*handler)(int, siginfo_t *, void *));

/* Whether our handler is in place for a signal. */
bool signals_ours(int signal);

/* Whether it is there still, and no system call of the program has put another in its place. */
bool signals_in_place(int signal, void (*handler)(int, siginfo_t *, void *));

/* Gives a signal back: the program's disposition is in place again, and none of ours pending. */
void signals_give_back(int signal);

/* What the program would have seen and set if our handler were not there. */
void signals_disposition(int signal, const struct sigaction *set, struct sigaction *old);

/* A signal that came to our handler but is not of the clock: does what the program wants of it. */
void signals_pass(int signal, siginfo_t *info, ucontext_t *context);

/*
 * Whether a debugger holds the process: it would see each SIGTRAP, and takes those of a
 * program that it starts for the steps of that start.
 */
bool signals_traced(void);

#endif
