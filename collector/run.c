#include "run.h"

struct run run;

void run_begin(void)
{
	run.start = sys_time(CLOCK_REALTIME);
	run.monotonic = sys_time(CLOCK_MONOTONIC);
	run.pid = (int)sys0(SYS_getpid);
	run.unsampled = 0;
}
