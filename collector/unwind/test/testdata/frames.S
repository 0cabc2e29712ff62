# Functions written by hand whose call frame information is unlike what compilers emit. Each
# calls the function that it is given.
	.text

	.globl by_rbx			# the CFA is found from a register that a function preserves
	.type by_rbx, @function
by_rbx:	.cfi_startproc
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	sub	$128, %rsp
	and	$-64, %rsp
	call	*%rdi
	call	1f
	mov	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
1:	ret
	.cfi_endproc
	.size by_rbx, .-by_rbx

	.globl by_expression		# the CFA stands in memory
	.type by_expression, @function
by_expression:
	.cfi_startproc
	lea	8(%rsp), %rax
	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	mov	%rax, 8(%rsp)
	# DW_CFA_def_cfa_expression: DW_OP_breg7 8, DW_OP_deref
	.cfi_escape 0x0f, 3, 0x77, 8, 0x06
	call	*%rdi
	call	1f
	.cfi_def_cfa %rsp, 32
	add	$24, %rsp
	.cfi_adjust_cfa_offset -24
1:	ret
	.cfi_endproc
	.size by_expression, .-by_expression

	.globl in_register		# the return address is in a register, rbp in another
	.type in_register, @function
in_register:
	.cfi_startproc
	mov	%rbp, %r13
	.cfi_register %rbp, %r13
	xor	%ebp, %ebp
	mov	(%rsp), %r12
	.cfi_register %rip, %r12
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	movq	$0, 8(%rsp)
	call	*%rdi
	mov	%r12, 8(%rsp)
	.cfi_offset %rip, -8
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	mov	%r13, %rbp
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size in_register, .-in_register

	.globl keep			# calls in_register, and gives r12 and r13 back
	.type keep, @function
keep:	.cfi_startproc
	push	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	push	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	in_register
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	pop	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	pop	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	ret
	.cfi_endproc
	.size keep, .-keep

	.section .note.GNU-stack, "", @progbits
