/*
 * imports.h: what the objects that a program was started with import.
 */
#ifndef PCT_IMPORTS_H
#define PCT_IMPORTS_H

#include <stdbool.h>

/*
 * Whether the program or a library has an unwinder of stacks linked into it, among its other
 * functions, that is not known to unwind.h: not libgcc's. When the program starts, not in a
 * handler.
 */
bool imports_for_unwinder(void);

#endif
