/*
 * fail.h: the end of profile and of pct-launch, which both speak as profile.
 */
#ifndef PCT_FAIL_H
#define PCT_FAIL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* fail ends with this exit status, after a message. */
__attribute__((format(printf, 2, 3))) static _Noreturn void fail(int status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("profile: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(status);
}

#endif
