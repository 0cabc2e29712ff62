/* spin MS: uses MS ms of CPU time in the function spin, called by main. */
#include <stdlib.h>
#include "burn.h"

int main(int argc, char **argv)
{
	burn(argc > 1 ? atof(argv[1]) : 100);
	return 0;
}
