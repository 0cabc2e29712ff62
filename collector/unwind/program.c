#include "program.h"

/* A run of call frame instructions up to a target address. */
struct run {
	uint64_t at, target;
	unsigned depth; /* of remembered rows */
};

/* Call frame instructions. The first three hold an operand in their low six bits. */
enum {
	ADVANCE = 0x40,
	OFFSET = 0x80,
	RESTORE = 0xc0,
	NOP = 0x00,
	SET_LOC,
	ADVANCE1,
	ADVANCE2,
	ADVANCE4,
	OFFSET_EXTENDED,
	RESTORE_EXTENDED,
	UNDEFINED,
	SAME_VALUE,
	REGISTER,
	REMEMBER,
	RECALL,
	DEF_CFA,
	DEF_CFA_REGISTER,
	DEF_CFA_OFFSET,
	DEF_CFA_EXPR,
	EXPR,
	OFFSET_EXTENDED_SF,
	DEF_CFA_SF,
	DEF_CFA_OFFSET_SF,
	VAL_OFFSET,
	VAL_OFFSET_SF,
	VAL_EXPR,
	NEGATE_RA_STATE = 0x2d,
	ARGS_SIZE = 0x2e,
	NEGATIVE_OFFSET = 0x2f,
};

static void set(struct row *row, uint64_t reg, struct rule rule)
{
	int place = row_place(reg);

	/* Of registers that a function need not preserve nothing is kept. */
	if (place >= 0)
		row->rules[place] = rule;
	else if (reg == (uint64_t)MACHINE_HANDLER_DATA && rule.kind == RULE_OFFSET)
		row->jumps = true;
}

static void restore(struct row *row, uint64_t reg, const struct row *initial)
{
	int place = row_place(reg);

	if (place >= 0)
		row->rules[place] = initial->rules[place];
}

/*
 * A factored offset, which may be any number: a product that is too large is a wrong one, and no
 * undefined behaviour.
 */
static int64_t factored(uint64_t n, int64_t scale)
{
	return (int64_t)(n * (uint64_t)scale);
}

static struct rule offset_rule(struct cursor *c, enum rule_kind kind, int64_t offset)
{
	c->bad |= offset != (int32_t)offset;
	return (struct rule){ .kind = (uint8_t)kind, .offset = (int32_t)offset };
}

static struct rule expression(struct cursor *c, enum rule_kind kind)
{
	uint64_t n = cursor_uleb(c);
	struct rule r = { .kind = (uint8_t)kind, .length = (uint16_t)n, .at = cursor_at(c) };

	c->bad |= n != r.length;
	cursor_skip(c, n);
	return r;
}

static struct rule in_register(struct cursor *c)
{
	uint64_t reg = cursor_uleb(c);

	return reg <= MACHINE_REGISTERS ? (struct rule){ .kind = RULE_REGISTER, .reg = (uint8_t)reg }
					: (struct rule){ .kind = RULE_UNDEFINED };
}

static void define_register(struct cursor *c, struct row *row)
{
	uint64_t reg = cursor_uleb(c);

	c->bad |= reg >= MACHINE_REGISTERS;
	row->cfa.kind = RULE_REGISTER;
	row->cfa.reg = (uint8_t)reg;
}

static void define_offset(struct cursor *c, struct row *row, int64_t offset)
{
	c->bad |= offset != (int32_t)offset;
	row->cfa.offset = (int32_t)offset;
}

/*
 * Executes an instruction that is one byte long, without operand in it; false if it isn't known.
 */
static bool extended(struct cfi_work *w, struct cursor *c, struct run *run, unsigned op)
{
	struct row *row = &w->row;
	int64_t scale = w->common.data_align;
	uint64_t reg;

	switch (op) {
	case NOP:
		break;
	case SET_LOC:
		run->at = cursor_pointer(c, w->common.encoding, 0);
		break;
	case ADVANCE1:
		run->at += cursor_u8(c) * w->common.code_align;
		break;
	case ADVANCE2:
		run->at += cursor_fixed(c, 2) * w->common.code_align;
		break;
	case ADVANCE4:
		run->at += cursor_fixed(c, 4) * w->common.code_align;
		break;
	case OFFSET_EXTENDED:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_OFFSET, factored(cursor_uleb(c), scale)));
		break;
	case OFFSET_EXTENDED_SF:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_OFFSET, factored((uint64_t)cursor_sleb(c), scale)));
		break;
	case NEGATIVE_OFFSET:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_OFFSET, factored(-cursor_uleb(c), scale)));
		break;
	case VAL_OFFSET:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_VAL_OFFSET, factored(cursor_uleb(c), scale)));
		break;
	case VAL_OFFSET_SF:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_VAL_OFFSET, factored((uint64_t)cursor_sleb(c), scale)));
		break;
	case RESTORE_EXTENDED:
		restore(row, cursor_uleb(c), &w->initial);
		break;
	case UNDEFINED:
		set(row, cursor_uleb(c), (struct rule){ .kind = RULE_UNDEFINED });
		break;
	case SAME_VALUE:
		set(row, cursor_uleb(c), (struct rule){ .kind = RULE_SAME });
		break;
	case REGISTER:
		reg = cursor_uleb(c);
		set(row, reg, in_register(c));
		break;
	case REMEMBER:
		if (run->depth == ROWS_REMEMBERED)
			return false;
		w->remembered[run->depth++] = *row;
		break;
	case RECALL:
		if (!run->depth)
			return false;
		*row = w->remembered[--run->depth];
		break;
	case DEF_CFA:
		define_register(c, row);
		define_offset(c, row, (int64_t)cursor_uleb(c));
		break;
	case DEF_CFA_SF:
		define_register(c, row);
		define_offset(c, row, factored((uint64_t)cursor_sleb(c), scale));
		break;
	case DEF_CFA_REGISTER:
		define_register(c, row);
		break;
	case DEF_CFA_OFFSET:
		define_offset(c, row, (int64_t)cursor_uleb(c));
		break;
	case DEF_CFA_OFFSET_SF:
		define_offset(c, row, factored((uint64_t)cursor_sleb(c), scale));
		break;
	case DEF_CFA_EXPR:
		row->cfa = expression(c, RULE_EXPR);
		break;
	case EXPR:
		reg = cursor_uleb(c);
		set(row, reg, expression(c, RULE_EXPR));
		break;
	case VAL_EXPR:
		reg = cursor_uleb(c);
		set(row, reg, expression(c, RULE_VAL_EXPR));
		break;
	case NEGATE_RA_STATE:
		row->ra_signed = !row->ra_signed;
		break;
	case ARGS_SIZE:
		cursor_uleb(c);
		break;
	default:
		return false;
	}
	return true;
}

bool program_execute(struct cfi_work *w, struct cursor *c, uint64_t start, uint64_t target)
{
	struct run run = { .at = start, .target = target };

	while (!cursor_done(c)) {
		unsigned op = cursor_u8(c), low = op & 0x3f;

		switch (op & 0xc0) {
		case ADVANCE:
			run.at += low * w->common.code_align;
			break;
		case OFFSET:
			set(&w->row, low, offset_rule(c, RULE_OFFSET, factored(cursor_uleb(c), w->common.data_align)));
			break;
		case RESTORE:
			restore(&w->row, low, &w->initial);
			break;
		default:
			if (!extended(w, c, &run, op))
				return false;
		}
		if (run.at > run.target)
			return !c->bad;
	}
	return !c->bad;
}
