/*
 * tree.h: a calling context tree in a mapping, shared by the threads of a process.
 *
 * The mapping is the caller's: a file that is mapped shared, so that all that was counted is
 * in it when the process is killed at any instant. It holds a header and words, in which one
 * chunk follows the other; nothing in it is moved or freed. A chunk is what one sample found
 * new of its path, so that a node is a word as a rule: its place, below that of the node
 * before it. What finds nodes is not needed afterwards, and is in private memory beside
 * it. One tree serves all threads: a node is made by whoever sees its context first, and
 * linked and counted by atomic instructions, which costs nothing to speak of at the rate of
 * samples. That bounds memory by one number, whatever the number of threads. Threads that are
 * to be told apart have roots of their own, below which only they count.
 *
 * The children of a node are a binary tree in the order of a hash of their addresses, so that
 * one with thousands of them is found in some ten steps.
 */
#ifndef PCT_UNWIND_TREE_H
#define PCT_UNWIND_TREE_H

#include "chunks.h"
#include "unwind.h"

/*
 * Makes an empty tree in a mapping of zeros, with or without counts of activations. links is
 * private memory of zeros. room may be NULL if all of the mapping is there. False if there's no
 * room for the root.
 */
bool tree_make(struct tree *t, void *mapping, void *links, uint32_t words, bool calls, bool (*room)(void *page));

/* The root for a number, such as a thread's; 0 if there's no room. */
uint32_t tree_root(struct tree *t, uint64_t number);

/*
 * Counts a path of a thread below a root, between unwind_path and unwind_done. False if there was
 * no room; then it is counted as lost. A thread keeps to one tree, else it calls unwind_forget in
 * between. The frames that are not kept are activations that no sample saw before: they are
 * counted, if the tree does that. looks is how many samples saw the path: weight, or one where the
 * others were due before, who knows where, or none where it was looked at already.
 */
bool tree_add(struct tree *t, uint32_t root, struct unwind_thread *thread, struct unwind_path *path, uint32_t weight,
	      uint32_t looks);

/* The activations of a thread that go on have ended. */
void tree_thread_ends(struct tree *t, struct unwind_thread *thread);

#endif
