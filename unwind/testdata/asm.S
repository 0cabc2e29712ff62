# Functions written by hand, without call frame information. Each stops once.
	.text
	.globl main, bare, framed, caller, late
	.type main, @function
	.type bare, @function
	.type framed, @function
	.type caller, @function
	.type late, @function
	.type handler, @function
	.type restore, @function

bare:					# no frame at all
	xor	%eax, %eax
	int3
	ret
	.size bare, .-bare

framed:					# a frame pointer
	push	%rbp
	int3
	mov	%rsp, %rbp
	sub	$64, %rsp
	int3
	call	bare
	leave
	int3
	ret
	.size framed, .-framed

caller:					# a frame, and no pointer to it
	sub	$40, %rsp
	call	bare
	int3
	add	$40, %rsp
	ret
	.size caller, .-caller

late:					# sets up its frame pointer only when needed
	test	%edi, %edi
	int3
	jz	1f
	push	%rbp
	mov	%rsp, %rbp
	call	framed
	pop	%rbp
1:	ret
	.size late, .-late

handler:				# of a signal
	call	bare
	ret
	.size handler, .-handler

restore:				# what it returns to
	mov	$15, %eax
	syscall
	.size restore, .-restore

main:
	push	%rbp
	mov	%rsp, %rbp
	call	bare
	call	framed
	call	caller
	mov	$1, %edi
	call	late

	mov	$13, %eax		# rt_sigaction(SIGUSR1, &action, 0, 8)
	mov	$10, %edi
	lea	action(%rip), %rsi
	lea	handler(%rip), %rcx
	mov	%rcx, (%rsi)
	lea	restore(%rip), %rcx
	mov	%rcx, 16(%rsi)
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
	mov	$39, %eax		# kill(getpid(), SIGUSR1)
	syscall
	mov	%eax, %edi
	mov	$10, %esi
	mov	$62, %eax
	syscall
	xor	%eax, %eax
	pop	%rbp
	ret
	.size main, .-main

	.data
	.balign 8
action:	.quad 0, 0x04000000, 0, 0	# SA_RESTORER
	.section .note.GNU-stack, "", @progbits
