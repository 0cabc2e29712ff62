# Symbols of all kinds, at addresses that the test knows from the linker.
	.text
	.globl main, weak_name, __strong_name, sized, unsized, resolver
	.weak weak_name
	.type main, @function
	.type weak_name, @function
	.type __strong_name, @function
	.type sized, @function
	.type unsized, @function
	.type local, @function
	.type inside, @function
	.type resolver, @gnu_indirect_function
	.type data, @object

main:	ret
	.size main, .-main
unsized:
	.skip 16, 0x90
local:	.skip 16, 0x90
	.size local, 8
__strong_name:
weak_name:
	.skip 8, 0x90
inside:	.skip 8, 0x90
	.size inside, 4
	.skip 8, 0x90
	.size weak_name, 24
	.size __strong_name, 24
sized:	.skip 8, 0x90
	.size sized, 8
resolver:
	ret
	.size resolver, 1
label:	ret
data:	.quad 0
	.size data, 8
	.section .note.GNU-stack, "", @progbits
