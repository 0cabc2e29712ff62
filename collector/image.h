/*
 * image.h: what the ELF headers of a mapped object say.
 *
 * They are read from memory where they are mapped, by a system call that fails
 * where a load would fault, else from the object's file.
 */
#ifndef PCT_IMAGE_H
#define PCT_IMAGE_H

#include "countfile.h"

#include <stdbool.h>

struct image {
	uint64_t low, size; /* ELF virtual addresses that can be executed */
	uint64_t bias;      /* run-time address minus ELF virtual address */
	uint64_t frames;    /* .eh_frame_hdr, 0 if there is none */
	uint64_t frames_low, frames_high; /* what is mapped of the segment with it */
	uint8_t id_length;
	uint8_t id[BUILD_ID_MOST];
};

/*
 * Reads the image of which the part at file offset `offset` is mapped at `start`.
 * header is where its first page is mapped, 0 if it isn't; path its file. False if
 * it is no ELF object that is executed there. Not reentrant.
 */
bool image_read(struct image *image, uintptr_t start, uint64_t offset, uintptr_t header, const char *path);

/* Whether the program is made by Go's linker, which leaves a note. */
bool image_main_is_go(void);

#endif
