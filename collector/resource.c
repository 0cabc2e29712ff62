#include "resource.h"
#include "options.h"
#include "text.h"

#include <linux/perf_event.h>
#include <stddef.h>

/* Bits of MXCSR. */
enum { INVALID = 1, DENORMAL = 2, DIVIDE = 4, OVERFLOW = 8, UNDERFLOW = 16, INEXACT = 32 };

static const struct resource_kind kinds[] = {
	{ "cpu", "µs", 0, RESOURCE_TIME, TIME_PROF },
	{ "user", "µs", 0, RESOURCE_TIME, TIME_VIRTUAL },
	{ "real", "µs", 0, RESOURCE_TIME, TIME_REAL },
	{ "alloc", "byte", 524288, RESOURCE_ALLOC, 0 },
	{ "io", "µs", 10000, RESOURCE_IO, 0 },
	{ "read", "byte", 4096, RESOURCE_IO, 0 },
	{ "write", "byte", 4096, RESOURCE_IO, 0 },
	{ "faults", "fault", 10, RESOURCE_EVENT, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", "fault", 10, RESOURCE_EVENT, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", "fault", 1, RESOURCE_EVENT, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "fpe", "exception", 1, RESOURCE_FPE, INVALID | DIVIDE | OVERFLOW | UNDERFLOW },
	{ "fpe-invalid", "exception", 1, RESOURCE_FPE, INVALID },
	{ "fpe-divide", "exception", 1, RESOURCE_FPE, DIVIDE },
	{ "fpe-overflow", "exception", 1, RESOURCE_FPE, OVERFLOW },
	{ "fpe-underflow", "exception", 1, RESOURCE_FPE, UNDERFLOW },
	{ "fpe-inexact", "exception", 1, RESOURCE_FPE, INEXACT },
	{ "fpe-denormal", "exception", 1, RESOURCE_FPE, DENORMAL },
};

const struct resource_kind *resource_kind(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (text_equal(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

bool resource_read(const char **s, struct resource *r)
{
	enum { DIGITS_MOST = 15 };
	char name[32];
	struct text t = text_in(name, sizeof name);
	int digits = 0;

	for (; **s && **s != ':' && **s != ' ' && **s != '\t'; (*s)++)
		text_char(&t, **s);
	r->kind = t.full ? NULL : resource_kind(name);
	r->interval = r->kind ? r->kind->interval : 0;
	if (**s == ':') {
		r->interval = 0;
		for ((*s)++; **s >= '0' && **s <= '9'; (*s)++, digits++)
			r->interval = digits < DIGITS_MOST ? r->interval * 10 + (uint64_t)(**s - '0') : r->interval;
		if (!r->interval || digits > DIGITS_MOST)
			r->kind = NULL;
	}
	if (**s && **s != ' ' && **s != '\t')
		r->kind = NULL;
	while (**s && **s != ' ' && **s != '\t')
		(*s)++;
	return r->kind;
}
