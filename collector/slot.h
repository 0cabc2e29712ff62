/*
 * slot.h: the slots of the threads that are sampled, with the clock of each.
 *
 * A slot is changed only by who holds it. A handler may come at any instant, in the midst of a
 * change too: it never waits for a slot but leaves the next tick to its holder, who sets it up
 * when the slot is let go. Slots live as long as the process; a handler may look at one whose
 * thread has ended.
 */
#ifndef PCT_SLOT_H
#define PCT_SLOT_H

#include "kernelclock.h"
#include "ticker.h"

#include <stdbool.h>
#include <stdint.h>

enum { SLOTS = 8192 };

struct slot {
	_Atomic int tid; /* 0: free */
	_Atomic bool busy;
	_Atomic bool ticked; /* while it was busy */
	bool little; /* the thread's stack is small */
	struct ticker ticker;
	struct kernelclock kernel; /* beside an event; else it stands still */
};

extern struct slot slots[SLOTS];

static inline int slot_number(const struct slot *s)
{
	return (int)(s - slots);
}

/*
 * A free slot, now the thread's, not held; NULL if there is none. The thread's end sets its tid to
 * 0.
 */
struct slot *slot_claim(int tid);

/* The slot of the calling thread, NULL if it has none. */
struct slot *slot_own(void);

/*
 * Holds a slot; only ever waits for a handler, which never waits for us. Signals wait until
 * slot_unhold: a handler of the program may come here too, by sigaction.
 */
void slot_hold(struct slot *s, uint64_t *mask);
void slot_unhold(struct slot *s, const uint64_t *mask);

/* The same without waiting, for handlers; false if it is held. */
bool slot_take(struct slot *s);
void slot_give(struct slot *s);

/*
 * Sets up the next tick after one; leaves that to the holder of the slot if there is one, whom the
 * tick may have interrupted.
 */
void slot_next(struct slot *s);

/* Calls a function with each slot that a thread has, held. */
void slot_each(void (*f)(struct slot *));

/* Forgets all slots, whose threads the parent process has; how many may have been in use. */
uint32_t slot_forget(void);

#endif
