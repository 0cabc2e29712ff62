/*
 * sweep.h: what removes profile's files when it has ended, also when it was killed.
 */
#ifndef PCT_SWEEP_H
#define PCT_SWEEP_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/*
 * sweep removes a directory and its files when our parent ends, or sends SIGUSR2. Nothing else ends it but SIGKILL. It is in a
 * session of its own and holds nothing of the parent's. 0 if all was removed.
 */
static inline int sweep(const char *name, pid_t parent) {
    sigset_t all, ours;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&ours);
    sigaddset(&ours, SIGUSR2);
    char *path = realpath(name, NULL);
    DIR *dir = path ? opendir(path) : NULL;
    if (!dir)
        return 1;
    setsid();
    for (int fd = (int)sysconf(_SC_OPEN_MAX) < 1024 ? (int)sysconf(_SC_OPEN_MAX) : 1024; fd-- > 0;)
        if (fd != dirfd(dir))
            close(fd);
    if (chdir("/") != 0 || prctl(PR_SET_PDEATHSIG, SIGUSR2) != 0)
        return 1;
    int sig;
    if (getppid() == parent)
        sigwait(&ours, &sig);
    for (struct dirent *entry; (entry = readdir(dir));)
        unlinkat(dirfd(dir), entry->d_name, 0);
    return rmdir(path) == 0 ? 0 : 1;
}

#endif
