// pct_on and pct_off, linked in.
#include "burn.h"
#include "pct.h"
#include <stdio.h>
__attribute__((noipa)) static void seen(double s) { double end = cpu() + s; while (cpu() < end) spin(20000); __asm__ volatile(""); }
__attribute__((noipa)) static void hidden(double s) { double end = cpu() + s; while (cpu() < end) spin(30000); __asm__ volatile(""); }
int main(void)
{
	for (int i = 0; i < 2; i++) {
		seen(0.1);
		pct_off();
		hidden(0.1);
		pct_on();
	}
	puts("done");
	return 0;
}
