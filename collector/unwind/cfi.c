#include "cfi.h"
#include "handler.h"
#include "memory.h"

/* A run of call frame instructions up to a target address. */
struct run {
	const struct cfi_common *common;
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
	int place = cfi_place(reg);

	/* Of registers that a function need not preserve nothing is kept. */
	if (place >= 0)
		row->rules[place] = rule;
	else if (reg == (uint64_t)MACHINE_HANDLER_DATA && rule.kind == RULE_OFFSET)
		row->jumps = true;
}

static void restore(struct row *row, uint64_t reg, const struct row *initial)
{
	int place = cfi_place(reg);

	if (place >= 0)
		row->rules[place] = initial->rules[place];
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

/* Executes an instruction that is one byte long, without operand in it; false if it isn't known. */
static bool extended(struct cfi_work *w, struct cursor *c, struct run *run, unsigned op)
{
	struct row *row = &w->row;
	int64_t scale = run->common->data_align;
	uint64_t reg;

	switch (op) {
	case NOP:
		break;
	case SET_LOC:
		run->at = cursor_pointer(c, run->common->encoding, 0);
		break;
	case ADVANCE1:
		run->at += cursor_u8(c) * run->common->code_align;
		break;
	case ADVANCE2:
		run->at += cursor_fixed(c, 2) * run->common->code_align;
		break;
	case ADVANCE4:
		run->at += cursor_fixed(c, 4) * run->common->code_align;
		break;
	case OFFSET_EXTENDED:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_OFFSET, (int64_t)cursor_uleb(c) * scale));
		break;
	case OFFSET_EXTENDED_SF:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_OFFSET, cursor_sleb(c) * scale));
		break;
	case NEGATIVE_OFFSET:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_OFFSET, -(int64_t)cursor_uleb(c) * scale));
		break;
	case VAL_OFFSET:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_VAL_OFFSET, (int64_t)cursor_uleb(c) * scale));
		break;
	case VAL_OFFSET_SF:
		reg = cursor_uleb(c);
		set(row, reg, offset_rule(c, RULE_VAL_OFFSET, cursor_sleb(c) * scale));
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
		define_offset(c, row, cursor_sleb(c) * scale);
		break;
	case DEF_CFA_REGISTER:
		define_register(c, row);
		break;
	case DEF_CFA_OFFSET:
		define_offset(c, row, (int64_t)cursor_uleb(c));
		break;
	case DEF_CFA_OFFSET_SF:
		define_offset(c, row, cursor_sleb(c) * scale);
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

/* Executes instructions until the next would be for an address after the target. */
static bool execute(struct cfi_work *w, struct cursor *c, struct run *run)
{
	while (!cursor_done(c)) {
		unsigned op = cursor_u8(c), low = op & 0x3f;

		switch (op & 0xc0) {
		case ADVANCE:
			run->at += low * run->common->code_align;
			break;
		case OFFSET:
			set(&w->row, low, offset_rule(c, RULE_OFFSET, (int64_t)cursor_uleb(c) * run->common->data_align));
			break;
		case RESTORE:
			restore(&w->row, low, &w->initial);
			break;
		default:
			if (!extended(w, c, run, op))
				return false;
		}
		if (run->at > run->target)
			return !c->bad;
	}
	return !c->bad;
}

/* Reads the length and the identifier that entries begin with; the cursor then ends with the entry. */
static bool open_entry(struct cursor *c, const struct objects_view *v, const struct object *o, uintptr_t at, uint64_t *id, uintptr_t *id_at)
{
	bool inside = at >= o->given.data_start && at < o->given.data_end, wide;
	/* .eh_frame that is not with its table: how far it goes is not known. */
	uintptr_t limit = inside ? o->given.data_end : at + (1 << 20);
	bool guarded = v->guarded || !inside;
	uint64_t n;

	cursor_begin(c, at, limit, guarded);
	n = cursor_fixed(c, 4);
	wide = n == 0xffffffff;
	if (wide)
		n = cursor_fixed(c, 8);
	*id_at = cursor_at(c);
	if (c->bad || !n || n > limit - *id_at)
		return false;
	cursor_begin(c, *id_at, *id_at + n, guarded);
	*id = cursor_fixed(c, wide ? 8 : 4);
	return !c->bad;
}

/* Reads a CIE; the cursor then stands at its instructions. */
static bool open_common(struct cursor *c, const struct objects_view *v, const struct object *o, uintptr_t at, struct cfi_common *common)
{
	enum { LETTERS = 8 };
	char letters[LETTERS];
	unsigned version, n = 0;
	uint64_t id, ra, length;
	uintptr_t id_at, data;

	if (!open_entry(c, v, o, at, &id, &id_at) || id)
		return false;
	version = cursor_u8(c);
	while (n < LETTERS && (letters[n] = (char)cursor_u8(c)))
		n++;
	if (n == LETTERS || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && (cursor_u8(c) != sizeof(void *) || cursor_u8(c)))
		return false;
	*common = (struct cfi_common){ .encoding = 0 };
	common->code_align = cursor_uleb(c);
	common->data_align = cursor_sleb(c);
	ra = version == 1 ? cursor_u8(c) : cursor_uleb(c);
	if (ra != MACHINE_RA)
		return false;
	if (!n)
		return !c->bad;
	if (letters[0] != 'z')
		return false;
	common->augmented = true;
	length = cursor_uleb(c);
	data = cursor_at(c);
	for (unsigned i = 1; i < n; i++) {
		switch (letters[i]) {
		case 'R':
			common->encoding = cursor_u8(c);
			break;
		case 'P':
			cursor_pointer(c, cursor_u8(c), 0);
			break;
		case 'L':
			cursor_u8(c);
			break;
		case 'S':
			common->signal = true;
			break;
		default: /* B: signed by the other key; what is not known may have data */
			i = n;
		}
	}
	length -= cursor_at(c) - data;
	cursor_skip(c, length);
	return !c->bad;
}

