#include "capture.h"

#include <stdint.h>

/* What `capture` puts on the stack. */
#if defined __x86_64__

struct registers {
	greg_t rbx, rbp, r12, r13, r14, r15, sp, pc;
};

__asm__(".text\n"
	"	.globl	capture\n"
	"	.hidden	capture\n"
	"	.type	capture, @function\n"
	"capture:\n"
	"	.cfi_startproc\n"
	"	subq	$72, %rsp\n"
	"	.cfi_adjust_cfa_offset 72\n"
	"	movq	%rbx, (%rsp)\n"
	"	movq	%rbp, 8(%rsp)\n"
	"	movq	%r12, 16(%rsp)\n"
	"	movq	%r13, 24(%rsp)\n"
	"	movq	%r14, 32(%rsp)\n"
	"	movq	%r15, 40(%rsp)\n"
	"	leaq	80(%rsp), %rax\n"
	"	movq	%rax, 48(%rsp)\n"
	"	movq	72(%rsp), %rax\n"
	"	movq	%rax, 56(%rsp)\n"
	"	movq	%rsp, %rsi\n"
	"	call	capture_call\n"
	"	addq	$72, %rsp\n"
	"	.cfi_adjust_cfa_offset -72\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size	capture, .-capture\n");

static void fill(ucontext_t *u, const struct registers *r)
{
	greg_t *g = u->uc_mcontext.gregs;

	g[REG_RBX] = r->rbx;
	g[REG_RBP] = r->rbp;
	g[REG_R12] = r->r12;
	g[REG_R13] = r->r13;
	g[REG_R14] = r->r14;
	g[REG_R15] = r->r15;
	g[REG_RSP] = r->sp;
	g[REG_RIP] = r->pc;
}

#elif defined __aarch64__

struct registers {
	uint64_t x19_to_x28[10], fp, pc, sp;
};

__asm__(".text\n"
	"	.globl	capture\n"
	"	.hidden	capture\n"
	"	.type	capture, %function\n"
	"capture:\n"
	"	.cfi_startproc\n"
	"	sub	sp, sp, #112\n"
	"	.cfi_adjust_cfa_offset 112\n"
	"	stp	x19, x20, [sp]\n"
	"	stp	x21, x22, [sp, #16]\n"
	"	stp	x23, x24, [sp, #32]\n"
	"	stp	x25, x26, [sp, #48]\n"
	"	stp	x27, x28, [sp, #64]\n"
	"	stp	x29, x30, [sp, #80]\n"
	"	.cfi_offset 29, -32\n"
	"	.cfi_offset 30, -24\n"
	"	add	x1, sp, #112\n"
	"	str	x1, [sp, #96]\n"
	"	mov	x1, sp\n"
	"	bl	capture_call\n"
	"	ldp	x29, x30, [sp, #80]\n"
	"	add	sp, sp, #112\n"
	"	.cfi_adjust_cfa_offset -112\n"
	"	.cfi_restore 29\n"
	"	.cfi_restore 30\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size	capture, .-capture\n");

static void fill(ucontext_t *u, const struct registers *r)
{
	for (int i = 0; i < 10; i++)
		u->uc_mcontext.regs[19 + i] = r->x19_to_x28[i];
	u->uc_mcontext.regs[29] = r->fp;
	u->uc_mcontext.sp = r->sp;
	u->uc_mcontext.pc = r->pc;
}

#endif

__attribute__((used)) void capture_call(void (*f)(const ucontext_t *), const struct registers *r);

void capture_call(void (*f)(const ucontext_t *), const struct registers *r)
{
	ucontext_t u = { 0 };

	fill(&u, r);
	f(&u);
}
