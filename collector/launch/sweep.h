/*
 * sweep.h: what removes profile's files when it has ended, also when it was killed.
 */
#ifndef PCT_SWEEP_H
#define PCT_SWEEP_H

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* close_but closes all descriptors but one and standard input; the first 1024 where the kernel is older than 5.9. */
static inline void close_but(int kept) {
    if (syscall(SYS_close_range, 1U, (unsigned)kept - 1, 0U) == 0 && syscall(SYS_close_range, (unsigned)kept + 1, ~0U, 0U) == 0)
        return;
    for (int fd = (int)sysconf(_SC_OPEN_MAX) < 1024 ? (int)sysconf(_SC_OPEN_MAX) : 1024; fd-- > 1;)
        if (fd != kept)
            close(fd);
}

/*
 * sweep removes a directory and its files when standard input ends: it's a pipe that profile alone writes to. No signal
 * but SIGKILL ends us before. We are in a session of our own and hold nothing else of profile's. 0 if all was removed.
 */
static inline int sweep(const char *name) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    char *path = realpath(name, NULL);
    DIR *dir = path ? opendir(path) : NULL;
    if (!dir)
        return 1;
    setsid();
    close_but(dirfd(dir));
    if (chdir("/") != 0)
        return 1;
    char none;
    while (read(0, &none, 1) > 0 || errno == EINTR)
        errno = 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        unlinkat(dirfd(dir), entry->d_name, 0);
    return rmdir(path) == 0 ? 0 : 1;
}

#endif
