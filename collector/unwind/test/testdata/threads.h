/*
 * threads.h: for a preloaded library that samples each thread by a timer of its own: room for what a
 * thread needs, and the beginning and end of threads. Who includes it defines
 *
 *	static void fail(void);   what can't go on
 *	static bool wanted(void); whether threads are sampled at all
 *	static void begin(void);  sets `timer` and `thread` of the calling thread
 */
static void *reserve(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		fail();
	return p;
}

static void begin(void);

static void end(void *unused)
{
	(void)unused;
	timer_delete(timer);
	thread = NULL;
}

struct start {
	void *(*function)(void *);
	void *argument;
};

static void *run(void *p)
{
	struct start s = *(struct start *)p;
	void *r;

	free(p);
	begin();
	pthread_cleanup_push(end, NULL);
	r = s.function(s.argument);
	pthread_cleanup_pop(1);
	return r;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *id, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	struct start *s;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	if (!wanted())
		return real(id, a, f, arg);
	s = malloc(sizeof *s);
	*s = (struct start){ f, arg };
	return real(id, a, run, s);
}
