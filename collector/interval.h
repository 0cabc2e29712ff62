/*
 * interval.h: interval timers, of one thread and one resource.
 *
 * In each interval of the gticks that the thread consumes there is one hit, at a random instant of
 * it, so that no rhythm of a program is in step with the hits, and what spans n whole intervals
 * gets n.
 */
#ifndef PCT_INTERVAL_H
#define PCT_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

/* Zeros are a timer that has not begun. */
struct interval {
	int64_t left;    /* gticks until the next hit; below 0: it is due */
	uint64_t at;     /* where in its interval that is */
	uint64_t random; /* state of its random numbers */
	bool begun;
};

static inline uint64_t interval_draw(struct interval *t, uint64_t n)
{
	uint64_t z = t->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % n;
}

/*
 * Consumes gticks; true if interval_hits is to be asked. A handler that interrupts it may
 * lose what it consumes itself, and no more.
 */
static inline bool interval_consume(struct interval *t, uint64_t gticks)
{
	return __builtin_expect((t->left -= (int64_t)(gticks >> 62 ? UINT64_C(1) << 62 : gticks)) < 0, 0);
}

/* The hits that are due, with signals blocked. seed is any number. */
static inline uint64_t interval_hits(struct interval *t, uint64_t interval, uint64_t seed)
{
	uint64_t past, hits;

	if (!t->begun) {
		t->begun = true;
		t->random = seed ^ (uint64_t)(uintptr_t)t;
		t->at = interval_draw(t, interval);
		t->left += (int64_t)t->at;
	}
	if (t->left >= 0)
		return 0;
	/* From the start of the interval of the hit. */
	past = t->at + (uint64_t)-t->left;
	hits = 1;
	t->at = interval_draw(t, interval);
	if (past >= interval) {
		hits = past / interval;
		past %= interval;
		if (t->at >= past) {
			t->left = (int64_t)(t->at - past);
			return hits;
		}
		hits++;
		t->at = interval_draw(t, interval);
	}
	t->left = (int64_t)(interval - past + t->at);
	return hits;
}

#endif
