/*
 * profil.c: libpctprof, the collector for systems without what libpct needs.
 *
 * profil(3) counts in a buffer of ours, which is a mapped count file: a histogram of
 * the main program's text, with counters of two bytes. It knows no other object and no
 * threads, and a full counter wraps. $PCT may hold v, gB, oPATH and p, as for libpct; the file
 * is made when the program starts.
 */
#include "note.h"
#include "object.h"
#include "options.h"
#include "pct.h"
#include "run.h"
#include "rundir.h"
#include "store.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Twice the bytes of a bin for each counter of two, in units of 1/65536. */
enum { SCALE_ONE = 65536, BIN = 2 };

static struct object *program;
static uint64_t bias;
static bool counting;

static uint16_t *counters(void)
{
	return (uint16_t *)(program->header + 1);
}

static void count(void)
{
	struct count_header *h = program->header;

	if (!counting && profil(counters(), (size_t)h->capacity * BIN, (size_t)(h->low + bias),
				(unsigned)(SCALE_ONE * BIN / h->bin)) == 0)
		counting = true;
}

static void stop(void)
{
	uint16_t *none = NULL;

	/* The C library takes NULL as the end of counting; its header denies that. */
	__asm__("" : "+r"(none));
	if (counting)
		profil(none, 0, 0, 0);
	counting = false;
}

/* profil does not say how many samples it counted. */
static void add_up(void)
{
	struct count_header *h = program->header;
	uint64_t n = 0;

	for (uint64_t i = 0; i < h->capacity; i++)
		n += counters()[i];
	atomic_store(&h->samples, n);
}

static void open_file(void)
{
	struct place p = object_find((uintptr_t)getauxval(AT_ENTRY));

	if (!p.object || p.object->kind != OBJECT_FILE)
		return;
	store_open(p.object, p.bias);
	rundir_tell_notes();
	if (atomic_load(&p.object->state) != FILE_OPEN || !store_reserve(p.object))
		return;
	program = p.object;
	bias = p.bias;
	count();
}

static void forked(void)
{
	if (program)
		stop();
	program = NULL;
	store_forget();
	rundir_forget();
	note_forget();
	run_begin();
	open_file();
}

EXPORT void pct_on(void)
{
	if (program)
		count();
}

EXPORT void pct_off(void)
{
	if (program)
		stop();
}

__attribute__((constructor)) static void begin(void)
{
	if (!options_read(environ))
		return;
	run_begin();
	run.begun = run.start;
	run.clock = "profil";
	run.resource = "cpu";
	run.period = options.period = 10000000;
	options.kind = KIND_HISTOGRAM;
	options.histogram = true;
	options.width = BIN;
	if (options.bin < BIN)
		options.bin = BIN;
	if (options.bad)
		note_post(NOTE_LETTERS);
	object_set_entry((uintptr_t)getauxval(AT_ENTRY));
	open_file();
	pthread_atfork(NULL, NULL, forked);
	if (options.verbose)
		note_active();
}

__attribute__((destructor)) static void end(void)
{
	if (!program || !run_mine())
		return;
	stop();
	add_up();
	rundir_write(true);
}
