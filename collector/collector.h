/*
 * collector.h: the collector as the parts see it that stand before functions of the C library.
 *
 *   thread interpose blocking syscall exec   stand before functions of the C library, in libpct.so
 *   floating throw iterate consume           alone; consume serves libpctalloc.so and libpctio.so
 *        |
 *   collector mask                           start, fork, exec and end; signals that are blocked
 *        |
 *   clock  events  fpe                       sources of ticks (source.h): when to sample a thread;
 *        |                                   below them slot, ticker, kernelclock, perf, signals
 *   sample                                   whether a sample is taken at all
 *        |
 *   counts            calls                  sinks of samples (sink.h): by pc, or by call path
 *   store table       prepare imports values     values: what expressions come to (plan, number)
 *        |            mapped valuelog
 *        |            contexts plans
 *        |               |
 *   file mapping object known map image      files and objects; for call paths unwind/, which
 *        |                                   needs sys.h alone
 *   rundir meta options note run slow pace space sys text
 *
 * collector.c chooses the sink and starts the sources. A source calls sample.c in the handler of
 * its signals, which calls the sink: no source knows a sink and no sink a source. A part needs
 * parts of its own line and of those below it, and none leads back to itself
 * (test/layers_test.go).
 *
 * What runs in a handler is async-signal-safe: it allocates nothing, takes no lock for which it
 * would wait, calls nothing of the C library, and leaves errno alone. STYLE.md says how the code
 * is written.
 */
#ifndef PCT_COLLECTOR_H
#define PCT_COLLECTOR_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the program is to be sampled; the first call reads the environment and starts
 * the collector. Other libraries may begin threads before our constructor runs.
 */
bool collector_awake(void);

/* Whether that has yet to be found out. */
bool collector_starts(void);

/* The handler of all signals of ours. */
void collector_signal(int signal, siginfo_t *info, void *context);

/* The process ends normally: for good, or it may go on. */
void collector_complete(bool for_good);

/*
 * It executes another program, which is to find the mask and the pending signals that it would
 * without us.
 */
void collector_executes(void);

/* The program is about to limit its address space or its data to so many bytes. */
void collector_limited(uint64_t space);

/*
 * The program forbids itself system calls: nothing more is sampled, and nothing written at its
 * end.
 */
void collector_confine(void);

/* That program could not be executed. */
void collector_goes_on(void);

#endif
