/*
 * number.h: what plans calculate with words: whole numbers and doubles. The results are those of
 * internal/plan, to the last bit.
 */
#ifndef PCT_NUMBER_H
#define PCT_NUMBER_H

#include <stdint.h>

/* By a divisor that is not 0. */
uint64_t number_divide(unsigned op, uint64_t a, uint64_t b);

/* size: of what is extended or truncated. */
uint64_t number_unary(unsigned op, unsigned size, uint64_t a);

uint64_t number_binary(unsigned op, uint64_t a, uint64_t b);

#endif
