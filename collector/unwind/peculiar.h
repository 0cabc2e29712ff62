/*
 * peculiar.h: functions that read or move their own return address, as setjmp does, and the
 * dynamic linker, where some have no names: what returns from these is not to be marked.
 */
#ifndef PCT_UNWIND_PECULIAR_H
#define PCT_UNWIND_PECULIAR_H

#include <stdbool.h>
#include <stdint.h>

/* Looks for them, once, before the program's own code runs. */
void peculiar_find(void);

/* Whether an address is in one. */
bool peculiar_holds(uint64_t pc);

#endif
