/* What a process can see of itself that a tracer may have left changed. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* changed_text counts the bytes of the executable mappings that are not as in
 * their files. */
static inline int changed_text(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[5000], file[4096], memory[4096], want[4096];
	int changed = 0;

	while (maps && fgets(line, sizeof line, maps)) {
		unsigned long from, to, offset;
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %4095s", &from, &to, &offset, file) != 4 || file[0] != '/')
			continue;
		int fd = open(file, O_RDONLY | O_CLOEXEC);
		for (; fd >= 0 && from < to; from += sizeof memory, offset += sizeof memory) {
			memset(want, 0, sizeof want);
			memcpy(memory, (void *)from, sizeof memory);
			if (pread(fd, want, sizeof want, (off_t)offset) < 0)
				changed++;
			for (unsigned i = 0; i < sizeof memory; i++)
				changed += memory[i] != want[i];
		}
		if (fd >= 0)
			close(fd);
	}
	if (maps)
		fclose(maps);
	return changed;
}

/* changed_signals counts the signals that are not handled by default, or are
 * blocked, and the interval timers that run. */
static inline int changed_signals(void)
{
	int changed = 0;
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (int s = 1; s < NSIG; s++) {
		struct sigaction a;
		if (sigaction(s, NULL, &a) == 0)
			changed += a.sa_handler != SIG_DFL;
		changed += sigismember(&blocked, s) == 1;
	}
	for (int w = ITIMER_REAL; w <= ITIMER_PROF; w++) {
		struct itimerval v;
		getitimer((__itimer_which_t)w, &v);
		changed += v.it_value.tv_sec || v.it_value.tv_usec || v.it_interval.tv_sec || v.it_interval.tv_usec;
	}
	return changed;
}
