/*
 * pct.h: switch the profile collector from the program that it samples.
 *
 * Link with pct.o or libpct.a, or with -lpct. The collector sleeps, and both
 * functions do nothing, unless the environment variable PCT existed when the
 * program started. They may be called from any thread, not from signal handlers.
 */
#ifndef PCT_H
#define PCT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sample from now on, as at the start of the program. */
void pct_on(void);

/* Take no samples until pct_on(). */
void pct_off(void);

#ifdef __cplusplus
}
#endif

#endif
