/*
 * mask.h: the masks that the program believes its threads to have.
 *
 * A signal that is ours and not retired (signals.h) is not really blocked where the program blocks
 * it, so that ticks go on: it is hidden from the kernel, and in what the program sees of its mask
 * it is there. When one comes that is the program's own while the calling thread hides it, the
 * clock leaves the signal, which is retired; it is really blocked, and queued again, and so is
 * pending as it would be without us. From then on it is the kernel's alone, in each thread as soon
 * as that sets its mask or meets it.
 *
 * What a handler's sa_mask, or a call that waits with another mask, blocks the kernel blocks.
 * Ticks wait then.
 */
#ifndef PCT_MASK_H
#define PCT_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Whether masks of such a set are our business: else the kernel does what is asked for. */
bool mask_concerned(uint64_t set);

/* rt_sigprocmask for the program: 0, or -errno. */
long mask_change(int how, const uint64_t *set, uint64_t *old);

/*
 * The calling thread's mask is as the kernel has it: what that blocks of ours is hidden from now
 * on.
 */
void mask_adopt(void);

/*
 * Around what copies the mask and dispositions: threads, processes, programs that are executed.
 * The kernel has the program's own meanwhile; in a child that shares our memory, from the first of
 * these on.
 */
void mask_settle(void);
void mask_unsettle(void);

/* The same for good. */
void mask_end(void);

/*
 * What the kernel is to be given of a set of signals that a descriptor is for, which is remembered
 * when it is open.
 */
uint64_t mask_descriptor_set(uint64_t set);
void mask_descriptor(int fd, uint64_t set);

/*
 * Takes ticks of ours that are pending, as they were really blocked, of each of these signals;
 * those of which the program's own are.
 */
uint64_t mask_drain(uint64_t set);

/*
 * The program sends a signal to a thread of its own. One of the clock that is pending at that
 * instant would be taken for it: the clock leaves the signal before. (The trap of an event is
 * never pending in a system call.)
 */
void mask_sends(int signal);

/*
 * A call waits with another mask: until mask_waited that is the program's. frame is the caller's.
 */
uint64_t mask_waits(char *frame, uint64_t set);
void mask_waited(uint64_t before);

/* A jump leaves all frames of the calling thread below a stack pointer. */
void mask_landed(uintptr_t sp);

/*
 * In a handler: keeps a signal of the program's own pending, if the program blocks it; false if it
 * does not.
 */
bool mask_holds(int signal, siginfo_t *info, ucontext_t *context);

#endif
