/*
 * calls.c: makes the commonest system calls, with arguments that show what they have, and with
 * errors. What it does is the same each time but for times and process numbers.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static char big[8192];

static void files(void)
{
	struct stat st;
	struct statfs fs;
	struct statx sx;
	char buf[256];
	int fd, fd2;

	fd = syscall(SYS_open, "file", O_RDWR | O_CREAT | O_TRUNC, 0640);
	syscall(SYS_write, fd, "short", 5);
	syscall(SYS_write, fd, "a line that is longer than thirty-two bytes\n", 44);
	syscall(SYS_write, fd, "\0\1\2\0033\t\n\v\f\r\"\\\177\200\377" "8", 16);
	syscall(SYS_write, fd, NULL, 3);
	syscall(SYS_write, -1, "x", 1);
	syscall(SYS_lseek, fd, 0, SEEK_SET);
	syscall(SYS_read, fd, buf, 5);
	syscall(SYS_read, fd, buf, sizeof(buf));
	syscall(SYS_read, fd, buf, sizeof(buf));
	syscall(SYS_pread64, fd, buf, 4, 3);
	syscall(SYS_pwrite64, fd, "pw", 2, 1L << 33);
	struct iovec iov[3] = { { "one", 3 }, { buf, 0 }, { "three and more than thirty-two bytes", 36 } };
	syscall(SYS_writev, fd, iov, 3);
	syscall(SYS_writev, fd, iov, 0);
	struct iovec in[2] = { { buf, 3 }, { big, sizeof(big) } };
	syscall(SYS_lseek, fd, 0, SEEK_SET);
	syscall(SYS_readv, fd, in, 2);
	syscall(SYS_preadv, fd, in, 2, 2, 0);
	syscall(SYS_pwritev, fd, iov, 1, 0, 0);
	syscall(SYS_ftruncate, fd, 100);
	syscall(SYS_fallocate, fd, FALLOC_FL_KEEP_SIZE, 0, 4096);
	syscall(SYS_fadvise64, fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	syscall(SYS_fsync, fd);
	syscall(SYS_fdatasync, fd);
	syscall(SYS_flock, fd, LOCK_EX | LOCK_NB);
	syscall(SYS_flock, fd, LOCK_UN);
	syscall(SYS_fcntl, fd, F_GETFL);
	syscall(SYS_fcntl, fd, F_SETFL, O_APPEND | O_NONBLOCK);
	syscall(SYS_fcntl, fd, F_GETFD);
	syscall(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
	syscall(SYS_fcntl, fd, F_GETFD);
	syscall(SYS_fcntl, fd, F_DUPFD, 20);
	syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 20);
	syscall(SYS_fcntl, fd, 12345, 6);
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 2 };
	syscall(SYS_fcntl, fd, F_SETLK, &lock);
	syscall(SYS_fcntl, fd, F_GETLK, &lock);
	syscall(SYS_fcntl, fd, F_GETOWN);
	syscall(SYS_dup, fd);
	fd2 = syscall(SYS_dup2, fd, 30);
	syscall(SYS_dup3, fd, 31, O_CLOEXEC);
	syscall(SYS_close, fd2);
	syscall(SYS_close, 999);
	syscall(SYS_close_range, 30, 40, 0);
	syscall(SYS_stat, "file", &st);
	syscall(SYS_stat, "none", &st);
	syscall(SYS_stat, "/dev/null", &st);
	syscall(SYS_lstat, ".", &st);
	syscall(SYS_fstat, fd, &st);
	syscall(SYS_newfstatat, AT_FDCWD, "file", &st, AT_SYMLINK_NOFOLLOW);
	syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH);
	syscall(SYS_newfstatat, 77, "x", &st, 0);
	syscall(SYS_statx, AT_FDCWD, "file", AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &sx);
	syscall(SYS_statx, AT_FDCWD, "file", 0, STATX_TYPE | STATX_SIZE, &sx);
	syscall(SYS_statfs, "/proc", &fs);
	syscall(SYS_statfs, "none", &fs);
	syscall(SYS_access, "file", R_OK | W_OK);
	syscall(SYS_access, "none", F_OK);
	syscall(SYS_faccessat, AT_FDCWD, "file", X_OK);
	syscall(SYS_faccessat2, AT_FDCWD, "file", R_OK, AT_EACCESS);
	syscall(SYS_openat, AT_FDCWD, "none", O_RDONLY | O_CLOEXEC);
	syscall(SYS_openat, AT_FDCWD, ".", O_RDWR | O_TMPFILE, 0600);
	syscall(SYS_openat, AT_FDCWD, (char *)1, O_WRONLY);
	syscall(SYS_openat, AT_FDCWD, NULL, O_WRONLY);
	memset(big, 'x', 5000);
	syscall(SYS_openat, AT_FDCWD, big, O_WRONLY);
	syscall(SYS_creat, "created", 0);
	syscall(SYS_mkdir, "dir", 0755);
	syscall(SYS_mkdirat, AT_FDCWD, "dir", 0700);
	syscall(SYS_chmod, "file", 04755);
	syscall(SYS_fchmod, fd, 0);
	syscall(SYS_fchmodat, AT_FDCWD, "file", 01777);
	syscall(SYS_chown, "file", -1, -1);
	syscall(SYS_fchown, fd, getuid(), -1);
	syscall(SYS_fchownat, AT_FDCWD, "file", -1, -1, AT_SYMLINK_NOFOLLOW);
	syscall(SYS_umask, 077);
	syscall(SYS_umask, 022);
	syscall(SYS_umask, 0);
	syscall(SYS_umask, 022);
	syscall(SYS_link, "file", "dir/hard");
	syscall(SYS_linkat, AT_FDCWD, "file", AT_FDCWD, "dir/hard", AT_SYMLINK_FOLLOW);
	syscall(SYS_symlink, "file", "soft");
	syscall(SYS_symlinkat, "file", AT_FDCWD, "soft");
	syscall(SYS_readlink, "soft", buf, sizeof(buf));
	syscall(SYS_readlink, "file", buf, sizeof(buf));
	syscall(SYS_readlinkat, AT_FDCWD, "soft", buf, 2);
	syscall(SYS_rename, "created", "dir/renamed");
	syscall(SYS_renameat, AT_FDCWD, "none", AT_FDCWD, "other");
	syscall(SYS_renameat2, AT_FDCWD, "file", AT_FDCWD, "dir/hard", RENAME_EXCHANGE);
	struct timespec times[2] = { { 1000000000, 5 }, { 0, UTIME_NOW } };
	syscall(SYS_utimensat, AT_FDCWD, "file", times, 0);
	syscall(SYS_utimensat, AT_FDCWD, "file", NULL, AT_SYMLINK_NOFOLLOW);
	times[1].tv_nsec = UTIME_OMIT;
	syscall(SYS_utimensat, AT_FDCWD, "none", times, 0);
	struct timeval micro[2] = { { 1000000000, 5 }, { 1, 0 } };
	syscall(SYS_utimes, "none", micro);
	fd2 = syscall(SYS_openat, AT_FDCWD, "dir", O_RDONLY | O_DIRECTORY);
	syscall(SYS_getdents64, fd2, big, sizeof(big));
	syscall(SYS_getdents64, fd2, big, sizeof(big));
	syscall(SYS_getdents64, fd, big, sizeof(big));
	syscall(SYS_fchdir, fd2);
	syscall(SYS_chdir, "..");
	syscall(SYS_chdir, "none");
	syscall(SYS_getcwd, buf, sizeof(buf));
	syscall(SYS_getcwd, buf, 1);
	syscall(SYS_mknod, "fifo", S_IFIFO | 0600, 0);
	syscall(SYS_mknodat, AT_FDCWD, "dir", S_IFCHR | 0600, 0x103);
	syscall(SYS_truncate, "none", 5);
	syscall(SYS_unlink, "fifo");
	syscall(SYS_unlinkat, AT_FDCWD, "dir/hard", 0);
	syscall(SYS_unlinkat, AT_FDCWD, "dir", AT_REMOVEDIR);
	syscall(SYS_rmdir, "dir");
	off_t from = 1;
	int out = syscall(SYS_openat, AT_FDCWD, "copy", O_RDWR | O_CREAT | O_TRUNC, 0666);
	syscall(SYS_sendfile, out, fd, &from, 10);
	syscall(SYS_sendfile, out, fd, NULL, 0);
	loff_t at = 0;
	syscall(SYS_copy_file_range, fd, &at, out, NULL, 20, 0);
	int memory = syscall(SYS_memfd_create, "some memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	syscall(SYS_fcntl, memory, F_ADD_SEALS, F_SEAL_SHRINK);
	syscall(SYS_fcntl, memory, F_GET_SEALS);
	int notify = syscall(SYS_inotify_init1, IN_CLOEXEC);
	syscall(SYS_inotify_add_watch, notify, ".", IN_CREATE | IN_DELETE);
	syscall(SYS_inotify_rm_watch, notify, 1);
}

static void controls(void)
{
	struct termios term;
	struct winsize size = { 24, 80, 0, 0 };
	int n, p[2], pty;
	char name[16];

	syscall(SYS_pipe, p);
	syscall(SYS_pipe2, p, O_CLOEXEC | O_NONBLOCK);
	syscall(SYS_ioctl, p[0], FIONREAD, &n);
	syscall(SYS_ioctl, p[0], TCGETS, &term);
	syscall(SYS_ioctl, p[0], TIOCGWINSZ, &size);
	n = 1;
	syscall(SYS_ioctl, p[0], FIONBIO, &n);
	syscall(SYS_ioctl, p[0], FIOCLEX);
	syscall(SYS_ioctl, p[0], 0xc0481234, &n);
	syscall(SYS_ioctl, -1, 0x1234, 5);
	pty = syscall(SYS_openat, AT_FDCWD, "/dev/ptmx", O_RDWR | O_NOCTTY);
	syscall(SYS_ioctl, pty, TCGETS, &term);
	syscall(SYS_ioctl, pty, TCSETS, &term);
	syscall(SYS_ioctl, pty, TIOCSWINSZ, &size);
	syscall(SYS_ioctl, pty, TIOCGWINSZ, &size);
	syscall(SYS_splice, p[0], NULL, p[1], NULL, 10, SPLICE_F_NONBLOCK);
	syscall(SYS_tee, p[0], p[1], 10, 0);
	prctl(PR_SET_NAME, "a name of more than fifteen");
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_GET_PDEATHSIG, &n);
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_GET_DUMPABLE);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN);
	prctl(PR_GET_TIMERSLACK);
	prctl(PR_SET_TIMERSLACK, 50000);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_GET_SECCOMP);
	prctl(12345, 1, 2, 3, 4);
}

static void memory(void)
{
	const int fresh = MAP_PRIVATE | MAP_ANONYMOUS;
	char *p = (char *)syscall(SYS_mmap, NULL, 8192, PROT_READ | PROT_WRITE, fresh, -1, 0);

	syscall(SYS_mmap, NULL, 0, PROT_NONE, MAP_SHARED, 999, 4096);
	syscall(SYS_mmap, p, 4096, PROT_READ, fresh | MAP_FIXED | MAP_NORESERVE, -1, 0);
	syscall(SYS_mprotect, p, 4096, PROT_READ | PROT_EXEC);
	syscall(SYS_mprotect, 1, 4096, PROT_NONE);
	syscall(SYS_madvise, p, 4096, MADV_DONTNEED);
	syscall(SYS_madvise, p, 4096, 4321);
	syscall(SYS_msync, p, 4096, MS_SYNC);
	syscall(SYS_mlock, p, 4096);
	syscall(SYS_munlock, p, 4096);
	p = (char *)syscall(SYS_mremap, p + 4096, 4096, 16384, MREMAP_MAYMOVE);
	syscall(SYS_mremap, 1, 4096, 4096, 0);
	syscall(SYS_munmap, p, 16384);
	syscall(SYS_munmap, 1, 1);
	syscall(SYS_brk, 0);
}

static void handler(int sig)
{
	(void)sig;
}

static void signals(void)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_NODEFER };
	sigset_t set, before;
	stack_t stack = { .ss_sp = big, .ss_size = sizeof(big) };
	struct timespec now = { 0, 1 };

	sigemptyset(&act.sa_mask);
	sigaddset(&act.sa_mask, SIGUSR2);
	sigaddset(&act.sa_mask, SIGRTMIN + 1);
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGUSR1, NULL, &act);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	sigaction(SIGKILL, &act, NULL);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigdelset(&set, SIGINT);
	sigprocmask(SIG_SETMASK, &set, &before);
	sigpending(&set);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	syscall(SYS_rt_sigtimedwait, &set, NULL, &now, 8);
	sigprocmask(SIG_SETMASK, &set, NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, 3);
	syscall(SYS_sigaltstack, &stack, NULL);
	syscall(SYS_sigaltstack, NULL, &stack);
	raise(SIGUSR1);
	syscall(SYS_kill, getpid(), 0);
	syscall(SYS_kill, 1 << 30, SIGRTMIN);
	syscall(SYS_tgkill, -1, 1, SIGTERM);
	syscall(SYS_tkill, -1, 77);
	syscall(SYS_signalfd4, -1, &set, 8, SFD_CLOEXEC | SFD_NONBLOCK);
	syscall(SYS_alarm, 0);
}

static void times_(void)
{
	struct timespec ts;
	struct timeval tv;
	struct itimerval it = { { 0, 0 }, { 1000, 5 } }, old;
	struct itimerspec its = { { 1, 2 }, { 3, 4 } }, oldspec;
	struct tms tms;
	int fd;

	syscall(SYS_clock_gettime, CLOCK_REALTIME, &ts);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &ts);
	syscall(SYS_clock_gettime, 99, &ts);
	syscall(SYS_clock_getres, CLOCK_BOOTTIME, NULL);
	syscall(SYS_gettimeofday, &tv, NULL);
	syscall(SYS_time, NULL);
	syscall(SYS_times, &tms);
	ts = (struct timespec){ 0, 1000 };
	syscall(SYS_nanosleep, &ts, NULL);
	syscall(SYS_nanosleep, &ts, &ts);
	ts.tv_nsec = -1;
	syscall(SYS_nanosleep, &ts, &ts);
	ts = (struct timespec){ 0, 1000 };
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	syscall(SYS_setitimer, ITIMER_REAL, &it, NULL);
	it.it_value.tv_sec = it.it_value.tv_usec = 0;
	syscall(SYS_setitimer, ITIMER_REAL, &it, NULL);
	syscall(SYS_getitimer, ITIMER_PROF, &old);
	fd = syscall(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC);
	syscall(SYS_timerfd_settime, fd, 0, &its, NULL);
	syscall(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &its, &oldspec);
}

static void waiting(void)
{
	int p[2], ep;
	struct pollfd fds[3];
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.u64 = 77 }, got[4];
	fd_set in, out;
	struct timeval tv = { 0, 0 };
	struct timespec ts = { 0, 0 };
	sigset_t set;
	struct { void *set; size_t size; } masked = { &set, 8 };

	sigemptyset(&set);
	syscall(SYS_pipe, p);
	fds[0] = (struct pollfd){ p[0], POLLIN | POLLPRI, 0 };
	fds[1] = (struct pollfd){ p[1], POLLOUT, 0 };
	fds[2] = (struct pollfd){ -1, POLLOUT, 0 };
	syscall(SYS_poll, fds, 1, 0);
	syscall(SYS_poll, fds, 3, 10);
	syscall(SYS_poll, fds, 0, 0);
	syscall(SYS_poll, 1, 1, 0);
	syscall(SYS_ppoll, fds, 2, &ts, &set, 8);
	syscall(SYS_ppoll, fds, 1, &ts, NULL, 0);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(p[0], &in);
	FD_SET(p[1], &out);
	syscall(SYS_select, p[1] + 1, &in, &out, NULL, &tv);
	FD_ZERO(&in);
	FD_SET(p[0], &in);
	syscall(SYS_select, p[1] + 1, &in, NULL, NULL, &tv);
	syscall(SYS_select, 0, NULL, NULL, NULL, &tv);
	FD_SET(p[1], &out);
	syscall(SYS_pselect6, p[1] + 1, NULL, &out, NULL, NULL, &masked);
	syscall(SYS_pselect6, 0, NULL, NULL, NULL, &ts, NULL);
	ep = syscall(SYS_epoll_create1, EPOLL_CLOEXEC);
	syscall(SYS_epoll_create, 5);
	syscall(SYS_epoll_ctl, ep, EPOLL_CTL_ADD, p[0], &ev);
	syscall(SYS_epoll_ctl, ep, EPOLL_CTL_ADD, p[0], &ev);
	syscall(SYS_epoll_wait, ep, got, 4, 0);
	syscall(SYS_write, p[1], "x", 1);
	syscall(SYS_epoll_wait, ep, got, 4, -1);
	syscall(SYS_epoll_pwait, ep, got, 4, 0, &set, 8);
	syscall(SYS_epoll_ctl, ep, EPOLL_CTL_DEL, p[0], NULL);
	syscall(SYS_eventfd2, 3, EFD_CLOEXEC | EFD_SEMAPHORE);
}

static void sockets(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "sock" }, from;
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 sin6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(1), .sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	struct linger linger = { 1, 5 };
	struct timeval tv = { 1, 2 };
	struct ucred cred;
	socklen_t len;
	int s, c, a, pair[2], one = 1, value;
	char buf[64], control[64];

	syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	syscall(SYS_socket, AF_INET6, SOCK_DGRAM, 0);
	syscall(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK, 0);
	syscall(SYS_socket, 77, SOCK_STREAM, 3);
	s = syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
	syscall(SYS_bind, s, &un, sizeof(un));
	syscall(SYS_bind, s, &un, 2);
	un.sun_path[0] = 0;
	syscall(SYS_bind, -1, &un, 8);
	un.sun_path[0] = 's';
	syscall(SYS_listen, s, 5);
	c = syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
	syscall(SYS_connect, c, &un, offsetof(struct sockaddr_un, sun_path) + 5);
	len = sizeof(from);
	a = syscall(SYS_accept, s, &from, &len);
	len = sizeof(from);
	syscall(SYS_getsockname, s, &from, &len);
	len = sizeof(from);
	syscall(SYS_getpeername, c, &from, &len);
	len = 4;
	syscall(SYS_getpeername, c, &from, &len);
	syscall(SYS_accept4, -1, &from, &len, SOCK_CLOEXEC);
	syscall(SYS_accept4, -1, NULL, NULL, 0);
	syscall(SYS_sendto, c, "hello", 5, MSG_NOSIGNAL, NULL, 0);
	syscall(SYS_recvfrom, a, buf, sizeof(buf), MSG_DONTWAIT, NULL, NULL);
	syscall(SYS_recvfrom, a, buf, sizeof(buf), MSG_DONTWAIT | MSG_PEEK, NULL, NULL);
	syscall(SYS_getsockopt, c, SOL_SOCKET, SO_PEERCRED, &cred, (len = sizeof(cred), &len));
	syscall(SYS_getsockopt, c, SOL_SOCKET, SO_ERROR, &value, (len = sizeof(value), &len));
	syscall(SYS_getsockopt, c, SOL_SOCKET, SO_TYPE, &value, (len = 10, &len));
	syscall(SYS_getsockopt, c, SOL_SOCKET, SO_LINGER, &linger, (len = sizeof(linger), &len));
	syscall(SYS_getsockopt, c, SOL_SOCKET, 12345, &value, (len = 4, &len));
	linger.l_onoff = 1;
	syscall(SYS_setsockopt, c, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	syscall(SYS_setsockopt, c, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	syscall(SYS_setsockopt, c, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	syscall(SYS_setsockopt, c, SOL_TCP, TCP_NODELAY, &one, sizeof(one));
	syscall(SYS_setsockopt, c, SOL_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	syscall(SYS_setsockopt, c, SOL_IP, IP_TTL, &one, 1);
	syscall(SYS_setsockopt, c, 999, 5, NULL, 0);
	syscall(SYS_shutdown, c, SHUT_WR);
	syscall(SYS_shutdown, 999, 7);
	s = syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0);
	syscall(SYS_bind, s, &sin, sizeof(sin));
	sin.sin_port = htons(1);
	syscall(SYS_sendto, s, "datagram", 8, 0, &sin, sizeof(sin));
	syscall(SYS_connect, s, &sin6, sizeof(sin6));
	syscall(SYS_connect, s, NULL, 5);
	syscall(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair);
	struct iovec iov[2] = { { "first", 5 }, { "second", 6 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	syscall(SYS_sendmsg, pair[0], &msg, MSG_NOSIGNAL);
	msg.msg_control = control;
	msg.msg_controllen = CMSG_SPACE(sizeof(int));
	struct cmsghdr *cm = CMSG_FIRSTHDR(&msg);
	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cm), &pair[0], sizeof(int));
	syscall(SYS_sendmsg, pair[0], &msg, 0);
	iov[0] = (struct iovec){ buf, 3 };
	iov[1] = (struct iovec){ buf + 3, sizeof(buf) - 3 };
	msg.msg_name = &from;
	msg.msg_namelen = sizeof(from);
	msg.msg_control = NULL;
	msg.msg_controllen = 0;
	syscall(SYS_recvmsg, pair[1], &msg, 0);
	msg.msg_control = control;
	msg.msg_controllen = sizeof(control);
	syscall(SYS_recvmsg, pair[1], &msg, MSG_CMSG_CLOEXEC);
	syscall(SYS_recvmsg, pair[1], &msg, MSG_DONTWAIT);
	syscall(SYS_recvmsg, pair[1], NULL, MSG_DONTWAIT);
	struct mmsghdr many[2] = {
		{ .msg_hdr = { .msg_iov = iov, .msg_iovlen = 1 } },
		{ .msg_hdr = { .msg_iov = iov, .msg_iovlen = 2 } },
	};
	syscall(SYS_sendmmsg, pair[0], many, 2, 0);
}

static void processes(void)
{
	struct rlimit64 lim, new = { 100, RLIM64_INFINITY };
	struct rusage ru;
	struct utsname name;
	struct sysinfo info;
	struct __user_cap_header_struct cap = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];
	struct sched_param param = { 0 };
	unsigned long cpus[128];
	uint32_t word = 1;
	gid_t groups[100];
	uid_t r, e, s;
	siginfo_t si;
	int status;
	struct timespec ts = { 0, 1000 };

	for (int i = 0; i < 3; i++) {
		pid_t pid = syscall(SYS_fork);
		if (pid == 0) {
			if (i == 1)
				syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
			syscall(SYS_exit_group, i);
		}
		if (i == 2) {
			si.si_utime = 250; // which the kernel leaves as it is
			si.si_stime = 0;
			syscall(SYS_waitid, P_PID, pid, &si, WEXITED, NULL);
		} else {
			syscall(SYS_wait4, pid, &status, 0, i ? &ru : NULL);
		}
	}
	syscall(SYS_wait4, -1, &status, WNOHANG, NULL);
	syscall(SYS_waitid, P_ALL, 0, NULL, WEXITED | WNOHANG, NULL);
	pid_t pid = syscall(SYS_fork);
	if (pid == 0) {
		char *argv[] = { "sh", "-c", "exit 3", NULL }, *env[] = { "A=b", NULL };
		syscall(SYS_execve, "/nonexistent", argv, env);
		syscall(SYS_execve, "/bin/sh", argv, env);
		syscall(SYS_exit_group, 99);
	}
	syscall(SYS_wait4, pid, &status, 0, NULL);
	syscall(SYS_getpid);
	syscall(SYS_gettid);
	syscall(SYS_getuid);
	syscall(SYS_getpgid, 0);
	syscall(SYS_getsid, 0);
	syscall(SYS_setpgid, 0, 0);
	syscall(SYS_getresuid, &r, &e, &s);
	syscall(SYS_setresuid, -1, -1, -1);
	syscall(SYS_getgroups, 0, NULL);
	syscall(SYS_getgroups, 100, groups);
	syscall(SYS_getrlimit, RLIMIT_NOFILE, &lim);
	syscall(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &lim);
	syscall(SYS_prlimit64, 0, RLIMIT_CORE, &new, NULL);
	syscall(SYS_prlimit64, 0, 99, NULL, &lim);
	syscall(SYS_getrusage, RUSAGE_SELF, &ru);
	syscall(SYS_uname, &name);
	syscall(SYS_sysinfo, &info);
	syscall(SYS_capget, &cap, data);
	syscall(SYS_capget, &cap, NULL);
	syscall(SYS_sched_yield);
	syscall(SYS_sched_getaffinity, 0, sizeof(cpus), cpus);
	syscall(SYS_sched_setaffinity, 0, 128, cpus);
	syscall(SYS_sched_getscheduler, 0);
	syscall(SYS_sched_getparam, 0, &param);
	syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &param);
	syscall(SYS_getpriority, PRIO_PROCESS, 0);
	syscall(SYS_setpriority, PRIO_PROCESS, 0, 0);
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAIT, 1, &ts, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 1, &ts, NULL, -1);
	syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE_PRIVATE, 1, 2, &word, 3);
	syscall(SYS_futex, &word, FUTEX_WAKE_OP, 1, 1, &word,
		FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_GT, 1));
	syscall(SYS_arch_prctl, 0x1003, &cpus);
	syscall(SYS_arch_prctl, 0x3001, 5);
	syscall(SYS_getrandom, big, 4, GRND_NONBLOCK);
	syscall(SYS_getrandom, big, 100, 0);
	syscall(SYS_unshare, 0);
	syscall(SYS_set_robust_list, big, 24);
	syscall(999, 1, 2, 3, 4, 5, 6);
}

int main(void)
{
	files();
	controls();
	memory();
	signals();
	times_();
	waiting();
	sockets();
	processes();
	return 0;
}
