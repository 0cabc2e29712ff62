#include "consume.h"
#include "collector.h"
#include "note.h"
#include "options.h"
#include "run.h"
#include "sample.h"
#include "text.h"

int pct_resource(const char *name, uint64_t *interval)
{
	if (collector_starts())
		return PCT_NOT_YET;
	for (uint32_t i = 0; collector_awake() && i < options.resource_count; i++) {
		if (!text_equal(options.resources[i].kind->name, name))
			continue;
		*interval = options.resources[i].interval;
		return (int)i;
	}
	return PCT_NEVER;
}

void pct_consumed(int resource, const ucontext_t *context, uint64_t hits)
{
	if (run_mine())
		sample_consumed((uint32_t)resource, context, hits);
}

void pct_own_malloc(void)
{
	note_post(NOTE_OWN_MALLOC);
}
