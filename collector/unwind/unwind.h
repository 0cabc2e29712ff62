/*
 * unwind.h: call paths in signal handlers, from the registers that a signal interrupted.
 *
 * The rule for leaving a frame, its recipe, comes from the call frame information of the
 * object that holds the pc (.eh_frame, by .eh_frame_hdr), is worked out once and kept by pc.
 * Code without such information is left by its frame pointer, where what that leads to
 * follows a call instruction. A path that does not reach its outermost frame says so.
 *
 * Nothing here allocates, locks or touches errno, and no read can fault: the stack that a
 * thread stands on is read directly within its bounds, all else by a system call that fails
 * where a load would fault. Call frame information is read directly, that of objects
 * which may be unloaded by that system call.
 *
 * A thread's data (struct unwind_thread) is for the handlers of that thread, which must not
 * interrupt each other. All else may be used by any number of threads at once.
 */
#ifndef PCT_UNWIND_H
#define PCT_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* A stretch of executable memory of one object, with where its call frame information is. */
struct unwind_object {
	uintptr_t start, end;           /* of the text */
	uintptr_t header;               /* .eh_frame_hdr; 0: none */
	uintptr_t data_start, data_end; /* the readable segment with it, and .eh_frame as a rule */
	uintptr_t bias;                 /* run-time address minus ELF virtual address */
	bool fleeting;                  /* it may be unmapped at any time: nothing of it is read directly */
	/* it reads return addresses, or copies stacks: nothing is marked while it runs */
	bool unwinder;
	uint16_t id;                    /* the caller's number for it, from 1: it tells nodes of the tree apart */
};

enum { UNWIND_OBJECTS = 4096, UNWIND_FRAMES = 1 << 15 };

/* Maps what the process needs, 1.5 MB that is touched as needed; false if it can't. Once. */
bool unwind_start(void);

/*
 * Replaces the table of objects: begin, an add for each, publish. For one caller at a time; in a
 * handler too, but not between unwind_path and unwind_done. begin fails if some handler
 * still uses the table before the last: try later. add fails if there is no room. publish
 * returns the new epoch, which grows only if an object went or changed.
 */
bool unwind_objects_begin(void);
bool unwind_objects_add(const struct unwind_object *object);
uint32_t unwind_objects_publish(void);

/* What the dynamic linker says of an object, its text from the first address to the last. */
struct dl_phdr_info;
struct unwind_object unwind_object_of(const struct dl_phdr_info *info);

/* In the child of a fork: other threads' handlers are gone. */
void unwind_forked(void);

enum unwind_flags {
	/*
	 * pc is an instruction not yet executed: the first frame, what a signal interrupted, what
	 * its handler returns to, a landing pad
	 */
	UNWIND_EXACT = 1,
	UNWIND_SIMPLE = 2, /* where the frame is left to follows from pc, sp, fp and the two slots */
	UNWIND_GUESS = 4,  /* it was left by its frame pointer or the like */
	UNWIND_SIGNAL = 8, /* the frame that the kernel makes for a signal */
};

/* One activation of a function. */
struct unwind_frame {
	uint64_t pc, sp, fp;
	uint32_t node : 28, flags : 4; /* the node of the tree, once it was added */
	int16_t ra_slot, fp_slot;      /* of a simple frame: words from the caller's sp to where the return
					  address and, unless it's 0, the caller's fp were read */
};

enum unwind_end {
	UNWIND_COMPLETE,   /* the last frame is the outermost */
	UNWIND_NO_RECIPE,  /* nothing tells how to leave it */
	UNWIND_BAD_MEMORY, /* the stack could not be read */
	UNWIND_TOO_DEEP,   /* no room for more frames */
	UNWIND_LOOP,       /* the frames lead back to themselves */
};

struct unwind_path {
	struct unwind_frame *frames; /* the outermost first */
	uint32_t count;
	uint32_t common;   /* how many of the outermost are those of the thread's path before */
	uint32_t kept;     /* how many of the outermost are the very same activations, which have not returned since;
			      0 if that is not followed. The innermost of them may be at another place now */
	enum unwind_end end;
	bool guessed;      /* some frame was left without call frame information */
	uintptr_t unknown; /* the first pc that lay in no object, or 0 */
};

