#include "cfi.h"
#include "handler.h"
#include "memory.h"
#include "program.h"

/*
 * Reads the length and the identifier that entries begin with; the cursor then ends with the
 * entry.
 */
static bool open_entry(struct cursor *c, const struct objects_view *v, const struct object *o, uintptr_t at,
		       uint64_t *id, uintptr_t *id_at)
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
static bool open_common(struct cursor *c, const struct objects_view *v, const struct object *o, uintptr_t at,
			struct cfi_common *common)
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
			__builtin_prefetch((const void *)(o->table +
							  8 * (uintptr_t)(middle + 1 + (high - middle) / 2)));
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
	w->common_at = 0;
	if (!open_common(&w->program, v, o, at, &w->common))
		return false;
	w->row = (struct row){ .signal = w->common.signal };
	if (!program_execute(w, &w->program, 0, UINTPTR_MAX))
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

static bool open_function(struct cfi_work *w, const struct objects_view *v, const struct object *o, uintptr_t at,
			  struct function *f)
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
	w->row = w->initial;
	return program_execute(w, &w->cursor, f->start, address);
}

bool cfi_row(struct cfi_work *w, const struct objects_view *v, const struct object *o, uintptr_t address)
{
	struct function f;
	uintptr_t at;

	if (!find(v, o, address, &at) || !open_function(w, v, o, at, &f) || address - f.start >= f.length ||
	    !execute_to(w, &f, address))
		return false;
	if (w->row.jumps)
		handler_correct(&w->row, f.start, f.length, address);
	return w->row.cfa.kind != RULE_NONE;
}

bool cfi_jumps(struct cfi_work *w, const struct objects_view *v, const struct object *o, uint32_t i, uintptr_t *start,
	       uintptr_t *end)
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
	return open_function(w, v, o, o->given.header + (uintptr_t)(intptr_t)word, &f) && execute_to(w, &f, f.start) &&
	       !w->row.jumps;
}
