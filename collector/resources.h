/*
 * resources.h: the resources that the library can measure.
 *
 * Generated from internal/resource/table.go by "go generate ./internal/resource": do not edit.
 */
#ifndef PCT_RESOURCES_H
#define PCT_RESOURCES_H

#include "resource.h"

#include <linux/perf_event.h>

/* Bits of MXCSR. */
enum { INVALID = 1, DENORMAL = 2, DIVIDE = 4, OVERFLOW = 8, UNDERFLOW = 16, INEXACT = 32 };

static const struct resource_kind resource_kinds[] = {
	{ "cpu", "µs", 0, RESOURCE_TIME, TIME_PROF },
	{ "user", "µs", 0, RESOURCE_TIME, TIME_VIRTUAL },
	{ "real", "µs", 0, RESOURCE_TIME, TIME_REAL },
	{ "io", "µs", 10000, RESOURCE_IO, 0 },
	{ "alloc", "byte", 524288, RESOURCE_ALLOC, 0 },
	{ "read", "byte", 4096, RESOURCE_IO, 0 },
	{ "write", "byte", 4096, RESOURCE_IO, 0 },
	{ "faults", "fault", 10, RESOURCE_EVENT, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", "fault", 10, RESOURCE_EVENT, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", "fault", 1, RESOURCE_EVENT, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "fpe", "exception", 1, RESOURCE_FPE, INVALID | DIVIDE | OVERFLOW | UNDERFLOW },
	{ "fpe-invalid", "exception", 1, RESOURCE_FPE, INVALID },
	{ "fpe-divide", "exception", 1, RESOURCE_FPE, DIVIDE },
	{ "fpe-overflow", "exception", 1, RESOURCE_FPE, OVERFLOW },
	{ "fpe-underflow", "exception", 1, RESOURCE_FPE, UNDERFLOW },
	{ "fpe-inexact", "exception", 1, RESOURCE_FPE, INEXACT },
	{ "fpe-denormal", "exception", 1, RESOURCE_FPE, DENORMAL },
};

#endif
