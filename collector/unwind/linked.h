/*
 * linked.h: unwinders that are linked into a program or a library, among its other functions.
 *
 * libgcc's is known by the functions that go to handlers of exceptions: they alone save the
 * registers in which handlers get their data. What else reads return addresses stands with them.
 * As the library of its own, such code is not to find marks set while it is at work: it reads its
 * own return address before it asks for anything (throw.c).
 */
#ifndef PCT_UNWIND_LINKED_H
#define PCT_UNWIND_LINKED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether an address is in the code of an unwinder that was found. */
bool linked_holds(uintptr_t address);

/* Whether it is in one of the functions that go to handlers of exceptions. */
bool linked_jumps(uintptr_t address);

/* The first address of the object that it is in, if that has such an unwinder, else 0. */
uintptr_t linked_in(uintptr_t address);

#endif
