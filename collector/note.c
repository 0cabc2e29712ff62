#include "note.h"

#include "sys.h"
#include "text.h"

#include <errno.h>
#include <stdatomic.h>

static _Atomic uint64_t posted, told;

/* Each note with its name and its sentence. Nothing else has words for them. */
#define NOTE(NAME, SENTENCE) [NOTE_##NAME] = { #NAME, SENTENCE }

static const struct { const char *name, *sentence; } notes[NOTES] = {
	NOTE(LETTERS, "$PCT has unknown letters; the others take effect"),
	NOTE(NO_DIRECTORY, "nothing is recorded: cannot create a run directory in $PCT_DIR (or /tmp/pct), which must not be a symbolic link"),
	NOTE(EXPOSED_DIRECTORY, "other users can replace the data: $PCT_DIR belongs to another user, or is writable for all and not sticky"),
	NOTE(NEW_DIRECTORY, "the program changed its root or its user: a second run directory holds what follows"),
	NOTE(OTHER_COUNTS, "a file holds counts of another kind: the new ones are in a file with a number in its name"),
	NOTE(DISK_FULL, "samples are lost: the disk is full"),
	NOTE(FILE_LIMIT, "samples are lost: the limit on the size of files is too small"),
	NOTE(NO_FILE, "samples are lost: cannot create a count file"),
	NOTE(TABLE_FULL, "samples are lost: more addresses than a count file has room for (letter g of $PCT makes it a histogram)"),
	NOTE(TICK_RATE, "sampled at the rate of the kernel's tick: no faster clock is permitted"),
	NOTE(USER_TIME, "user-mode samples only at this rate; add -k for the kernel"),
	NOTE(NO_CLOCK, "a thread was not sampled: no clock was available for it"),
	NOTE(NO_SIGNAL, "sampling has ended: the program uses all signals that the clock could use (pct-ring and profile -gdb need none)"),
	NOTE(PENDING_LIMIT, "sampling has ended: the program needs all timers and pending signals that its limit permits (ulimit -i; profile -F above the kernel's tick needs none)"),
	NOTE(SIGNAL_TAKEN, "the program uses the signal of the clock, which now uses another one"),
	NOTE(TRAP_TAKEN, "the program uses SIGTRAP: the clock now uses another signal"),
	NOTE(SIGNAL_LOST, "a part is not sampled: the program took the clock's signal by its own system call (pct-ring and profile -gdb sample all of it)"),
	NOTE(GO, "a Go program was not sampled: Go handles all signals by its own system calls (pct-ring and profile -gdb sample it)"),
	NOTE(CONFINED, "the program confined itself by seccomp: the rest of it is not sampled"),
	NOTE(PATHS_FULL, "samples are lost: more call paths than their file has room for"),
	NOTE(PATHS_MEMORY, "samples are lost: no memory to unwind a thread's stack; raise the limits on data and address space (ulimit -d, -v), if any"),
	NOTE(PATHS_OBJECTS, "the program has mapped more files than can be recorded: call paths through some of them are truncated"),
	NOTE(VALUES_PLANS, "values of expressions are not recorded: the file of their plans ($PCT_PLANS) cannot be read"),
	NOTE(VALUES_FILE, "values of expressions are not recorded: their file cannot be created"),
	NOTE(VALUES_FULL, "values of expressions are lost: their file is full, or the disk"),
	NOTE(UNCOUNTED_MACHINE, "activations of functions are not counted: this machine is not x86-64"),
	NOTE(UNCOUNTED_LINKED, "activations of functions are not counted: the collector is linked in"),
	NOTE(UNCOUNTED_RESOURCES, "activations of functions are not counted: several resources are measured"),
	NOTE(UNCOUNTED_UNWINDER, "activations of functions are not counted: an unwinder other than libgcc's may be linked into the program or one of its libraries, which calls dl_iterate_phdr"),
	NOTE(UNCOUNTED_SHADOW, "activations of functions are not counted: the program has a shadow stack"),
	NOTE(UNCOUNTED_OCAML, "activations of functions are not counted: the program is native OCaml, which looks up return addresses itself"),
	NOTE(UNCOUNTED_THREADS, "activations of functions are not counted in some threads: too many run at once"),
	NOTE(OBJECTS, "samples are of unknown code: the program has mapped more files than can be recorded, or its memory map is not readable"),
	NOTE(TRACED, "a debugger traces the program: the clock does not use SIGTRAP"),
	NOTE(OWN_MALLOC, "the program has its own malloc: alloc counts only the memory that this maps by mmap"),
	NOTE(FPE_SIGNALS, "fpe is not measured: the program handles SIGFPE or SIGTRAP, or a debugger traces it"),
	NOTE(FPE_MASKS, "fpe is no longer measured: the program enabled floating point exceptions itself"),
	NOTE(FPE_NONE, "fpe cannot be measured on this machine"),
	NOTE(EVENTS_REFUSED, "page faults are not sampled: the kernel permits no events or is older than 5.19, or a debugger traces the program (pct-ring may count them)"),
	NOTE(EVENTS_KERNEL, "page faults in system calls, such as a read into new memory, are not sampled; they were a fifth or more of all (profile -k -r faults counts them)"),
	NOTE(EVENTS_OVERLAP, "not all requested page faults are sampled: faults includes minor-faults and major-faults and cannot be combined with them"),
	NOTE(EVENTS_STACKS, "page faults of threads with stacks of less than 64 KB are not sampled: a signal may have no room there (pct-ring counts them)"),
	NOTE(EVENTS_SIGNAL, "page faults are no longer sampled: the program uses SIGTRAP (pct-ring counts them)"),
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
