/*
 * unmeasured.h: where resources are measured, the user is told which programs they were not
 * measured in. Of CPU time profile sees how much its samples lack; of what a program allocates
 * nobody else knows anything.
 */
#ifndef PCT_UNMEASURED_H
#define PCT_UNMEASURED_H

/*
 * Looks at a program that is about to be executed, and tells if it can't have the library. errno
 * is as it was.
 */
void unmeasured_path(const char *path);

/* The same of a program that is found as execvp(3) does. */
void unmeasured_file(const char *file);

#endif
