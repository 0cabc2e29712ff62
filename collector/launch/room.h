/*
 * room.h: whether the data can be kept in a directory.
 */
#ifndef PCT_ROOM_H
#define PCT_ROOM_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* why_no_room makes a directory with a file of so many bytes in one, and removes them; an errno if it can't, or 0. */
static inline int why_no_room(const char *dir, size_t bytes) {
    static const char zeros[4096];
    char name[4096];
    int error = 0;
    if ((size_t)snprintf(name, sizeof name, "%s/.profile.%d", dir, (int)getpid()) >= sizeof name)
        return ENAMETOOLONG;
    signal(SIGXFSZ, SIG_IGN);
    if (mkdir(name, 0700) != 0)
        return errno;
    int at = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = at < 0 ? -1 : openat(at, "try", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        error = errno;
    } else {
        unlinkat(at, "try", 0);
        for (ssize_t n; bytes > 0 && !error; bytes -= (size_t)n)
            if ((n = write(fd, zeros, bytes < sizeof zeros ? bytes : sizeof zeros)) < 0)
                error = errno, n = 0;
        if (close(fd) != 0 && !error)
            error = errno;
    }
    if (at >= 0)
        close(at);
    rmdir(name);
    return error;
}

#endif
