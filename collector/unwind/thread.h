/*
 * thread.h: what the walk of a thread's stack works with.
 */
#ifndef PCT_UNWIND_THREAD_H
#define PCT_UNWIND_THREAD_H

#include "memory.h"
#include "objects.h"
#include "recipes.h"
#include "unwind.h"

/* An activation that is counted, as lasting.h says. */
struct activation {
	uint64_t address; /* where its function was at first */
	uint32_t node : 28, follows : 3; /* that of the tree; how it follows another one */
	uint32_t uncounted : 1;
	union {
		uint32_t first; /* the sample that saw it first, while it goes on */
		uint32_t last;  /* the last one that did, when it has ended */
	};
	uint32_t began; /* weight of all samples before */
};

struct mark;

struct unwind_thread {
	struct memory memory;
	struct objects_view view;
	struct cfi_work work;
	struct recipe spare;
	const ucontext_t *context;
	uint32_t capacity;
	uint32_t known_count; /* 0: the path before can't be relied upon */
	uint32_t epoch;
	uint32_t guessed; /* the outermost of the known frames that was left by a guess */
	uint32_t nesting; /* of registers that need registers of inner frames */
	/* What the tree knows of the path before: its root, and what kind of path it was. */
	uint32_t root;
	uint64_t kind;
	/*
	 * While a path is walked: frames found, and how many of those known may still be joined.
	 */
	uint32_t fresh_count, joinable;
	uintptr_t unknown;
	/*
	 * NULL: activations are not counted. Whether the walk met it; whether it met the stub at
	 * work.
	 */
	struct mark *mark;
	bool met, in_stub;
	/* Samples counted, of whole paths; the two before the next one. */
	uint32_t now, before, before_that;
	uint32_t weight; /* of those counted */
	uint32_t going_count;
	struct activation *going; /* the activations of the path before, the outermost first */
	struct activation *gone;  /* by their place on the path, those that ended last */
	uint32_t alike; /* outermost frames that look as they did before, of those that may not have returned */
	struct unwind_frame *known; /* the path before, the outermost frame first */
	struct unwind_frame *fresh; /* frames found, the innermost first */
	uint32_t chain[248];        /* new nodes, for the tree that they are to be in */
};

/*
 * The frame so many calls out from the innermost: of those found, then of those known beyond the
 * one where the two paths join.
 */
static inline struct unwind_frame *thread_frame(const struct unwind_thread *t, uint32_t depth)
{
	if (depth < t->fresh_count)
		return &t->fresh[depth];
	return &t->known[t->joinable - 2 - (depth - t->fresh_count)];
}

/* The value that a register had in the frame at a depth; false if it is lost. */
bool thread_register(struct unwind_thread *t, uint32_t depth, unsigned reg, uint64_t *value);

/*
 * A register that a function preserves, by its number and the place of its rule in a row: the
 * innermost frame that saved it tells its value.
 */
bool thread_preserved(struct unwind_thread *t, uint32_t depth, unsigned reg, int place, uint64_t *value);

/* The canonical frame address there, by call frame information. */
bool thread_cfa(struct unwind_thread *t, uint32_t depth, uint64_t *cfa);

/* Runs an expression there. */
struct expression;
bool thread_evaluate(struct unwind_thread *t, uint32_t depth, const struct expression *e, uint64_t *value);

/* Works out a rule there, given the CFA. */
bool thread_rule(struct unwind_thread *t, uint32_t depth, const struct rule *rule, unsigned reg, uint64_t cfa,
		 uint64_t *value);

/* How the frame is left: the recipe of its address. */
static inline const struct recipe *thread_recipe(struct unwind_thread *t, const struct unwind_frame *f)
{
	return recipes_at(&t->work, &t->view, unwind_address(f), &t->spare);
}

enum outcome {
	LEFT,
	AT_END,
	NO_RECIPE,
	NO_CODE, /* the frame can't be one: its pc follows no call */
	BEGUN,   /* of thread_guess alone: its pc is the beginning of a function */
	BAD_MEMORY,
};

/*
 * Leaves the frame at a depth by any means: sets its flags and slots, and fills next. What
 * unwind_path does itself for most frames.
 */
enum outcome thread_leave(struct unwind_thread *t, uint32_t depth, struct unwind_frame *next);

/* The same without call frame information. */
enum outcome thread_guess(struct unwind_thread *t, uint32_t depth, struct unwind_frame *next);

/* Whether a word is an address just after a call. */
bool thread_called(uint64_t word);

/* Leaves the frame of a signal. */
enum outcome thread_leave_signal(struct unwind_thread *t, struct unwind_frame *f, struct unwind_frame *next);

#endif
