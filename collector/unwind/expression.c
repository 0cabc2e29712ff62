#include "expression.h"

/* DWARF operations. */
enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_DUP,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_UCONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRA,
	OP_EQ,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

enum { STACK = 24, STEPS = 1000 /* branches may lead back */ };

struct machine_stack {
	uint64_t values[STACK];
	unsigned n;
	bool bad;
};

static void push(struct machine_stack *s, uint64_t v)
{
	if (s->n == STACK)
		s->bad = true;
	else
		s->values[s->n++] = v;
}

static uint64_t pop(struct machine_stack *s)
{
	if (!s->n) {
		s->bad = true;
		return 0;
	}
	return s->values[--s->n];
}

static uint64_t pick(struct machine_stack *s, unsigned i)
{
	if (i >= s->n) {
		s->bad = true;
		return 0;
	}
	return s->values[s->n - 1 - i];
}

/* Operations of two values. */
static uint64_t combine(struct machine_stack *s, unsigned op)
{
	uint64_t b = pop(s), a = pop(s);
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case OP_AND:
		return a & b;
	case OP_DIV:
		if (!b || (sb == -1 && sa == INT64_MIN)) {
			s->bad = true;
			return 0;
		}
		return (uint64_t)(sa / sb);
	case OP_MOD:
		s->bad |= !b;
		return b ? a % b : 0;
	case OP_MINUS:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_OR:
		return a | b;
	case OP_PLUS:
		return a + b;
	case OP_SHL:
		return b < 64 ? a << b : 0;
	case OP_SHR:
		return b < 64 ? a >> b : 0;
	case OP_SHRA:
		return (uint64_t)(sa >> (b < 64 ? b : 63));
	case OP_XOR:
		return a ^ b;
	case OP_EQ:
		return sa == sb;
	case OP_GE:
		return sa >= sb;
	case OP_GT:
		return sa > sb;
	case OP_LE:
		return sa <= sb;
	case OP_LT:
		return sa < sb;
	default:
		return sa != sb;
	}
}

static uint64_t constant(struct cursor *c, unsigned op)
{
	switch (op) {
	case OP_CONST1U:
		return cursor_u8(c);
	case OP_CONST1S:
		return (uint64_t)(int8_t)cursor_u8(c);
	case OP_CONST2U:
		return cursor_fixed(c, 2);
	case OP_CONST2S:
		return (uint64_t)(int16_t)cursor_fixed(c, 2);
	case OP_CONST4U:
		return cursor_fixed(c, 4);
	case OP_CONST4S:
		return (uint64_t)(int32_t)cursor_fixed(c, 4);
	case OP_CONSTU:
		return cursor_uleb(c);
	case OP_CONSTS:
		return (uint64_t)cursor_sleb(c);
	default:
		return cursor_fixed(c, 8);
	}
}

/* Rearranges the stack. */
static void arrange(struct machine_stack *s, struct cursor *c, unsigned op)
{
	uint64_t a, b, d;

	switch (op) {
	case OP_DUP:
		push(s, pick(s, 0));
		break;
	case OP_DROP:
		pop(s);
		break;
	case OP_OVER:
		push(s, pick(s, 1));
		break;
	case OP_PICK:
		push(s, pick(s, cursor_u8(c)));
		break;
	case OP_SWAP:
		a = pop(s);
		b = pop(s);
		push(s, a);
		push(s, b);
		break;
	default: /* OP_ROT */
		a = pop(s);
		b = pop(s);
		d = pop(s);
		push(s, a);
		push(s, d);
		push(s, b);
	}
}

static void jump(struct cursor *c, uintptr_t start, int64_t by)
{
	uintptr_t to = cursor_at(c) + (uintptr_t)by;

	if (to < start || to > c->limit)
		c->bad = true;
	else
		cursor_begin(c, to, c->limit, c->guarded);
}

static uint64_t based(struct unwind_thread *t, uint32_t depth, expression_register *get, struct machine_stack *s,
		      uint64_t reg, int64_t offset)
{
	uint64_t v = 0;

	s->bad |= reg > MACHINE_REGISTERS || !get(t, depth, (unsigned)reg, &v);
	return v + (uint64_t)offset;
}

static uint64_t load(struct unwind_thread *t, struct machine_stack *s, uint64_t at, unsigned size)
{
	uint64_t v = 0;

	s->bad |= !size || size > 8 || !memory_load(&t->memory, at, &v);
	return s->bad ? 0 : v << (64 - 8 * size) >> (64 - 8 * size);
}

bool expression_evaluate(struct unwind_thread *t, uint32_t depth, const struct expression *e, expression_register *get,
			 uint64_t *value)
{
	struct machine_stack s = { .n = 0 };
	struct cursor c;
	uint64_t reg;

	cursor_begin(&c, e->at, e->at + e->length, t->view.fleeting);
	if (e->pushed)
		push(&s, e->initial);
	for (int steps = 0; !cursor_done(&c) && !s.bad; steps++) {
		unsigned op = cursor_u8(&c);

		if (steps == STEPS)
			return false;
		if (op == OP_ADDR || (op >= OP_CONST1U && op <= OP_CONSTS)) {
			push(&s, constant(&c, op));
		} else if (op >= OP_DUP && op <= OP_ROT) {
			arrange(&s, &c, op);
		} else if (op >= OP_LIT0 && op < OP_LIT0 + 32) {
			push(&s, op - OP_LIT0);
		} else if (op >= OP_BREG0 && op < OP_BREG0 + 32) {
			push(&s, based(t, depth, get, &s, op - OP_BREG0, cursor_sleb(&c)));
		} else if ((op >= OP_AND && op <= OP_MUL) || op == OP_OR || op == OP_PLUS ||
			   (op >= OP_SHL && op <= OP_XOR) ||
			   (op >= OP_EQ && op <= OP_NE)) {
			push(&s, combine(&s, op));
		} else {
			switch (op) {
			case OP_DEREF:
				push(&s, load(t, &s, pop(&s), 8));
				break;
			case OP_DEREF_SIZE:
				push(&s, load(t, &s, pop(&s), cursor_u8(&c)));
				break;
			case OP_ABS:
				reg = pop(&s);
				push(&s, (int64_t)reg < 0 ? -reg : reg);
				break;
			case OP_NEG:
				push(&s, -pop(&s));
				break;
			case OP_NOT:
				push(&s, ~pop(&s));
				break;
			case OP_PLUS_UCONST:
				push(&s, pop(&s) + cursor_uleb(&c));
				break;
			case OP_BRA:
				reg = cursor_fixed(&c, 2);
				if (pop(&s))
					jump(&c, e->at, (int16_t)reg);
				break;
			case OP_SKIP:
				jump(&c, e->at, (int16_t)cursor_fixed(&c, 2));
				break;
			case OP_BREGX:
				reg = cursor_uleb(&c);
				push(&s, based(t, depth, get, &s, reg, cursor_sleb(&c)));
				break;
			case OP_NOP:
				break;
			default:
				return false;
			}
		}
	}
	if (s.bad || c.bad || !s.n)
		return false;
	*value = s.values[s.n - 1];
	return true;
}
