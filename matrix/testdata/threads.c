/* Ways of living with threads. */
#include "way.h"
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <threads.h>
#include <ucontext.h>

static pthread_t start(void *(*f)(void *), void *p)
{
	pthread_t t;

	MUST(!pthread_create(&t, NULL, f, p));
	return t;
}

static void *burns(void *p)
{
	burn(*(double *)p);
	return p;
}

static double little = 0.005, some = 0.04, much = 30;

static void many(void)
{
	pthread_t t[30];
	void *result;
	int right = 0;

	for (size_t i = 0; i < LENGTH(t); i++)
		t[i] = start(burns, &little);
	for (size_t i = 0; i < LENGTH(t); i++)
		right += !pthread_join(t[i], &result) && result == &little;
	SAY("%d joined", right);
}

static void counted(void)
{
	pthread_t t = start(burns, &some);
	int n = 0;
	DIR *d;

	burn(0.02);
	pthread_join(t, NULL);
	burn(0.04);
	d = opendir("/proc/self/task");
	MUST(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	say_status("Threads:");
	SAY("%d tasks", n);
}

static void *says_last(void *p)
{
	(void)p;
	burn(0.08);
	SAY("last");
	return NULL;
}

static void detached(void)
{
	pthread_detach(start(says_last, NULL));
	pthread_exit(NULL);
}

static void *exits(void *p)
{
	(void)p;
	burn(0.05);
	SAY("exits");
	exit(21);
}

static void exit_in_thread(void)
{
	start(exits, NULL);
	start(burns, &much);
	burn(30);
}

static void exit_of_others(void)
{
	for (int i = 0; i < 4; i++)
		start(burns, &much);
	burn(0.05);
	SAY("ends");
	_exit(22);
}

static void cleans(void *p) { SAY("cleanup %s", (const char *)p); }

static void *canceled(void *p)
{
	pthread_cleanup_push(cleans, "outer");
	pthread_cleanup_push(cleans, "inner");
	if (p) {
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
		spin(LONG_MAX);
	}
	for (;;) {
		burn(0.001);
		pthread_testcancel();
	}
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(1);
	return NULL;
}

static void *canceled_waiting(void *p)
{
	pthread_cleanup_push(cleans, "of a wait");
	(void)p;
	pause();
	pthread_cleanup_pop(1);
	return NULL;
}

static void cancels(void)
{
	void *(*const kinds[])(void *) = { canceled, canceled, canceled_waiting };

	for (size_t i = 0; i < LENGTH(kinds); i++) {
		void *result;
		pthread_t t = start(kinds[i], i == 1 ? &some : NULL);

		burn(0.03);
		pthread_cancel(t);
		pthread_join(t, &result);
		SAY("%s", result == PTHREAD_CANCELED ? "canceled" : "returned");
	}
}

static pthread_mutex_t robust;

static void *dies_with_it(void *p)
{
	(void)p;
	pthread_mutex_lock(&robust);
	burn(0.03);
	return NULL;
}

static void robust_mutex(void)
{
	pthread_mutexattr_t a;
	int err;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &a);
	pthread_join(start(dies_with_it, NULL), NULL);
	err = pthread_mutex_lock(&robust);
	SAY("%s", strerror(err));
	SAY("%d", pthread_mutex_consistent(&robust));
	burn(0.04);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn;

static void *takes_turns(void *p)
{
	int me = *(int *)p;

	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		while (turn % 2 != me)
			pthread_cond_wait(&cond, &lock);
		turn++;
		spin(20000);
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void turns(void)
{
	int ids[2] = { 0, 1 };
	pthread_t t[2] = { start(takes_turns, &ids[0]), start(takes_turns, &ids[1]) };
	struct timespec until;

	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	SAY("%d turns", turn);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 20000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&lock);
	SAY("%s", strerror(pthread_cond_timedwait(&cond, &lock, &until)));
	burn(0.05);
}

static _Atomic int handled;

static void handles(int s) { (void)s; handled++; }

static void kills(void)
{
	pthread_t t;

	signal(SIGUSR1, handles);
	signal(SIGURG, handles);
	t = start(burns, &some);
	burn(0.01);
	for (int i = 0; i < 50; i++) {
		int was = handled;

		pthread_kill(pthread_self(), i % 2 ? SIGURG : SIGUSR1);
		if (handled != was + 1)
			SAY("%d became %d", was, handled);
		burn(0.0005);
	}
	pthread_join(t, NULL);
	SAY("%d handled", handled);
}

static pthread_key_t key;

static void destroys(void *p) { SAY("destroys %s", (const char *)p); }

static void *has_data(void *p)
{
	pthread_setspecific(key, p);
	burn(0.02);
	return NULL;
}

static void data_of_threads(void)
{
	MUST(!pthread_key_create(&key, destroys));
	SAY("key %u", key);
	pthread_join(start(has_data, "first"), NULL);
	pthread_join(start(has_data, "second"), NULL);
	burn(0.03);
}

static void *deepens(void *p)
{
	(void)p;
	burn(0.03);
	return "small";
}

static void small_stacks(void)
{
	pthread_attr_t a;
	pthread_t t;
	void *result;

	pthread_attr_init(&a);
	MUST(!pthread_attr_setstacksize(&a, (size_t)PTHREAD_STACK_MIN + 16384));
	for (int i = 0; i < 3; i++) {
		MUST(!pthread_create(&t, &a, deepens, NULL));
		pthread_join(t, &result);
		SAY("%s", (char *)result);
	}
}

static int by_c11(void *p)
{
	burn(0.03);
	return *(int *)p;
}

static void c11(void)
{
	int n = 55, result;
	thrd_t t;

	MUST(thrd_create(&t, by_c11, &n) == thrd_success);
	thrd_join(t, &result);
	SAY("result %d", result);
	burn(0.04);
}

static ucontext_t home, away;
static int visits;

static void visitor(void)
{
	for (;;) {
		visits++;
		burn(0.001);
		swapcontext(&away, &home);
	}
}

static void coroutines(void)
{
	static char stack[65536];

	getcontext(&away);
	away.uc_stack.ss_sp = stack;
	away.uc_stack.ss_size = sizeof stack;
	makecontext(&away, visitor, 0);
	for (int i = 0; i < 50; i++) {
		swapcontext(&home, &away);
		burn(0.001);
	}
	SAY("%d visits", visits);
}

static jmp_buf back;

static int leaps(void)
{
	longjmp(back, 1);
}

static int (*volatile leap)(void) = leaps; /* which the compiler need not know */

static int jumping(int n)
{
	burn(0.0005);
	return n ? jumping(n - 1) + 1 : leap();
}

static void jumps(void)
{
	volatile int n = 0;

	setjmp(back);
	if (n++ < 20)
		jumping(8);
	SAY("%d", n);
}

static pthread_barrier_t barrier;

static void *meets(void *p)
{
	int *serial = p;

	for (int i = 0; i < 50; i++) {
		spin(50000);
		*serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
	}
	return NULL;
}

static void barriers(void)
{
	int n[4] = { 0 };
	pthread_t t[4];

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 4; i++)
		t[i] = start(meets, &n[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	SAY("%d", n[0] + n[1] + n[2] + n[3]);
	burn(0.04);
}

int main(int argc, char **argv)
{
	static const struct way ways[] = {
		{ "many", many },
		{ "counted", counted },
		{ "detached", detached },
		{ "exit-in-thread", exit_in_thread },
		{ "exit-of-others", exit_of_others },
		{ "cancels", cancels },
		{ "robust-mutex", robust_mutex },
		{ "turns", turns },
		{ "kills", kills },
		{ "data-of-threads", data_of_threads },
		{ "small-stacks", small_stacks },
		{ "c11", c11 },
		{ "coroutines", coroutines },
		{ "jumps", jumps },
		{ "barriers", barriers },
	};

	return go(ways, LENGTH(ways), argc, argv);
}
