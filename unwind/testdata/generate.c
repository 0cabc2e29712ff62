/* Runs code that it has written to anonymous memory, as a JIT does. */
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline)) static void stop(void)
{
	__asm__ volatile("int3");
}

typedef void code(void (*)(void));

int main(void)
{
	static const unsigned char bare[] = {0xcc, 0xc3};
	static const unsigned char framed[] = {
		0x55, 0x48, 0x89, 0xe5,       /* push %rbp; mov %rsp,%rbp */
		0x48, 0x83, 0xec, 0x20,       /* sub $32,%rsp */
		0xff, 0xd7,                   /* call *%rdi */
		0xcc, 0xc9, 0xc3,             /* int3; leave; ret */
	};
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	stop();
	memcpy(p, bare, sizeof bare);
	memcpy(p + 256, framed, sizeof framed);
	((code *)p)(NULL);
	((code *)(p + 256))(stop);
	((code *)(p + 256))((void (*)(void))p);
	return 0;
}
