/*
 * mapped.h: what the unwinder and the files of the call paths know of the objects that are
 * mapped. For the holder of the slow lock, but for mapped_known.
 */
#ifndef PCT_MAPPED_H
#define PCT_MAPPED_H

#include <stdbool.h>

/* Notes what is mapped for good; when the program starts, not in a handler. */
void mapped_start(void);

/* Whether all that was found to be mapped is known; in any handler. */
bool mapped_known(void);

/* Makes it known. */
void mapped_publish(void);

/* There is a file that knows nothing yet. */
void mapped_news(void);

/* Forgets what was told: the parent process has the files. */
void mapped_forget(void);

#endif
