#include "plan.h"
#include "number.h"

enum { PAGE = 4096 };

/* While a plan is executed. */
struct run {
	const struct plan_frame *frame;
	uint8_t *out;
	size_t room, used;
	uint32_t depth;
	uint64_t stack[PLAN_DEPTH];
};

/* Room for so many bytes more; NULL if there is none. */
static uint8_t *more(struct run *r, uint64_t n)
{
	uint8_t *at = r->out + r->used;

	if (n > r->room - r->used)
		return NULL;
	r->used += n;
	return at;
}

static enum plan_outcome out(struct run *r, uint64_t v, unsigned size)
{
	/* As if it wrote a whole word, of which the rest is cut off. */
	uint8_t *to = r->room - r->used < sizeof v ? NULL : more(r, size);

	for (unsigned i = 0; to && i < size; i++)
		to[i] = (uint8_t)(v >> 8 * i);
	return to ? PLAN_GOT : PLAN_TOO_LONG;
}

static enum plan_outcome out_memory(struct run *r, uint64_t at, int64_t n)
{
	uint8_t *to = n < 0 ? NULL : more(r, (uint64_t)n);

	if (!to)
		return PLAN_TOO_LONG;
	return !n || r->frame->read(r->frame->of, at, to, (size_t)n) ? PLAN_GOT : PLAN_NO_MEMORY;
}

static enum plan_outcome out_gone(struct run *r, int64_t n)
{
	uint8_t *to = n < 0 ? NULL : more(r, (uint64_t)n);

	for (int64_t i = 0; to && i < n; i++)
		to[i] = 0;
	return to ? PLAN_GOT : PLAN_TOO_LONG;
}

/* Whether a character of so many bytes is zero. */
static bool zero(const uint8_t *b, unsigned width)
{
	uint8_t any = 0;

	for (unsigned i = 0; i < width; i++)
		any |= b[i];
	return !any;
}

/*
 * Appends the length of the text at an address, and its bytes: up to most, and to a character of
 * zeros, which is the last of them. It is read in pieces that lie within a page, the next of which
 * may not be there.
 */
static enum plan_outcome out_text(struct run *r, uint64_t at, const struct plan_instr *i)
{
	enum { PIECE = 64 };
	const unsigned width = i->size == 2 || i->size == 4 ? i->size : 1;
	const int64_t most = i->arg;
	uint8_t *head = more(r, 2);
	size_t start = r->used, seen = start, length;
	bool ended = false;

	if (!head || most < 0 || (uint64_t)most > r->room - r->used)
		return PLAN_TOO_LONG;
	head[0] = PLAN_UNREADABLE & 0xff;
	head[1] = PLAN_UNREADABLE >> 8;
	if (!at)
		return PLAN_GOT;
	while (!ended && (int64_t)(r->used - start) < most) {
		uint64_t left = (uint64_t)most - (r->used - start), page = PAGE - at % PAGE;
		size_t n = left < PIECE ? (size_t)left : PIECE;
		uint8_t *to;

		if (page < n)
			n = (size_t)page;
		to = more(r, n);
		if (!r->frame->read(r->frame->of, at, to, n)) {
			r->used -= n;
			if (r->used == start)
				return PLAN_GOT;
			break;
		}
		at += n;
		for (; !ended && r->used - seen >= width; seen += width)
			ended = zero(r->out + seen, width);
	}
	r->used = seen;
	length = r->used - start;
	head[0] = (uint8_t)length;
	head[1] = (uint8_t)(length >> 8);
	return PLAN_GOT;
}

/*
 * Appends the length of what is at an address, and its bytes, all of them or none; the top
 * tells which.
 */
static enum plan_outcome out_block(struct run *r, uint64_t at, uint64_t n, int64_t most)
{
	uint64_t *known = &r->stack[r->depth - 1];
	uint8_t *head, *to;

	if (most < 0 || most >= PLAN_UNREADABLE || r->room - r->used < 2 ||
	    (uint64_t)most > r->room - r->used - 2)
		return PLAN_TOO_LONG;
	if (n > (uint64_t)most)
		n = (uint64_t)most;
	head = more(r, 2);
	to = more(r, n);
	*known = !n || (at && r->frame->read(r->frame->of, at, to, (size_t)n));
	if (!*known) {
		r->used -= n;
		n = PLAN_UNREADABLE;
	}
	head[0] = (uint8_t)n;
	head[1] = (uint8_t)(n >> 8);
	return PLAN_GOT;
}

/* Pushes what the frame tells. */
static enum plan_outcome ask(struct run *r, const struct plan_instr *i)
{
	const struct plan_frame *f = r->frame;
	uint64_t *to = &r->stack[r->depth];
	bool known;

