/*
 * borrowed.h: what libpctio.so lends to libpct.so, which refers to it weakly: the other way round,
 * see consume.h.
 */
#ifndef PCT_BORROWED_H
#define PCT_BORROWED_H

#include <stdint.h>

#define PCT_BORROWED __attribute__((visibility("default"), weak))

/* A jump leaves all frames of the calling thread below a stack pointer. */
PCT_BORROWED void pct_landed(uintptr_t sp);

/* Nothing more is measured, and no clock read. */
PCT_BORROWED void pct_io_ends(void);

#endif
