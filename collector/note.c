#include "note.h"

#include "sys.h"
#include "text.h"

#include <errno.h>
#include <stdatomic.h>

static _Atomic uint64_t posted, told;

/* Each note with its name and its sentence. Nothing else has words for them. */
#define NOTE(NAME, SENTENCE) [NOTE_##NAME] = { #NAME, SENTENCE }

static const struct { const char *name, *sentence; } notes[NOTES] = {
	NOTE(LETTERS, "$PCT holds letters that are not understood; the rest of it is used"),
	NOTE(NO_DIRECTORY, "nothing is recorded: no run directory can be made in $PCT_DIR (or /tmp/pct); a link is not followed there"),
	NOTE(EXPOSED_DIRECTORY, "other users can replace the data: the directory of run directories ($PCT_DIR) belongs to another user, or is writable for all and not sticky"),
	NOTE(NEW_DIRECTORY, "the program changed its root or its user: a second run directory holds what follows"),
	NOTE(OTHER_COUNTS, "a file holds other counts, which these can't be added to: they are in one with a number in its name"),
	NOTE(DISK_FULL, "samples are lost: there is no room on the disk"),
	NOTE(FILE_LIMIT, "samples are lost: the limit on the size of files is too small"),
	NOTE(NO_FILE, "samples are lost: a count file can't be made"),
	NOTE(TABLE_FULL, "samples are lost: they were found at more addresses than a count file has room for (letter g of $PCT makes it a histogram)"),
	NOTE(TICK_RATE, "sampled at the rate of the kernel's tick: it permits no faster clock"),
	NOTE(USER_TIME, "user-mode samples only at this rate; add -k for the kernel"),
	NOTE(NO_CLOCK, "a thread was not sampled: it could get no clock"),
	NOTE(NO_SIGNAL, "nothing more is sampled: the program uses all signals that could serve (pct-ring and profile -gdb need none)"),
	NOTE(PENDING_LIMIT, "nothing more is sampled: the program needs all timers and signals that its limit of pending ones leaves (ulimit -i; profile -F above the kernel's tick needs none)"),
	NOTE(SIGNAL_TAKEN, "the program uses the signal of the clock, which now uses another one"),
	NOTE(TRAP_TAKEN, "the program uses SIGTRAP: the clock now uses another signal"),
	NOTE(SIGNAL_LOST, "a part is not sampled: the program took the signal of the clock by a system call of its own (pct-ring and profile -gdb see all of it)"),
	NOTE(GO, "a Go program was not sampled: Go takes all signals, by system calls of its own (pct-ring and profile -gdb see it)"),
	NOTE(CONFINED, "the program confined itself by seccomp: what follows is not sampled"),
	NOTE(PATHS_FULL, "samples are lost: there were more call paths than their file has room for"),
	NOTE(PATHS_MEMORY, "samples are lost: there was no memory to follow a thread's calls; a higher limit on data and address space (ulimit -d, -v) mends that, if there is one"),
	NOTE(PATHS_OBJECTS, "the program has mapped more files than can be told: call paths through some of them are truncated"),
	NOTE(UNCOUNTED_MACHINE, "activations of functions are not counted: this machine is no x86-64"),
	NOTE(UNCOUNTED_LINKED, "activations of functions are not counted: the collector is linked in"),
	NOTE(UNCOUNTED_RESOURCES, "activations of functions are not counted: several resources are measured"),
	NOTE(UNCOUNTED_UNWINDER, "activations of functions are not counted: an unwinder that is not libgcc's may be linked into the program or one of its libraries, for it calls dl_iterate_phdr"),
	NOTE(UNCOUNTED_SHADOW, "activations of functions are not counted: the program has a shadow stack"),
	NOTE(UNCOUNTED_OCAML, "activations of functions are not counted: the program is native OCaml, which looks up return addresses itself"),
	NOTE(UNCOUNTED_THREADS, "activations of functions are not counted in some threads: there are too many at once"),
	NOTE(OBJECTS, "samples are of unknown code: the program has mapped more files than can be told, or left no way to read its memory map"),
	NOTE(TRACED, "a debugger holds the program: the clock does not use SIGTRAP"),
	NOTE(OWN_MALLOC, "the program has a malloc of its own: of alloc only what that maps is counted, if it calls mmap"),
	NOTE(FPE_SIGNALS, "fpe is not measured: the program handles SIGFPE or SIGTRAP, or a debugger holds it"),
	NOTE(FPE_MASKS, "fpe is not measured any more: the program enabled floating point exceptions itself"),
	NOTE(FPE_NONE, "fpe can't be measured on this machine"),
	NOTE(EVENTS_REFUSED, "page faults are not sampled: there are no events for them here, as the kernel permits none or is older than 5.19, or a debugger holds it (pct-ring may count them)"),
	NOTE(EVENTS_KERNEL, "page faults in system calls, such as a read into fresh memory, are not sampled, and these were a fifth or more (profile -k -r faults counts them)"),
	NOTE(EVENTS_OVERLAP, "not all requested page faults are sampled: faults includes minor-faults and major-faults, which are not measured beside it"),
	NOTE(EVENTS_STACKS, "page faults of threads with stacks of less than 64 KB are not sampled: there would be no room for the signal (pct-ring counts them)"),
	NOTE(EVENTS_SIGNAL, "page faults are not sampled any more: the program uses SIGTRAP (pct-ring counts them)"),
};

const char *note_sentence(enum note n)
{
	return notes[n].sentence;
}

const char *note_name(enum note n)
{
	return notes[n].name;
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

void note_active(void)
{
	static char line[512];
	struct text t = text_in(line, sizeof line);

	text_str(&t, program_invocation_name);
	text_str(&t, ": PC counting activated\n");
	sys3(SYS_write, 2, line, t.n);
}
