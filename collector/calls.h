/*
 * calls.h: samples of whole call paths, counted in the calling context tree of their resource.
 *
 * A thread's part, what its stack is walked with, is made at its own first sample of a resource.
 */
#ifndef PCT_CALLS_H
#define PCT_CALLS_H

#include <stdint.h>
#include <ucontext.h>

/* Finds out whether activations can be counted, if they are to be; when the program starts, not in a handler. */
void calls_start(void);

/*
 * Counts the path of the interrupted context: in a handler, or where signals are blocked. It weighs as
 * much as hits, of which looks saw the path. prepare is called for an address in nothing that is known, and is to do
 * what contexts_prepare does.
 */
void calls_add(uint32_t resource, const ucontext_t *context, uint64_t hits, uint64_t looks, void (*prepare)(uint32_t resource, uintptr_t pc));

/* Counts samples of one frame, at pc. */
void calls_add_start(uint32_t resource, uintptr_t pc, uint64_t hits);

/*
 * Gives back the address space that is more than is permitted. For the holder of the slow lock, with signals
 * blocked. What a handler is at work with stays.
 */
void calls_shrink(void);

/* The process ends: no more samples will tell how long its activations last. For the holder of the slow lock, with signals blocked. */
void calls_complete(void);

/* The calling thread ends: no clock of its own ticks any more. */
void calls_thread_ends(void);

/* Forgets all: the parent process has it. */
void calls_forget(void);

#endif
