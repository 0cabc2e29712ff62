/*
 * meta.h: the text file that says what ran, when, and how it was sampled.
 */
#ifndef PCT_META_H
#define PCT_META_H

#include <stdbool.h>

/* The program's name, tame enough for a file name. */
const char *meta_program(void);

/* Writes `meta` in the directory dir, in one step; complete: the process ends. */
void meta_write(int dir, bool complete);

/* Appends to it that the process ends; false if it must be written anew for that. */
bool meta_append_end(int dir);

/* Forgets what belongs to the parent process. */
void meta_forget(void);

#endif
