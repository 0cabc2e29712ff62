/*
 * countfile.h: the header of a count file, as docs/FORMAT.md says.
 */
#ifndef PCT_COUNTFILE_H
#define PCT_COUNTFILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum count_kind { KIND_HISTOGRAM = 1, KIND_LOG, KIND_CIRCULAR, KIND_TABLE };

enum object_kind { OBJECT_FILE, OBJECT_VDSO, OBJECT_ANON };

#define COUNT_MAGIC "PCTcount1\n"

enum { BUILD_ID_MOST = 31, OBJECT_PATH_MOST = 3840 };

struct count_header {
	char magic[16];
	uint32_t header;
	uint32_t kind;
	uint32_t width;
	uint32_t address;
	uint64_t low;
	uint64_t size;
	uint64_t bin;
	uint64_t capacity;
	_Atomic uint64_t written;
	_Atomic uint64_t samples;
	_Atomic uint64_t lost;
	uint64_t period;
	uint64_t start;
	uint64_t bias;
	uint64_t zero;
	char clock[16];
	char resource[16];
	uint32_t pid;
	uint32_t object_kind;
	uint8_t id_length;
	uint8_t id[BUILD_ID_MOST];
	char translator[64];
	char object[OBJECT_PATH_MOST];
};

_Static_assert(sizeof(struct count_header) == 4096, "the header is a page");
_Static_assert(offsetof(struct count_header, clock) == 120, "as docs/FORMAT.md says");
_Static_assert(offsetof(struct count_header, object) == 256, "as docs/FORMAT.md says");

/* A record of a log. */
struct count_record {
	_Atomic uint64_t time;
	uint32_t offset;
	uint32_t thread;
};

/* An entry of a table. */
struct count_slot {
	_Atomic uint64_t address;
	_Atomic uint64_t count;
};

_Static_assert(sizeof(struct count_record) == 16 && sizeof(struct count_slot) == 16, "as docs/FORMAT.md says");

#define UNWRITTEN UINT64_MAX

#endif
