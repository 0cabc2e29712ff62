/*
 * chunks.h: the memory of a calling context tree: its header, and words in which one chunk follows
 * the other.
 *
 * A chunk is
 *
 *   head    its length in words, with this one, in the upper 8 bits; in the lower 24 the node that
 *           its first node is below
 *   nodes   each below the one before it: its place, and its activations if the tree counts them
 *   count   of the samples that were in its last node; without nodes, in the one that head names
 *
 * or, if head names TREE_LASTING, a head and several struct tree_lasting, or, if it names
 * TREE_TEXT, a head and text. A node is named by the number of its place's word. A place is one
 * word, object << 26 | address (an ELF virtual address), or if that is not enough TREE_LONG << 26
 * and two words, the lower first, object << 48 | address, which is the run-time one if the object
 * is 0. A chunk below 0 is in no tree, but for the first one, the root. The head is written at
 * first, by which chunks follow each other without a gap at any instant.
 */
#ifndef PCT_UNWIND_CHUNKS_H
#define PCT_UNWIND_CHUNKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By which nodes are found, and where they count: each 0 if there is none. */
struct tree_links {
	uint32_t child;       /* the top of the tree of children */
	uint32_t left, right; /* in the tree of the parent's children */
	uint32_t self;        /* the word of the samples that were here; a full counter stays full */
	uint32_t lasting;     /* the words of struct tree_lasting */
};

/* Objects that are none. */
enum {
	TREE_OBJECTS = 0xfff0, /* real ones are from 1 to below this */
	TREE_ROOT = 0xfff0,    /* a root; the address is what the caller gave */
	/* between a root and paths that do not reach their outermost frame; the address is why */
	TREE_PARTIAL = 0xfff1,
	TREE_GUESSED = 0xfff2, /* the same, of paths with a frame without call frame information */
};

enum {
	TREE_WORDS_MOST = (1 << 24) - 2,
	TREE_LASTING = (1 << 24) - 2,
	TREE_TEXT = (1 << 24) - 1,
	TREE_LONG = 63,
	TREE_CHUNK = 255, /* words at most */
};

/* The head of the mapping, before the words. Little-endian, as all of it. */
struct tree_header {
	char magic[16];         /* PCTtree4, NUL padded; written last */
	uint32_t header;        /* bytes of it */
	uint32_t calls;         /* words of a node for its activations: 1, or 0 */
	_Atomic uint32_t count; /* words in use; word 0 is none */
	uint32_t capacity;
	_Atomic uint64_t samples;   /* stored */
	_Atomic uint64_t weight;    /* of them */
	_Atomic uint64_t partial;   /* of them: paths that do not reach their outermost frame */
	_Atomic uint64_t guessed;   /* of them: paths with a frame without call frame information */
	_Atomic uint64_t lost;      /* not stored, for want of room */
	_Atomic uint64_t saturated; /* stored, but their counter was full */
	/* of all samples: frames, and those that were not known from the path before */
	_Atomic uint64_t frames, fresh;
};

/*
 * What is counted of the activations of a node that were seen by more than one sample, and of
 * samples there that weigh more than one. Full counters stay full.
 */
struct tree_lasting {
	uint32_t node;    /* 0: this is none */
	uint32_t twice;   /* seen by two samples or more */
	uint32_t thrice;  /* by three or more */
	uint32_t most;    /* weight of one that has ended, if it has three or more */
	/*
	 * of those seen twice: the sample before was in the same function called in the same
	 * context
	 */
	uint32_t next;
	uint32_t near;    /* the one before that was */
	uint32_t alone;   /* weight above one of samples that are the only ones of their activations */
	uint32_t heavy;   /* samples in this node itself that weigh more than one */
	uint32_t heavier; /* the sum of their weights */
	uint32_t squares; /* that of the squares of these */
};

struct tree {
	struct tree_header *header; /* NULL: none */
	uint32_t *words;            /* behind it */
	struct tree_links *links; /* of the nodes, as tree_link finds them */
	uint32_t calls;
	/*
	 * Makes sure that there is room in the file behind a page, which a store could not report.
	 */
	bool (*room)(void *page);
	_Atomic uint32_t roomy; /* pages that have room, from that of the header on */
	/*
	 * of a chunk of records of activations: the word behind its last << 32 | the next one that
	 * is free
	 */
	_Atomic uint64_t spare;
};

/* A node whose activations are counted has two words at least. */
static inline struct tree_links *tree_link(const struct tree *t, uint32_t node)
{
	return &t->links[node >> t->calls];
}

/* Bytes of a mapping for so many words; of their links. */
size_t tree_size(uint32_t words);
size_t tree_links_size(uint32_t words, bool calls);

enum { PLACE_BITS = 26, CHUNK_BITS = 24 };

/* The head of a new chunk of so many words, which are 0 but for it; 0 if there's no room. */
uint32_t chunk_append(struct tree *t, uint32_t parent, uint32_t length);

static inline uint64_t place_of(uint32_t object, uint64_t address)
{
	return (uint64_t)object << 48 | (address & (((uint64_t)1 << 48) - 1));
}

/* Writes a place, of 1 or 3 words; how many. */
uint32_t place_put(uint32_t *to, uint64_t where);

static inline bool place_is_long(uint32_t word)
{
	return word >> PLACE_BITS == TREE_LONG;
}

static inline uint64_t place_get(const uint32_t *at)
{
	if (place_is_long(at[0]))
		return at[1] | (uint64_t)at[2] << 32;
	return place_of(at[0] >> PLACE_BITS, at[0] & ((1u << PLACE_BITS) - 1));
}

/* The word behind a place. */
static inline uint32_t place_end(const uint32_t *words, uint32_t at)
{
	return at + (place_is_long(words[at]) ? 3 : 1);
}

/*
 * Whether no nodes can be made any more. What is left of the words, a 64th of them, is for text.
 */
static inline bool tree_full(const struct tree *t)
{
	uint32_t capacity = t->header->capacity;

	return atomic_load_explicit(&t->header->count, memory_order_relaxed) + TREE_CHUNK > capacity - capacity / 64;
}

/*
 * Appends text without NULs, for one caller at a time; false if there is no room for all of it:
 * then none is there.
 */
bool tree_text(struct tree *t, const char *text, size_t n);

#endif