struct unwind_thread;

/* The bytes that a thread's data needs, for paths of at most so many frames. */
size_t unwind_thread_size(uint32_t frames, bool calls);

/* Makes it, in zeroed memory of that size, aligned to 16. */
struct unwind_thread *unwind_thread_make(void *memory, uint32_t frames, bool calls);

/*
 * Tells the bounds of the thread's own stack, which stays mapped as long as the thread runs.
 * Without them paths are as good, but slower.
 */
void unwind_thread_stack(struct unwind_thread *t, uintptr_t low, uintptr_t high);

/*
 * Finds these bounds in the memory map: system calls alone, some 50 µs. In any thread and handler.
 */
bool unwind_find_stack(uintptr_t sp, uintptr_t *low, uintptr_t *high);

/*
 * The path of the interrupted context. It stays valid until unwind_done, which must follow, and
 * its frames until the thread's next path.
 */
void unwind_path(struct unwind_thread *t, const ucontext_t *context, struct unwind_path *path);
void unwind_done(struct unwind_thread *t);

/*
 * Activations, on x86-64: the frames of a path that have not returned since the one before
 * (unwind_path.kept) are known by a mark on the thread's stack, in place of a return address.
 *
 * Once, when the program starts: whether this program may have its stacks marked, or why it must
 * not.
 */
enum unwind_counting { UNWIND_COUNTS, UNWIND_SHADOW_STACK, UNWIND_OCAML, UNWIND_NO_TRAMPOLINE /* for this machine */ };

enum unwind_counting unwind_count_start(void);

/*
 * Looks for an unwinder of libgcc's kind that is linked into an object among other functions, in
 * so many of these at most, the last ones: no mark is set while it is at work. False if there is
 * none. Not in a handler, while the object stays.
 */
bool unwind_linked(const struct unwind_object *object, uint32_t most);

/* Whether the object with this text has been looked at. */
bool unwind_linked_known(uintptr_t address);

/* Forgets the objects that have been unloaded. Not in a handler. */
void unwind_linked_unloaded(void);

/*
 * Begins to follow the activations of the calling thread, before its first path; false if that
 * can't be. It ends with the thread, and with the parent's in the child of a fork.
 */
bool unwind_count(struct unwind_thread *t);
void unwind_count_ends(struct unwind_thread *t);

/*
 * In the child of a fork: no thread is followed any more. A handler of the program's may have
 * forked while the stub, or what jumps and unwinders call, was at work, which goes on with the
 * mark when the handler returns: then all that is left as it is, and what it works with is
 * returned, whose memory must stay. Else NULL.
 */
struct unwind_thread *unwind_count_forked(void);

/* Sets the mark on the stack of the path, between unwind_path and unwind_done. */
void unwind_mark(struct unwind_thread *t, const struct unwind_path *path);

/* Whether activations of the calling thread are followed. */
bool unwind_counted(void);

/*
 * The program is about to read the return addresses of the calling thread: they are as the program
 * made them. It asks for an address, 0 if it doesn't; returns what it would have asked for without
 * us. asks_again: for each return address that it has read it asks before it makes anything else
 * of it, as libgcc's unwinder does.
 */
uintptr_t unwind_return_addresses(uintptr_t asked, bool asks_again);

/*
 * The same, for an unwinder whose code is at `caller` and that looks up call frame information; it
 * may be libgcc's library.
 */
uintptr_t unwind_looks_up(uintptr_t asked, uintptr_t caller, bool libgcc);

/*
 * The calling thread goes, or went, out to a frame that has this stack pointer, without returning.
 */
void unwind_landed(uintptr_t sp);

/* Forgets the path before: no frame of the next one is known. */
void unwind_forget(struct unwind_thread *t);

/* Between these two: the object that an address lies in, NULL if none. */
const struct unwind_object *unwind_object_at(struct unwind_thread *t, uintptr_t address);

/* The address of the instruction that a frame is at: of a return address, one in its call. */
static inline uint64_t unwind_address(const struct unwind_frame *f)
{
	return f->pc - !(f->flags & UNWIND_EXACT);
}

#endif
