/*
 * nodes.h: what the nodes of a tree have counted.
 */
#include "../../chunks.h"

/* Samples that were there. */
static inline uint32_t node_self(const struct tree *t, uint32_t node)
{
	return tree_link(t, node)->self ? t->words[tree_link(t, node)->self] : 0;
}

/* Activations, if the tree counts them. */
static inline uint32_t node_calls(const struct tree *t, uint32_t node)
{
	return t->calls ? t->words[place_end(t->words, node)] : 0;
}

/* NULL: none was seen by two samples. */
static inline const struct tree_lasting *node_lasting(const struct tree *t, uint32_t node)
{
	uint32_t at = tree_link(t, node)->lasting;

	return at ? (const struct tree_lasting *)&t->words[at] : NULL;
}
