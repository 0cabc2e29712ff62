/* A library whose only effect is an empty signal handler, called each millisecond of real time. */
#include <signal.h>
#include <time.h>

static void nothing(int number)
{
	(void)number;
}

__attribute__((constructor)) static void start(void)
{
	struct sigaction action = { .sa_handler = nothing, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG };
	struct itimerspec each = { { 0, 1000000 }, { 0, 1000000 } };
	timer_t timer;

	sigaction(SIGURG, &action, NULL);
	if (!timer_create(CLOCK_MONOTONIC, &event, &timer))
		timer_settime(timer, 0, &each, NULL);
}
