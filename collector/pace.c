#include "pace.h"
#include "sys.h"

#include <stdint.h>
#include <time.h>

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))

enum { REST = 2, WATCHED = 8 };

OF_THREAD bool heavy;
OF_THREAD uint32_t watched; /* samples whose time is looked at */
OF_THREAD uint64_t begun, rest_until; /* ns of the thread's CPU time */

bool pace_begin(void)
{
	if (watched) {
		begun = sys_time(CLOCK_THREAD_CPUTIME_ID);
		if (begun < rest_until)
			return false;
	}
	heavy = false;
	return true;
}

void pace_heavy(void)
{
	heavy = true;
}

void pace_end(void)
{
	if (heavy && watched) {
		uint64_t now = sys_time(CLOCK_THREAD_CPUTIME_ID);

		rest_until = now + REST * (now - begun);
	}
	if (heavy)
		watched = WATCHED;
	else if (watched)
		watched--;
}
