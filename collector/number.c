#include "number.h"
#include "ops.h"

#include <stdbool.h>

/* Words as numbers with a fraction, and such numbers as words. */
union word {
	uint64_t bits;
	double number;
};

union half {
	uint32_t bits;
	float number;
};

/*
 * The program may have made errors of floating point traps, rounds in another way, or looks at
 * the flags: what is calculated here is apart from that.
 */
struct mode {
	uint64_t before;
};

#if defined __x86_64__

enum { ORDINARY = 0x1f80 };

static struct mode set_apart(void)
{
	uint32_t before, ordinary = ORDINARY;

	__asm__ volatile("stmxcsr %0" : "=m"(before));
	__asm__ volatile("ldmxcsr %0" : : "m"(ordinary) : "memory");
	return (struct mode){ before };
}

static void put_back(struct mode mode)
{
	uint32_t before = (uint32_t)mode.before;

	__asm__ volatile("ldmxcsr %0" : : "m"(before) : "memory");
}

#elif defined __aarch64__

/* The flags have a register of their own. */
static struct mode set_apart(void)
{
	struct mode m;

	__asm__ volatile("mrs %0, fpcr" : "=r"(m.before));
	__asm__ volatile("msr fpcr, xzr" : : : "memory");
	return m;
}

static void put_back(struct mode m)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(m.before) : "memory");
}

#endif

static bool is_nan(uint64_t a)
{
	return (a & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff) << 52;
}

/* The result of what is calculated with something that is no number. */
static uint64_t quiet(uint64_t nan)
{
	return nan | UINT64_C(1) << 51;
}

/* A number towards zero. What is beyond the range, or no number, becomes the end of the range. */
static uint64_t whole(double d)
{
	const double end = 9223372036854775808.0;

	if (d >= -end && d < end)
		return (uint64_t)(int64_t)d;
	return (UINT64_C(1) << 63) - !(d < -end);
}

static uint64_t convert(unsigned op, uint64_t a)
{
	volatile union word w = { .bits = a };
	volatile union half h = { .bits = (uint32_t)a };
	struct mode mode = set_apart();

	switch (op) {
	case OP_FROM_S:
		w.number = (double)(int64_t)a;
		break;
	case OP_FROM_U:
		w.number = (double)a;
		break;
	case OP_TO_S:
		w.bits = whole(w.number);
		break;
	case OP_FROM_F32:
		w.number = (double)h.number;
		break;
	case OP_TO_F32:
		h.number = (float)w.number;
		w.bits = h.bits;
		break;
	default:
		h.number = (float)w.number;
		w.number = (double)h.number;
		break;
	}
	put_back(mode);
	return w.bits;
}

/* Of two that are no numbers, the first is kept. */
static uint64_t calculate(unsigned op, uint64_t a, uint64_t b)
{
	volatile union word x = { .bits = a }, y = { .bits = b };
	struct mode mode;

	if (is_nan(a) || is_nan(b))
		return quiet(is_nan(a) ? a : b);
	mode = set_apart();
	switch (op) {
	case OP_FADD:
		x.number = x.number + y.number;
		break;
	case OP_FSUB:
		x.number = x.number - y.number;
		break;
	case OP_FMUL:
		x.number = x.number * y.number;
		break;
	default:
		x.number = x.number / y.number;
		break;
	}
	put_back(mode);
	return x.bits;
}

/* The bits of numbers other than 0 are in their order, of negative ones in the reverse one. */
static bool compare(unsigned op, uint64_t a, uint64_t b)
{
	const uint64_t sign = UINT64_C(1) << 63;
	bool equal = a == b || !((a | b) & ~sign), less;

	if (is_nan(a) || is_nan(b))
		return op == OP_FNE;
	less = !equal && (a & sign ? !(b & sign) || a > b : !(b & sign) && a < b);
	switch (op) {
	case OP_FEQ:
		return equal;
	case OP_FNE:
		return !equal;
	case OP_FLT:
		return less;
	default:
		return less || equal;
	}
}

uint64_t number_divide(unsigned op, uint64_t a, uint64_t b)
{
	if (op == OP_DIV_U)
		return a / b;
	if (op == OP_MOD_U)
		return a % b;
	/* The lowest number by -1 does not fit. */
	if (b == UINT64_MAX)
		return op == OP_MOD_S ? 0 : -a;
	return op == OP_MOD_S ? (uint64_t)((int64_t)a % (int64_t)b) : (uint64_t)((int64_t)a / (int64_t)b);
}

/* As many low bytes, what is above them being zeros or copies of the sign. */
static uint64_t fit(uint64_t a, unsigned size, bool sign)
{
	unsigned shift = 64 - 8 * size;

	if (!size || size > sizeof a)
		return 0;
	return sign ? (uint64_t)((int64_t)(a << shift) >> shift) : a << shift >> shift;
}

uint64_t number_unary(unsigned op, unsigned size, uint64_t a)
{
	switch (op) {
	case OP_EXTEND:
		return fit(a, size, true);
	case OP_TRUNCATE:
		return fit(a, size, false);
	case OP_NEG:
		return -a;
	case OP_NOT:
		return ~a;
	case OP_FNEG:
		return a ^ UINT64_C(1) << 63;
	default:
		return convert(op, a);
	}
}

uint64_t number_binary(unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_AND:
		return a & b;
	case OP_OR:
		return a | b;
	case OP_XOR:
		return a ^ b;
	case OP_SHL:
		return b < 64 ? a << b : 0;
	case OP_SHR_U:
		return b < 64 ? a >> b : 0;
	case OP_SHR_S:
		return (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT_S:
		return (int64_t)a < (int64_t)b;
	case OP_LT_U:
		return a < b;
	case OP_LE_S:
		return (int64_t)a <= (int64_t)b;
	case OP_LE_U:
		return a <= b;
	case OP_FEQ:
	case OP_FNE:
	case OP_FLT:
	case OP_FLE:
		return compare(op, a, b);
	default:
		return calculate(op, a, b);
	}
}
