/* tty: what a program knows of its terminal. */
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(void)
{
	struct winsize w = { 0, 0, 0, 0 };
	char line[100];

	printf("isatty %d %d %d\n", isatty(0), isatty(1), isatty(2));
	ioctl(0, TIOCGWINSZ, &w);
	printf("size %dx%d\n", w.ws_row, w.ws_col);
	printf("foreground %d\n", tcgetpgrp(0) == getpgrp());
	fflush(stdout);
	while (fgets(line, sizeof line, stdin))
		printf("got %s", line);
	return 0;
}
