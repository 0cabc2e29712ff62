/* privileged [child]: prints whose rights it has, and whether it is traced; so does
 * a child of it. Made set-uid, it has root's. */
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[200];
	int tracer = -1;

	while (f && fgets(line, sizeof line, f))
		sscanf(line, "TracerPid: %d", &tracer);
	printf("uid %d, effective %d, secure %lu\n%s\n", (int)getuid(), (int)geteuid(), getauxval(AT_SECURE),
	       tracer == 0 ? "untraced" : "traced");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	(void)argv;
	tell();
	if (argc > 1) {
		pid_t pid = fork();
		if (pid == 0) {
			tell();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return geteuid() == 0 ? 21 : 22;
}
