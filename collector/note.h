/*
 * note.h: what the user should know of how a process was sampled.
 *
 * A note is posted at any time, from any thread or handler. It is told later, by the
 * holder of the slow lock: a line in $PCT_RUN, and one in the run directory's meta.
 */
#ifndef PCT_NOTE_H
#define PCT_NOTE_H

#include <stdint.h>

enum note {
	NOTE_LETTERS,
	NOTE_NO_DIRECTORY,
	NOTE_EXPOSED_DIRECTORY,
	NOTE_NEW_DIRECTORY,
	NOTE_OTHER_COUNTS,
	NOTE_DISK_FULL,
	NOTE_FILE_LIMIT,
	NOTE_NO_FILE,
	NOTE_TABLE_FULL,
	NOTE_TICK_RATE,
	NOTE_USER_TIME,
	NOTE_NO_CLOCK,
	NOTE_NO_SIGNAL,
	NOTE_PENDING_LIMIT,
	NOTE_SIGNAL_TAKEN,
	NOTE_TRAP_TAKEN,
	NOTE_TRACED,
	NOTE_SIGNAL_LOST,
	NOTE_GO,
	NOTE_CONFINED,
	NOTE_PATHS_FULL,
	NOTE_PATHS_MEMORY,
	NOTE_PATHS_OBJECTS,
	NOTE_VALUES_PLANS,
	NOTE_VALUES_FILE,
	NOTE_VALUES_FULL,
	NOTE_OBJECTS,
	NOTE_OWN_MALLOC,
	NOTE_FPE_SIGNALS,
	NOTE_FPE_MASKS,
	NOTE_FPE_NONE,
	NOTE_EVENTS_REFUSED,
	NOTE_EVENTS_SIGNAL,
	NOTE_EVENTS_KERNEL,
	NOTE_EVENTS_OVERLAP,
	NOTE_EVENTS_STACKS,
	NOTE_UNCOUNTED_MACHINE,
	NOTE_UNCOUNTED_LINKED,
	NOTE_UNCOUNTED_RESOURCES,
	NOTE_UNCOUNTED_UNWINDER,
	NOTE_UNCOUNTED_SHADOW,
	NOTE_UNCOUNTED_OCAML,
	NOTE_UNCOUNTED_THREADS,
	NOTES,
};

/* The sentence of a note. */
const char *note_sentence(enum note n);

/* Its name, by which profile knows it: NO_DIRECTORY for NOTE_NO_DIRECTORY. */
const char *note_name(enum note n);

void note_post(enum note n);

/* Takes all notes that were posted and not told yet, a bit for each. */
uint64_t note_take(void);

/* All notes of this process that were posted. */
uint64_t note_all(void);

/* Forgets what was told of the parent process; what it is about goes on. */
void note_forget(void);

/* Says on standard error, at once, that the program is sampled. */
void note_active(void);

#endif
