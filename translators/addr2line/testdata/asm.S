# Functions of assembly: typed and sized, without a size, without a type, and
# code that no symbol covers.
	.text
	.globl sized
	.type sized, @function
sized:
	mov %rdi, %rax
	ret
	.size sized, .-sized
	.fill 16, 1, 0x90
	.globl unsized
	.type unsized, @function
unsized:
	lea 1(%rdi), %rax
	ret
	.globl untyped
untyped:
	lea 2(%rdi), %rax
	ret
	.globl main
	.type main, @function
main:
	xor %eax, %eax
	ret
	.size main, .-main
	.section .note.GNU-stack, "", @progbits
