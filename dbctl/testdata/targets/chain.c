/* chain MS PROGRAM ARG...: uses MS ms of CPU time, then executes PROGRAM. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "burn.h"

int main(int argc, char **argv)
{
	(void)argc;
	burn(atof(argv[1]));
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 1;
}
