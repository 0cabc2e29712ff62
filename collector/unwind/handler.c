#include "handler.h"
#include "memory.h"

/*
 * libgcc's struct _Unwind_Context of x86-64, the same since GCC 3.4: what it knows of a frame. Of registers it has the
 * addresses where they are saved, or the values if `by_value` says so.
 */
enum {
	CONTEXT_CFA = 0x90,
	CONTEXT_PC = 0x98,
	CONTEXT_FLAGS = 0xc0,
	CONTEXT_ARGUMENTS = 0xd0, /* bytes of arguments on the stack at the call */
	CONTEXT_BY_VALUE = 0xd8,
};
#define CONTEXT_EXTENDED ((uint64_t)1 << 62)

enum { CHUNK = 256, OVERLAP = 64 };

/* What the code of a function tells. */
struct code {
	uintptr_t installed; /* where the registers have been written over its own; 0: not known */
	uintptr_t leaving;   /* where they have been loaded but for the stack pointer */
	uintptr_t end;       /* after the jump */
	int32_t context;     /* the handler's, from fp */
};

static bool matches(const uint8_t *code, const char *bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (code[i] != (uint8_t)bytes[i])
			return false;
	return true;
}

static int32_t number(const uint8_t *p)
{
	return (int32_t)(p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

/*
 * uw_install_context: a call that installs the registers, then the arguments of the hook that debuggers
 * stop at, which are the handler's pc (rsi) and CFA (rdi).
 */
static bool installs(const uint8_t *p, int32_t *context)
{
	enum { CALL = 5, MOVE = 3, LOAD = 7 };
	const uint8_t *pc, *cfa;

	if (p[0] != 0xe8)
		return false;
	p += CALL;
	/* The result may be moved away first. */
	if (matches(p, "\x48\x89", 2) || matches(p, "\x49\x89", 2))
		p += MOVE;
	pc = matches(p, "\x48\x8b\xb5", 3) ? p : p + LOAD;
	cfa = pc == p ? p + LOAD : p;
	*context = number(pc + 3) - CONTEXT_PC;
	return matches(pc, "\x48\x8b\xb5", 3) && matches(cfa, "\x48\x8b\xbd", 3) && number(cfa + 3) - CONTEXT_CFA == *context;
}

/* mov 0(%rbp),%rbp; mov %rcx,%rsp; then ret, or pop %rcx; jmp *%rcx. Returns the bytes from the second on. */
static unsigned leaves(const uint8_t *p)
{
	if (!matches(p, "\x48\x8b\x6d\x00\x48\x89\xcc", 7))
		return 0;
	return p[7] == 0xc3 ? 4 : matches(p + 7, "\x59\xff\xe1", 3) ? 6 : 0;
}

static void look(struct code *c, uintptr_t start, size_t length)
{
	uint8_t bytes[CHUNK + OVERLAP];

	*c = (struct code){ 0 };
	for (uintptr_t at = start; at < start + length && !c->end; at += CHUNK) {
		size_t n = start + length - at;

		for (unsigned i = 0; i < sizeof bytes; i++)
			bytes[i] = 0;
		if (!memory_peek(at, bytes, n < sizeof bytes ? n : sizeof bytes))
			return;
		for (unsigned i = 0; i < CHUNK && !c->end; i++) {
			unsigned last;

			if (!c->installed) {
				if (installs(bytes + i, &c->context))
					c->installed = at + i;
			} else if ((last = leaves(bytes + i))) {
				c->leaving = at + i + 4;
				c->end = c->leaving + last;
			}
		}
	}
}

void handler_correct(struct row *row, uintptr_t start, size_t length, uintptr_t address)
{
	struct code c;

	look(&c, start, length);
	/* An address in the call is that of a return address after it. At the call itself nothing is written yet. */
	if (!c.end || address <= c.installed || address >= c.end)
		return;
	row->lands = true;
	if (address < c.leaving) {
		row->handler = true;
		row->cfa = (struct rule){ .kind = RULE_REGISTER, .reg = MACHINE_FP, .offset = c.context };
		return;
	}
	for (unsigned i = 0; i < MACHINE_SAVED; i++)
		row->rules[i] = (struct rule){ .kind = RULE_SAME };
}

static bool part(struct unwind_thread *t, uint64_t context, unsigned at, uint64_t *word)
{
	return memory_load(&t->memory, context + at, word);
}

enum outcome handler_leave(struct unwind_thread *t, uint32_t depth, const struct recipe *r, struct unwind_frame *next)
{
	const struct unwind_frame *f = thread_frame(t, depth);
	uint64_t context = f->fp + (uint64_t)(int64_t)r->offset, arguments;

	*next = (struct unwind_frame){ .flags = UNWIND_EXACT };
	if (!part(t, context, CONTEXT_PC, &next->pc) || !part(t, context, CONTEXT_CFA, &next->sp) ||
	    !part(t, context, CONTEXT_ARGUMENTS, &arguments) || !handler_register(t, f, r, MACHINE_FP, &next->fp))
		return BAD_MEMORY;
	next->sp += arguments;
	return next->pc && next->sp > f->fp ? LEFT : NO_RECIPE;
}

bool handler_register(struct unwind_thread *t, const struct unwind_frame *f, const struct recipe *r, unsigned reg, uint64_t *value)
{
	uint64_t context = f->fp + (uint64_t)(int64_t)r->offset, flags, by_value;

	if (!part(t, context, 8 * reg, value) || !part(t, context, CONTEXT_FLAGS, &flags) ||
	    !part(t, context, CONTEXT_BY_VALUE + (reg & ~7u), &by_value))
		return false;
	if (flags & CONTEXT_EXTENDED && by_value >> reg % 8 * 8 & 0xff)
		return true;
	return memory_load(&t->memory, *value, value);
}
