#include "options.h"
#include "launch/root.h"
#include "sys.h"
#include "text.h"

#include <sys/auxv.h>

struct options options = {
	.kind = KIND_HISTOGRAM,
	.width = 4,
#ifdef __aarch64__
	.bin = 4,
#else
	.bin = 1,
#endif
	.period = 10000000,
};

/* The value of a variable, NULL if it isn't set. */
static const char *value_of(char **environment, const char *name)
{
	size_t n = text_len(name);

	for (; environment && *environment; environment++) {
		const char *e = *environment;
		size_t i = 0;

		while (i < n && e[i] == name[i])
			i++;
		if (i == n && e[n] == '=')
			return e + n + 1;
	}
	return NULL;
}

/*
 * Copies a path, made absolute: the program may change its working directory before
 * the first sample. False if it is too long.
 */
static bool keep_path(char *to, const char *path)
{
	struct text t = text_in(to, PATH_MOST);

	if (*path && *path != '/') {
		long n = sys2(SYS_getcwd, to, PATH_MOST);
		if (n > 1 && to[0] == '/') {
			t.n = (size_t)n - 1;
			text_char(&t, '/');
		}
	}
	text_str(&t, path);
	return !t.full;
}

/* Reads digits; false if there are none, or too many. */
static bool number(const char **s, uint64_t *v)
{
	uint64_t n = 0;
	int digits = 0;

	for (; **s >= '0' && **s <= '9'; (*s)++, digits++)
		n = digits < 18 ? n * 10 + (uint64_t)(**s - '0') : n;
	*v = n;
	return digits > 0 && digits <= 18;
}

static bool power_of_two_to_8(uint64_t w)
{
	return w == 1 || w == 2 || w == 4 || w == 8;
}

/* A letter that a number follows; false if it isn't understood. */
static bool with_number(char letter, const char **s, uint64_t *random)
{
	uint64_t n;

	if (!number(s, &n) || n == 0)
		return false;
	switch (letter) {
	case 'c':
		if (n > UINT32_MAX)
			return false;
		options.kind = KIND_CIRCULAR;
		options.records = n;
		return true;
	case 'g':
		if (n > INT32_MAX)
			return false;
		options.bin = n;
		options.histogram = true;
		return true;
	case 'w':
		if (!power_of_two_to_8(n))
			return false;
		options.width = (uint32_t)n;
		options.histogram = true;
		return true;
	case 'q':
		if (n > 1000000000)
			return false;
		options.period = n * 1000;
		return true;
	case 'r':
		if (n > 1000000)
			return false;
		*random = n;
		return true;
	}
	return false;
}

static bool interval(const char **s)
{
	switch (**s) {
	case 'V':
		options.time = TIME_VIRTUAL;
		break;
	case 'R':
		options.time = TIME_REAL;
		break;
	case 'P':
		options.time = TIME_PROF;
		break;
	default:
		return false;
	}
	(*s)++;
	return true;
}

/* One resource more; it implies call paths. */
static bool resource(const char **s)
{
	struct resource r;

	if (!resource_read(s, &r) || options.resource_count == RESOURCES_MOST)
		return false;
	for (uint32_t i = 0; i < options.resource_count; i++)
		if (options.resources[i].kind == r.kind)
			return false;
	if (r.kind->source == RESOURCE_TIME) {
		/* The clock measures one time. */
		if (options_clock() < RESOURCES_MOST || r.interval > 1000000000)
			return false;
		options.time = (enum time_kind)r.kind->which;
		if (r.interval)
			options.period = r.interval * 1000;
	}
	options.resources[options.resource_count++] = r;
	options.paths = options.named = true;
	return true;
}

uint32_t options_clock(void)
{
	for (uint32_t i = 0; i < options.resource_count; i++)
		if (options.resources[i].kind->source == RESOURCE_TIME)
			return i;
	return RESOURCES_MOST;
}

/* The letters of $PCT. What is wrong is passed over, and kept for a note. */
static void letters(const char *s)
{
	uint64_t random = 0;

	while (*s) {
		char c = *s++;
		bool good = true;

		switch (c) {
		case ' ':
		case '\t':
			break;
		case 't':
			options.truncate = true;
			break;
		case 'v':
			options.verbose = true;
			break;
		case 'p':
			options.to_file = keep_path(options.path, "pc.pct");
			break;
		case 's':
			options.paths = true;
			break;
		case 'e':
			options.calls = true;
			break;
		case 'x':
			good = resource(&s);
			break;
		case 'l':
			options.kind = KIND_LOG;
			break;
		case 'I':
			good = interval(&s);
			break;
		case 'o':
			good = *s && keep_path(options.path, s);
			options.to_file = good;
			s += text_len(s);
			break;
		default:
			good = with_number(c, &s, &random);
		}
		if (!good && !options.bad)
			options.bad = c;
	}
	if (options.paths && options.resource_count == 0)
		options.resources[options.resource_count++] = (struct resource){ .kind = resource_kind(options.time == TIME_REAL ? "real" : "cpu") };
	/* Call paths are in files of their own, in the run directory. */
	if (options.paths) {
		options.to_file = false;
		options.kind = KIND_HISTOGRAM;
	}
	options.random = random > 0;
	if (random > 0)
		options.period *= random;
}

/* Where run directories are if the environment does not say it. */
static bool keep_default_dir(void)
{
	struct text t = text_in(options.dir, sizeof options.dir);
	uid_t us = (uid_t)sys0(SYS_geteuid);
	struct stat st;

	text_str(&t, ROOT_DEFAULT);
	if (sys4(SYS_newfstatat, AT_FDCWD, ROOT_DEFAULT, &st, AT_SYMLINK_NOFOLLOW) == 0 && root_exposed(&st, us)) {
		text_char(&t, '-');
		text_num(&t, us);
	}
	return !t.full;
}

bool options_read(char **environment)
{
	const char *s = value_of(environment, "PCT");
	const char *dir, *run, *plans;

	/* A program with more rights than its user must not write where the user says. */
	if (!s || getauxval(AT_SECURE))
		return false;
	letters(s);
	dir = value_of(environment, "PCT_DIR");
	if (!(dir && *dir ? keep_path(options.dir, dir) : keep_default_dir()))
		return false;
	/* A slash at the end would have a link followed. */
	for (size_t n = text_len(options.dir); n > 1 && options.dir[n - 1] == '/'; n--)
		options.dir[n - 1] = '\0';
	run = value_of(environment, "PCT_RUN");
	if (run && *run && !keep_path(options.run, run))
		options.run[0] = '\0';
	plans = value_of(environment, "PCT_PLANS");
	if (plans && *plans && !keep_path(options.plans, plans))
		options.plans[0] = '\0';
	return true;
}