	switch (i->op) {
	case OP_REGISTER:
		known = f->reg(f->of, (uint64_t)i->arg, to);
		break;
	case OP_HIGH:
		known = f->high(f->of, (uint64_t)i->arg, to);
		break;
	case OP_CFA:
		known = f->cfa(f->of, to);
		break;
	case OP_ENTRY:
		if (!f->entry || !f->entry(f->of, (uint64_t)i->arg, to))
			return PLAN_NO_ENTRY;
		known = true;
		break;
	default:
		if (!f->thread)
			return PLAN_NO_THREAD;
		*to = f->thread + (uint64_t)i->arg;
		known = true;
		break;
	}
	if (!known)
		return PLAN_NO_REGISTER;
	r->depth++;
	return PLAN_GOT;
}

static enum plan_outcome load(struct run *r, const struct plan_instr *i)
{
	uint64_t *top = &r->stack[r->depth - 1], v = 0;

	if (i->size && !r->frame->read(r->frame->of, *top, &v, i->size)) {
		if (i->arg != 1)
			return PLAN_NO_MEMORY;
		v = UINT64_MAX;
	}
	*top = v;
	return PLAN_GOT;
}

/* Moves words on the stack; what is looked at is there. */
static enum plan_outcome move(struct run *r, const struct plan_instr *i)
{
	uint64_t *top = &r->stack[r->depth - 1], v = *top;

	switch (i->op) {
	case OP_DUP:
		r->stack[r->depth++] = v;
		return PLAN_GOT;
	case OP_DROP:
		r->depth--;
		return PLAN_GOT;
	case OP_SWAP:
		top[0] = top[-1];
		top[-1] = v;
		return PLAN_GOT;
	default:
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = v;
		return PLAN_GOT;
	}
}

/* Executes an instruction that is no jump and no end. */
static enum plan_outcome step(struct run *r, const struct plan_instr *i)
{
	uint64_t *top = &r->stack[r->depth] - 1;

	switch (i->op) {
	case OP_CONST:
	case OP_ADDRESS:
		r->stack[r->depth++] = (uint64_t)i->arg + (i->op == OP_ADDRESS ? r->frame->bias : 0);
		return PLAN_GOT;
	case OP_REGISTER:
	case OP_HIGH:
	case OP_CFA:
	case OP_ENTRY:
	case OP_THREAD:
		return ask(r, i);
	case OP_LOAD:
		return load(r, i);
	case OP_DUP:
	case OP_DROP:
	case OP_SWAP:
	case OP_ROTATE:
		return move(r, i);
	case OP_PICK:
		if (i->arg < 0 || i->arg >= (int64_t)r->depth)
			return PLAN_TOO_LONG;
		r->stack[r->depth] = r->stack[r->depth - 1 - (uint32_t)i->arg];
		r->depth++;
		return PLAN_GOT;
	case OP_OUT:
		r->depth--;
		return out(r, *top, i->size);
	case OP_OUT_MEM:
		r->depth--;
		return out_memory(r, *top, i->arg);
	case OP_OUT_GONE:
		return out_gone(r, i->arg);
	case OP_OUT_TEXT:
		r->depth--;
		return out_text(r, *top, i);
	case OP_OUT_BLOCK:
		r->depth--;
		return out_block(r, top[-1], *top, i->arg);
	case OP_DIV_S:
	case OP_DIV_U:
	case OP_MOD_S:
	case OP_MOD_U:
		r->depth--;
		if (!*top)
			return PLAN_DIVISION_BY_ZERO;
		top[-1] = number_divide(i->op, top[-1], *top);
		return PLAN_GOT;
	default:
		if (plan_pops[i->op] == 1) {
			*top = number_unary(i->op, i->size, *top);
		} else {
			r->depth--;
			top[-1] = number_binary(i->op, top[-1], *top);
		}
		return PLAN_GOT;
	}
}

enum plan_outcome plan_run(const struct plan_instr *code, uint32_t n, const struct plan_frame *f, uint8_t *to,
			   size_t *size)
{
	struct run r = { .frame = f, .out = to, .room = *size };
	enum plan_outcome why = PLAN_GOT;
	uint32_t steps = 0, pc = 0;

	*size = 0;
	while (pc < n && why == PLAN_GOT) {
		const struct plan_instr *i = &code[pc];
		bool jumps = i->op == OP_JUMP;

		if (++steps > PLAN_STEPS || r.depth > PLAN_DEPTH - 2 || i->op > OP_END || i->size > sizeof(uint64_t) ||
		    r.depth < plan_pops[i->op])
			return PLAN_TOO_LONG;
		pc++;
		if (i->op == OP_END)
			break;
		if (i->op == OP_FAIL)
			return (enum plan_outcome)i->arg;
		if (i->op == OP_JUMP_ZERO)
			jumps = !r.stack[--r.depth];
		else if (!jumps)
			why = step(&r, i);
		if (!jumps)
			continue;
		if (i->arg < -(int64_t)pc || i->arg > (int64_t)(n - pc))
			return PLAN_TOO_LONG;
		pc = (uint32_t)((int64_t)pc + i->arg);
	}
	*size = r.used;
	return why;
}
