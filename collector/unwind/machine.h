/*
 * machine.h: what is particular to a machine.
 *
 * Each defines, with registers by their DWARF numbers:
 *
 *   MACHINE_SP, _FP, _RA     stack pointer, frame pointer, column of the return address
 *   MACHINE_REGISTERS        how many numbers there are, the pc not counted
 *   MACHINE_SAVED            how many registers besides sp and fp a function preserves
 *   MACHINE_RED_ZONE         bytes below sp that a function may use
 *   MACHINE_RA_IN_REGISTER   whether calls leave the return address in register RA
 *   MACHINE_HANDLER_DATA     a register saved only by functions that go to exception handlers;
 *                            UINT8_MAX where their code is not known
 *   MACHINE_CODE             bytes before and after a pc that machine_leaving looks at
 */
#ifndef PCT_UNWIND_MACHINE_H
#define PCT_UNWIND_MACHINE_H

/* How to leave a frame of code without call frame information. */
enum machine_leaving {
	LEAVING_UNKNOWN,
	LEAVING_CALLED, /* nothing happened since the call */
	LEAVING_PUSHED, /* the frame pointer has been pushed since */
	LEAVING_FRAMED, /* the frame pointer is set up */
	LEAVING_SIGNAL, /* a signal handler returns to here */
};

#if defined __x86_64__
#include "x86_64.h"
#elif defined __aarch64__
#include "aarch64.h"
#else
#error "the registers and signal frames of this machine are needed"
#endif

#endif
