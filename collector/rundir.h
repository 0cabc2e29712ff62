/*
 * rundir.h: the run directory of this process, its meta file, and what is told of it.
 *
 * Everything is made at the first sample: a process without one leaves nothing. All
 * functions are for the holder of the slow lock (slow.h), and leave no descriptor open but
 * the one that rundir_open returns.
 */
#ifndef PCT_RUNDIR_H
#define PCT_RUNDIR_H

#include <stdbool.h>

/*
 * Opens the run directory, made first if there is none. It is made again, by another
 * name, if it can't be reached any more: the program changed its root or its user.
 * Returns a descriptor, or -1 once and for all.
 */
int rundir_open(void);

/* Opens the run directory if there is one and it can still be reached; else -1. */
int rundir_reopen(void);

/* Forgets the directory: it is that of the parent process. */
void rundir_forget(void);

/* Writes meta anew; complete: the process has ended normally. */
void rundir_write(bool complete);

/*
 * Tells $PCT_RUN alone a note of the calling process, which may be the child of a vfork: its name
 * and its sentence.
 */
void rundir_tell(const char *name, const char *sentence);

/* Tells $PCT_RUN of the notes that were posted since. */
void rundir_tell_notes(void);

#endif
