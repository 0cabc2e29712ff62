#include "unmeasured.h"
#include "collector.h"
#include "launch/unfit.h"
#include "options.h"
#include "rundir.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>

enum { LINE_MOST = 640 };

/*
 * It may be the child of a vfork that executes: all is on the stack, which such children have
 * enough of.
 */
static void look(const char *path)
{
	char line[LINE_MOST];
	struct text t = text_in(line, sizeof line);
	enum unfit why = access(path, X_OK) == 0 ? why_unfit(path) : UNFIT_NOT;

	/* In a Go program that has the library, the library itself tells. */
	if (why == UNFIT_NOT || why == UNFIT_GO)
		return;
	text_value(&t, path, text_len(path) < LINE_MOST / 2 ? text_len(path) : LINE_MOST / 2);
	text_char(&t, ' ');
	text_str(&t, unfit_words[why].clause);
	text_str(&t, ": what it used is not measured");
	rundir_tell("UNMEASURED", line);
}

static bool asked(void)
{
	return collector_awake() && options.named && options.run[0];
}

void unmeasured_path(const char *path)
{
	int was = errno;

	if (asked() && path)
		look(path);
	errno = was;
}

void unmeasured_file(const char *file)
{
	const char *dir = getenv("PATH"), *end;
	char candidate[LINE_MOST];
	int was = errno;

	if (!asked() || !file)
		return;
	if (strchr(file, '/')) {
		look(file);
		dir = "";
	}
	for (dir = dir ? dir : "/bin:/usr/bin"; *dir && *file; dir = *end ? end + 1 : end) {
		struct text t = text_in(candidate, sizeof candidate);

		for (end = dir; *end && *end != ':'; end++)
			text_char(&t, *end);
		if (end > dir)
			text_char(&t, '/');
		text_str(&t, file);
		if (!t.full && access(candidate, X_OK) == 0) {
			look(candidate);
			break;
		}
	}
	errno = was;
}
