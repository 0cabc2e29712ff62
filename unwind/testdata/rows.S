# A function whose call frame information uses every instruction. It is not
# to be run: readelf says what the rows are.
	.text
	.globl main, rows, signal_frame
	.type main, @function
	.type rows, @function
	.type signal_frame, @function
main:	ret
	.size main, .-main

rows:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	nop
	.cfi_def_cfa %rbp, 24
	.cfi_rel_offset %r12, 0
	nop
	.cfi_def_cfa_register %r10
	.cfi_register %r13, %r14
	nop
	.cfi_remember_state
	.cfi_same_value %rbx
	.cfi_undefined %r12
	.cfi_val_offset %r15, -32
	.cfi_val_offset %r14, 32
	nop
	.cfi_remember_state
	.cfi_restore %rbx
	.cfi_adjust_cfa_offset 100000
	.cfi_offset %xmm0, -48
	nop
	.cfi_restore_state
	nop
	.cfi_restore_state
	.skip 100, 0x90
	.cfi_escape 0x12, 7, 0x7e	# def_cfa_sf: rsp, 2 * data alignment of -8
	.skip 300, 0x90
	.cfi_escape 0x13, 0x7c		# def_cfa_offset_sf
	.skip 70000, 0x90
	.cfi_escape 0x11, 3, 0x03	# offset_extended_sf: rbx
	nop
	.cfi_escape 0x15, 12, 0x7d	# val_offset_sf: r12
	nop
	.cfi_escape 0x2f, 13, 0x02	# GNU_negative_offset_extended: r13
	nop
	.cfi_escape 0x2e, 0x10		# GNU_args_size
	.cfi_escape 0x05, 14, 0x05	# offset_extended: r14
	nop
	.cfi_escape 0x06, 14		# restore_extended
	nop
	.cfi_escape 0x10, 6, 2, 0x77, 0x08	# expression: rbp
	.cfi_escape 0x16, 15, 2, 0x77, 0x10	# val_expression: r15
	nop
	.cfi_escape 0x0f, 3, 0x77, 0x08, 0x06	# def_cfa_expression
	nop
	.cfi_def_cfa %rsp, 8
	.cfi_undefined %rip
	nop
	.cfi_endproc
	.size rows, .-rows

	nop
signal_frame:
	.cfi_startproc
	.cfi_signal_frame
	nop
	.cfi_endproc
	.size signal_frame, .-signal_frame
	.section .note.GNU-stack, "", @progbits
