/* crash: uses 30 ms of CPU time, then writes where nothing is. */
#include "burn.h"

int main(void)
{
	burn(30);
	*(volatile int *)8 = 1;
	return 0;
}
