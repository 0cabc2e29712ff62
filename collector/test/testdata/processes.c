// Programs that make processes and threads, end them, or have little room: processes NAME [N].
#include "abuse.h"

#include <malloc.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;
static const char self[] = "/proc/self/exe";

static void wait_for(pid_t p, int want)
{
	int status;

	CHECK(p > 0);
	while (waitpid(p, &status, 0) != p)
		CHECK(errno == EINTR);
	if (status != want)
		printf("a child ended with %#x, not %#x\n", (unsigned)status, (unsigned)want);
}

static void *forker(void *n)
{
	for (int i = 0; i < *(int *)n; i++) {
		pid_t p = fork();

		CHECK(p >= 0);
		if (!p) {
			spin(1000000);
			if (i % 2)
				_exit(i % 7);
			signal(SIGABRT, SIG_DFL);
			raise(SIGKILL);
		}
		spin(300000);
		wait_for(p, i % 2 ? (i % 7) << 8 : SIGKILL);
	}
	return NULL;
}

// Each thread forks, while the others run.
static void forks(int n, char **more)
{
	int times = 50 * n;
	pthread_t t[4];

	(void)more;
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, forker, &times));
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(t[i], NULL));
}

static _Atomic bool stop;

static void *burns_on(void *unused)
{
	while (!stop)
		spin(10000);
	return unused;
}

// It executes itself, with N less, while its threads run.
static void executes(int n, char **more)
{
	char left[16], *arguments[] = { (char *)self, (char *)"executes", left, NULL };
	pthread_t t[4];

	(void)more;
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, burns_on, NULL));
	spin(2000000);
	if (n <= 1) {
		stop = true;
		for (int i = 0; i < 4; i++)
			CHECK(!pthread_join(t[i], NULL));
		return;
	}
	snprintf(left, sizeof left, "%d", n - 1);
	if (n % 2)
		execv(self, arguments);
	else
		execve(self, arguments, environ);
	CHECK(false);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// As shells do.
static void vforks(int n, char **more)
{
	char *true_[] = { (char *)"true", NULL };
	pid_t p;

	(void)more;
	for (volatile int i = 0; i < 50 * n; i++) {
		spin(100000);
		if (i % 2) {
			p = vfork();
			if (!p) {
				if (i % 4 == 1)
					_exit(3);
				execv("/bin/true", true_);
				_exit(1);
			}
			wait_for(p, i % 4 == 1 ? 3 << 8 : 0);
		} else {
			CHECK(!posix_spawn(&p, "/bin/true", NULL, NULL, true_, environ));
			wait_for(p, 0);
		}
	}
}

// It leaves its terminal and its parent; the parent waits until all is done.
static void daemonises(int n, char **more)
{
	int ends[2];
	char byte;
	pid_t p;

	(void)n;
	(void)more;
	CHECK(!pipe(ends));
	p = fork();
	CHECK(p >= 0);
	if (!p) {
		CHECK(setsid() > 0);
		p = fork();
		CHECK(p >= 0);
		if (p)
			_exit(0);
		CHECK(!chdir("/"));
		umask(077);
		for (int i = 0; i < 256; i++)
			if (i != ends[1])
				close(i);
		CHECK(open("/dev/null", O_RDWR) == 0 && dup(0) == 1 && dup(0) == 2);
		burn(0.05);
		CHECK(write(ends[1], "x", 1) == 1);
		_exit(0);
	}
	wait_for(p, 0);
	CHECK(!close(ends[1]) && read(ends[0], &byte, 1) == 1 && byte == 'x' && read(ends[0], &byte, 1) == 0 && !close(ends[0]));
}

static sem_t begun, cancelled;

static void cleanup(void *unused)
{
	(void)unused;
	sem_post(&cancelled);
}

static void *cancellable(void *kind)
{
	int old;

	pthread_cleanup_push(cleanup, NULL);
	sem_post(&begun);
	pthread_setcanceltype(kind ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, &old);
	for (;;) {
		spin(500);
		if (!kind)
			pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancels(int n, char **more)
{
	(void)more;
	CHECK(!sem_init(&begun, 0, 0) && !sem_init(&cancelled, 0, 0));
	for (int i = 0; i < 200 * n; i++) {
		pthread_t t;
		void *result;

		CHECK(!pthread_create(&t, NULL, cancellable, i % 2 ? &cancelled : NULL));
		while (sem_wait(&begun))
			CHECK(errno == EINTR);
		spin(i * 1000);
		CHECK(!pthread_cancel(t) && !pthread_join(t, &result) && result == PTHREAD_CANCELED);
		CHECK(!sem_trywait(&cancelled));
	}
}

static void *short_life(void *unused)
{
	spin(20000);
	return unused;
}

static void births(int n, char **more)
{
	(void)more;
	for (int i = 0; i < 400 * n; i++) {
		pthread_t t[8];

		for (int k = 0; k < 8; k++)
			CHECK(!pthread_create(&t[k], NULL, short_life, NULL));
		for (int k = 0; k < 8; k++)
			CHECK(!pthread_join(t[k], NULL));
	}
}

static void limit(int which, rlim_t to)
{
	struct rlimit l = { to, to };

	CHECK(!setrlimit(which, &l));
}

// N MB of address space, which it uses up itself.
static void space(int n, char **more)
{
	size_t had = 0;

	(void)more;
	limit(RLIMIT_AS, (rlim_t)n << 20);
	burn(0.05);
	while (had < (size_t)n / 2) {
		char *p = malloc(1 << 20);

		CHECK(p);
		memset(p, 1, 1 << 20);
		had++;
	}
	burn(0.05);
	CHECK(!malloc((size_t)n << 20) && errno == ENOMEM);
}

static pthread_barrier_t barrier;

static CALLED void ask(void)
{
	CHECK(malloc(2000));
}

static void *asks(void *unused)
{
	(void)unused;
	ask();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	ask();
	return NULL;
}

// The same, when all that it uses has been sampled, with a thread that goes on.
static void late_space(int n, char **more)
{
	pthread_t t;
	pthread_attr_t a;

	CHECK(mallopt(M_ARENA_MAX, 1));
	CHECK(!pthread_barrier_init(&barrier, NULL, 2) && !pthread_attr_init(&a) && !pthread_attr_setstacksize(&a, 1 << 18));
	CHECK(!pthread_create(&t, &a, asks, NULL));
	pthread_barrier_wait(&barrier);
	ask();
	burn(0.05);
	space(n, more);
	pthread_barrier_wait(&barrier);
	CHECK(!pthread_join(t, NULL));
}

static void descriptors(int n, char **more)
{
	(void)more;
	limit(RLIMIT_NOFILE, (rlim_t)n);
	burn(0.05);
	if (n < 4)
		CHECK(open("/dev/null", O_RDONLY) == -1 && errno == EMFILE);
	burn(0.05);
	limit(RLIMIT_NOFILE, 3);
}

static void files(int n, char **more)
{
	(void)more;
	signal(SIGXFSZ, SIG_DFL);
	limit(RLIMIT_FSIZE, (rlim_t)n);
	burn(0.1);
}

// Its memory is locked before anything of it was sampled.
static void locked(int n, char **more)
{
	(void)more;
	CHECK(!mlockall(MCL_CURRENT | MCL_FUTURE));
	burn(0.1 * n);
}

static const struct mode modes[] = {
	{ "forks", forks }, { "executes", executes }, { "vforks", vforks }, { "daemonises", daemonises }, { "cancels", cancels },
	{ "births", births }, { "space", space }, { "late-space", late_space }, { "descriptors", descriptors }, { "files", files }, { "locked", locked },
};

MODES(modes)
