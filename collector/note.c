#include "note.h"

#include <stdatomic.h>

static _Atomic uint64_t posted, told;

static const char *const sentences[NOTES] = {
	[NOTE_LETTERS] = "$PCT holds letters that are not understood; the rest of it is used",
	[NOTE_NO_DIRECTORY] = "nothing is recorded: no run directory can be made in $PCT_DIR (or /tmp/pct); a link is not followed there",
	[NOTE_NEW_DIRECTORY] = "the program changed its root or its user: a second run directory holds what follows",
	[NOTE_OTHER_COUNTS] = "a file holds other counts, which these can't be added to: they are in one with a number in its name",
	[NOTE_DISK_FULL] = "samples are lost: there is no room on the disk",
	[NOTE_FILE_LIMIT] = "samples are lost: the limit on the size of files is too small",
	[NOTE_NO_FILE] = "samples are lost: a count file can't be made",
	[NOTE_TICK_RATE] = "sampled at the rate of the kernel's tick: it permits no faster clock",
	[NOTE_USER_TIME] = "time in the kernel is not sampled: at this rate the clock sees user mode alone",
	[NOTE_NO_CLOCK] = "a thread was not sampled: it could get no clock",
	[NOTE_NO_SIGNAL] = "nothing more is sampled: the program uses all signals that could serve",
	[NOTE_SIGNAL_TAKEN] = "the program uses the signal of the clock, which now uses another one",
	[NOTE_TRAP_TAKEN] = "the program uses SIGTRAP: the clock now uses another signal",
	[NOTE_CONFINED] = "the program confined itself by seccomp: what follows is not sampled",
	[NOTE_TRACED] = "a debugger holds the program: the clock does not use SIGTRAP",
};

const char *note_sentence(enum note n)
{
	return sentences[n];
}

void note_post(enum note n)
{
	atomic_fetch_or(&posted, UINT64_C(1) << n);
}

uint64_t note_take(void)
{
	uint64_t all = atomic_load(&posted);

	return all & ~atomic_fetch_or(&told, all);
}

uint64_t note_all(void)
{
	return atomic_load(&posted);
}

void note_forget(void)
{
	atomic_store(&told, 0);
}
