/*
 * thread.c: follows the program's threads, by standing before the functions of the C
 * library that make them.
 */
#include "clock.h"
#include "collector.h"
#include "fpe.h"
#include "mask.h"
#include "next.h"
#include "run.h"
#include "sample.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <threads.h>

/* Threads that have been made and have not yet read what to do. */
enum { BIRTHS = 1024, LITTLE = 64 << 10 /* bytes of a stack */ };

struct birth {
	_Atomic bool taken;
	void *(*f)(void *);
	void *argument;
	bool little; /* its stack is small */
};

static struct birth births[BIRTHS];
static pthread_key_t slot_key; /* of a thread that began: the slot of its clock + 2 */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_key;

static void thread_ends(void *slot)
{
	if (!run_mine())
		return;
	if ((intptr_t)slot > 1)
		clock_end((int)(intptr_t)slot - 2);
	sample_thread_ends();
}

static void make_key(void)
{
	have_key = pthread_key_create(&slot_key, thread_ends) == 0;
}

static void begin_clock(struct birth *b)
{
	int slot;

	if (b->little)
		clock_little_stack();
	atomic_store_explicit(&b->taken, false, memory_order_release);
	mask_adopt();
	fpe_thread();
	slot = clock_begin();
	pthread_setspecific(slot_key, (void *)(intptr_t)(slot + 2));
}

/* Where a thread of the program begins; its own function is called in our place. */
static void *thread_begins(void *arg)
{
	struct birth *b = arg;
	void *(*f)(void *) = b->f;
	void *argument = b->argument;

	begin_clock(b);
	return f(argument);
}

static struct birth *take_birth(void)
{
	static _Atomic unsigned hint;
	unsigned from = atomic_fetch_add_explicit(&hint, 1, memory_order_relaxed);

	for (unsigned i = 0; i < BIRTHS; i++) {
		struct birth *b = &births[(from + i) % BIRTHS];
		bool taken = false;

		if (atomic_compare_exchange_strong(&b->taken, &taken, true))
			return b;
	}
	return NULL;
}

/* What a thread that the program makes is to do first; NULL if it can't be followed. */
static struct birth *expect(void *(*f)(void *), void *argument)
{
	struct birth *b;

	if (!collector_awake() || !run_mine())
		return NULL;
	fpe_before_thread();
	pthread_once(&once, make_key);
	b = have_key ? take_birth() : NULL;
	if (b) {
		b->f = f;
		b->argument = argument;
		b->little = false;
	}
	return b;
}

static int c11_thread_begins(void *arg)
{
	struct birth *b = arg;
	thrd_start_t f = (thrd_start_t)(void *)b->f;
	void *argument = b->argument;

	begin_clock(b);
	return f(argument);
}

typedef int create_c11(thrd_t *, thrd_start_t, void *);
typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*f)(void *), void *argument)
{
	static _Atomic(create_function *) next;
	create_function *create = atomic_load(&next);
	struct birth *b = expect(f, argument);
	size_t stack;
	int err;

	if (!create) {
		create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
		atomic_store(&next, create);
	}
	if (b)
		b->little = attributes && pthread_attr_getstacksize(attributes, &stack) == 0 && stack < LITTLE;
	mask_settle();
	err = b ? create(thread, attributes, thread_begins, b) : create(thread, attributes, f, argument);
	mask_unsettle();
	if (b && err)
		atomic_store(&b->taken, false);
	return err;
}

/* C11's threads: their function returns an int, which the C library keeps as a pointer. */
EXPORT int thrd_create(thrd_t *thread, thrd_start_t f, void *argument)
{
	static _Atomic(create_c11 *) next;
	create_c11 *create = atomic_load(&next);
	struct birth *b = expect((void *(*)(void *))(void *)f, argument);
	int err;

	if (!create) {
		create = (create_c11 *)dlsym(RTLD_NEXT, "thrd_create");
		atomic_store(&next, create);
	}
	mask_settle();
	err = b ? create(thread, c11_thread_begins, b) : create(thread, f, argument);
	mask_unsettle();
	if (b && err != thrd_success)
		atomic_store(&b->taken, false);
	return err;
}
