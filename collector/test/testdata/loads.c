// Programs that load and unload code all the time: loads NAME N FIRST SECOND [DIRECTORY]. The two libraries have
// a function `work` at the same place, called by first() and second().
#include "abuse.h"

#include <dlfcn.h>
#include <sys/stat.h>

typedef void work(double);

static volatile long sum;

CALLED void first(work *f, double seconds)
{
	f(seconds);
	sum++;
}

CALLED void second(work *f, double seconds)
{
	f(seconds);
	sum++;
}

static void load(const char *path, int which, double seconds)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	work *f = library ? (work *)dlsym(library, "work") : NULL;

	if (!f)
		printf("%s\n", dlerror());
	CHECK(f);
	(which ? second : first)(f, seconds);
	CHECK(!dlclose(library));
}

static void same(int n, char **more)
{
	for (int i = 0; i < n; i++)
		load(more[i % 2], i % 2, 0.0001);
}

static size_t contents(const char *path, char *to, size_t most)
{
	FILE *f = fopen(path, "r");
	size_t n;

	CHECK(f);
	n = fread(to, 1, most, f);
	CHECK(n > 0 && n < most);
	fclose(f);
	return n;
}

// Each time another file, of the name before or of a new one.
static void copies(int n, char **more, bool renamed)
{
	static char bytes[2][1 << 17], path[300];
	size_t size[2];

	for (int i = 0; i < 2; i++)
		size[i] = contents(more[i], bytes[i], sizeof bytes[i]);
	for (int i = 0; i < n; i++) {
		FILE *f;

		snprintf(path, sizeof path, "%s/copy%d.so", more[2], renamed ? i : 0);
		f = fopen(path, "w");
		CHECK(f && fwrite(bytes[i % 2], 1, size[i % 2], f) == size[i % 2] && !fclose(f));
		load(path, i % 2, 0.0001);
		CHECK(!unlink(path));
	}
}

static void replaced(int n, char **more)
{
	copies(n, more, false);
}

static void different(int n, char **more)
{
	copies(n, more, true);
}

struct loader {
	int n;
	char **libraries;
};

static void *loader(void *p)
{
	const struct loader *l = p;

	same(l->n, l->libraries);
	return NULL;
}

static void threads(int n, char **more)
{
	struct loader l = { n / 4, more };
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&t[i], NULL, loader, &l));
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(t[i], NULL));
}

// Many at once, which stay until the end.
static void kept(int n, char **more)
{
	static char bytes[1 << 17], path[300];
	size_t size = contents(more[0], bytes, sizeof bytes);
	void **libraries = malloc((size_t)n * sizeof *libraries);

	CHECK(libraries);
	for (int i = 0; i < n; i++) {
		FILE *f;

		snprintf(path, sizeof path, "%s/kept%d.so", more[2], i);
		f = fopen(path, "w");
		CHECK(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
		libraries[i] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		CHECK(libraries[i]);
		first((work *)dlsym(libraries[i], "work"), 0.0001);
		CHECK(!unlink(path));
	}
	for (int i = 0; i < n; i++)
		CHECK(!dlclose(libraries[i]));
	free(libraries);
}

static const struct mode modes[] = {
	{ "same", same }, { "replaced", replaced }, { "different", different }, { "threads", threads }, { "kept", kept },
};

MODES(modes)
