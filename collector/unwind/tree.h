/*
 * tree.h: a calling context tree in a mapping, shared by the threads of a process.
 *
 * The mapping is the caller's: a file that is mapped shared, so that all that was counted is
 * in it when the process is killed at any instant. It holds a header and nodes, which are never
 * moved or freed, of 16 bytes each, or 24 where activations are counted. What finds nodes
 * is not needed afterwards, and is in private memory beside it. One tree serves all threads: a
 * node is made by whoever sees its context first, and linked and counted by atomic
 * instructions, which costs nothing to speak of at the rate of samples. That bounds memory by
 * one number, whatever the number of threads. Threads that are to be told apart have roots of
 * their own, below which only they count.
 *
 * The children of a node are a binary tree in the order of a hash of their addresses, so that
 * one with thousands of them is found in some ten steps.
 */
#ifndef PCT_UNWIND_TREE_H
#define PCT_UNWIND_TREE_H

#include "unwind.h"

/* Little-endian. Node 0 does not exist; node 1 is the root of the tree. */
struct tree_node {
	uint64_t where; /* object << 48 | address: ELF virtual address, or the run-time one if object is 0 */
	uint32_t parent;
	uint32_t self;  /* weight of the samples that were here; a full counter stays full */
	uint32_t calls; /* activations that were seen by a sample; this and the next only if the tree counts them */
	uint32_t zero;
};

/* By which nodes are found: each 0 if there is none. */
struct tree_links {
	uint32_t child;       /* the top of the tree of children */
	uint32_t left, right; /* in the tree of the parent's children */
};

/* Objects that are none. */
enum {
	TREE_OBJECTS = 0xfff0, /* real ones are from 1 to below this */
	TREE_ROOT = 0xfff0,    /* a root; the address is what the caller gave */
	TREE_PARTIAL = 0xfff1, /* between a root and paths that do not reach their outermost frame; the address is why */
	TREE_GUESSED = 0xfff2, /* the same, of paths with a frame without call frame information */
};

enum { TREE_NODE_MOST = (1 << 28) - 1 };

/* The head of the mapping, of 240 bytes. */
struct tree_header {
	char magic[16];         /* PCTtree2, NUL padded; written last */
	uint32_t header, node;  /* bytes of the header and of a node */
	_Atomic uint32_t count; /* nodes made, with those in making; may exceed the capacity */
	uint32_t capacity;
	_Atomic uint64_t samples;   /* stored */
	_Atomic uint64_t weight;    /* of them */
	_Atomic uint64_t partial;   /* of them: paths that do not reach their outermost frame */
	_Atomic uint64_t guessed;   /* of them: paths with a frame without call frame information */
	_Atomic uint64_t lost;      /* not stored, for want of room */
	_Atomic uint64_t saturated; /* stored, but their counter was full */
	_Atomic uint64_t frames, fresh; /* of all samples: frames, and those that were not known from the path before */
};

struct tree {
	struct tree_header *header; /* NULL: none */
	char *nodes;
	uint32_t node; /* bytes of one */
	struct tree_links *links;
	/* Makes sure that there is room in the file behind a page, which a store could not report. */
	bool (*room)(void *page);
	_Atomic uint32_t roomy; /* pages that have room */
};

/* Bytes of a mapping for so many nodes, with or without counts of activations; of their links. */
size_t tree_size(uint32_t nodes, bool calls);
size_t tree_links_size(uint32_t nodes);

/*
 * Makes an empty tree in a mapping of zeros, from the beginning of a page on. links is private memory
 * of zeros. room may be NULL if all of the mapping is there. False if there's no room for the first nodes.
 */
bool tree_make(struct tree *t, void *mapping, void *links, uint32_t nodes, bool calls, bool (*room)(void *page));

static inline struct tree_node *tree_node(const struct tree *t, uint32_t n)
{
	return (struct tree_node *)(t->nodes + (size_t)n * t->node);
}

/* The root for a number, such as a thread's; 0 if there's no room. */
uint32_t tree_root(struct tree *t, uint64_t number);

/*
 * Counts a path of a thread below a root, between unwind_path and unwind_done. False if there was
 * no room; then it is counted as lost. A thread keeps to one tree, else it calls
 * unwind_forget in between. The frames that are not kept are activations that no sample saw
 * before: they are counted, if the tree does that.
 */
bool tree_add(struct tree *t, uint32_t root, struct unwind_thread *thread, struct unwind_path *path, uint32_t weight);

#endif
