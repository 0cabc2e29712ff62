#include "resource.h"
#include "resources.h"
#include "text.h"

#include <stddef.h>

const struct resource_kind *resource_kind(const char *name)
{
	for (size_t i = 0; i < sizeof resource_kinds / sizeof *resource_kinds; i++)
		if (text_equal(resource_kinds[i].name, name))
			return &resource_kinds[i];
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
