/* A library for load.c. */
void plugin(void (*f)(void))
{
	f();
	__asm__ volatile("");
}