/* Reads a word of 4 bytes of the table. */
static bool table_word(const struct objects_view *v, uintptr_t at, int32_t *word)
{
	if (v->guarded)
		return memory_peek(at, word, sizeof *word);
	*word = *(const int32_t *)at;
	return true;
}

/* Finds the pair of the table for an address; 0 if there is none. */
static uintptr_t find_pair(const struct objects_view *v, const struct object *o, uintptr_t address)
{
	uint32_t low = 0, high = o->count;
	int64_t want = (int64_t)(address - o->given.header);
	int32_t word;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		/* Where it may go on: most of a table has not been seen for long. */
		if (!v->guarded) {
			__builtin_prefetch((const void *)(o->table + 8 * (uintptr_t)(low + (middle - low) / 2)));
			__builtin_prefetch((const void *)(o->table + 8 * (uintptr_t)(middle + 1 + (high - middle) / 2)));
		}
		if (!table_word(v, o->table + 8 * (uintptr_t)middle, &word))
			return 0;
		if (word <= want)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? o->table + 8 * (uintptr_t)(low - 1) : 0;
}

/* Finds the entry for an address. */
static bool find(const struct objects_view *v, const struct object *o, uintptr_t address, uintptr_t *at)
{
	uintptr_t pair = find_pair(v, o, address);
	int32_t word;

	if (!pair || !table_word(v, pair + 4, &word))
		return false;
	*at = o->given.header + (uintptr_t)(intptr_t)word;
	return true;
}

uintptr_t cfi_start(const struct objects_view *v, const struct object *o, uintptr_t address)
{
	uintptr_t pair = find_pair(v, o, address);
	int32_t word;

	return pair && table_word(v, pair, &word) ? o->given.header + (uintptr_t)(intptr_t)word : 0;
}

/* Reads and executes a CIE, into w->common and w->initial. */
static bool begin_common(struct cfi_work *w, const struct objects_view *v, const struct object *o, uintptr_t at)
{
	struct run run = { .common = &w->common, .target = UINTPTR_MAX };

	w->common_at = 0;
	if (!open_common(&w->program, v, o, at, &w->common))
		return false;
	w->row = (struct row){ .signal = w->common.signal };
	if (!execute(w, &w->program, &run))
		return false;
	w->initial = w->row;
	/* What is not to be read directly may be another one's, the next time. */
	if (!w->program.guarded)
		w->common_at = at;
	return true;
}

/* An entry that is about to be executed: the cursor stands at its instructions. */
struct function {
	uint64_t start, length;
};

static bool open_function(struct cfi_work *w, const struct objects_view *v, const struct object *o, uintptr_t at, struct function *f)
{
	uintptr_t id_at, common_at;
	uint64_t id;

	if (!open_entry(&w->cursor, v, o, at, &id, &id_at) || !id)
		return false;
	common_at = id_at - (uintptr_t)id;
	if ((common_at != w->common_at || w->cursor.guarded) && !begin_common(w, v, o, common_at))
		return false;
	f->start = cursor_pointer(&w->cursor, w->common.encoding, 0);
	f->length = cursor_pointer(&w->cursor, w->common.encoding & ENCODING_FORMAT, 0);
	if (w->common.augmented)
		cursor_skip(&w->cursor, cursor_uleb(&w->cursor));
	return !w->cursor.bad;
}

/* Works out the row for an address of a function, or its last one. */
static bool execute_to(struct cfi_work *w, const struct function *f, uintptr_t address)
{
	struct run run = { .common = &w->common, .at = f->start, .target = address };

	w->row = w->initial;
	return execute(w, &w->cursor, &run);
}

bool cfi_row(struct cfi_work *w, const struct objects_view *v, const struct object *o, uintptr_t address)
{
	struct function f;
	uintptr_t at;

	if (!find(v, o, address, &at) || !open_function(w, v, o, at, &f) || address - f.start >= f.length || !execute_to(w, &f, address))
		return false;
	if (w->row.jumps)
		handler_correct(&w->row, f.start, f.length, address);
	return w->row.cfa.kind != RULE_NONE;
}

bool cfi_jumps(struct cfi_work *w, const struct objects_view *v, const struct object *o, uint32_t i, uintptr_t *start, uintptr_t *end)
{
	struct function f;
	int32_t word;

	if (!table_word(v, o->table + 8 * (uintptr_t)i + 4, &word) ||
	    !open_function(w, v, o, o->given.header + (uintptr_t)(intptr_t)word, &f))
		return false;
	*start = f.start;
	*end = f.start + f.length;
	if (!execute_to(w, &f, UINTPTR_MAX) || !w->row.jumps)
		return false;
	/* What is unlikely stands elsewhere, with the registers saved from its beginning on. */
	return open_function(w, v, o, o->given.header + (uintptr_t)(intptr_t)word, &f) && execute_to(w, &f, f.start) && !w->row.jumps;
}
