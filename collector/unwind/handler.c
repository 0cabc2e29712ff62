#include "handler.h"
#include "memory.h"

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
 * uw_install_context: a call that installs the registers, then the arguments of the hook that
 * debuggers stop at, which are the handler's pc (rsi) and CFA (rdi).
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
	return matches(pc, "\x48\x8b\xb5", 3) && matches(cfa, "\x48\x8b\xbd", 3) &&
	       number(cfa + 3) - CONTEXT_CFA == *context;
}

/*
 * mov 0(%rbp),%rbp; mov %rcx,%rsp; then ret, or pop %rcx; jmp *%rcx. Returns the bytes from the
 * second on.
 */
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
	/*
	 * An address in the call is that of a return address after it. At the call itself nothing
	 * is written yet.
	 */
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
