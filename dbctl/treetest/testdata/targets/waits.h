/* The system calls that waiter blocks in. */
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int pipes[2], full[2], sockets[2], listener, ep, events, queue = -1, sems = -1, locked, word, ms;
static const char *lock_file;
static pid_t child, self;
static sem_t sem;
static mqd_t mq;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static struct timespec limit, until, until_monotonic;
static struct pollfd pfd;
static struct epoll_event ev;
static char buf[1 << 17];

static const sigset_t *usr1(void)
{
	static sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return &set;
}

static fd_set *in_pipe(void)
{
	static fd_set set;
	FD_ZERO(&set);
	FD_SET(pipes[0], &set);
	return &set;
}

static struct timespec later(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	long ns = t.tv_nsec + limit.tv_nsec;
	return (struct timespec){t.tv_sec + limit.tv_sec + ns / 1000000000, ns % 1000000000};
}

static void set_limits(void)
{
	until = later(CLOCK_REALTIME);
	until_monotonic = later(CLOCK_MONOTONIC);
}

/* prepare makes what is waited for; 0 if it could. */
static int prepare(int milliseconds, const char *file)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[64];

	ms = milliseconds;
	limit = (struct timespec){ms / 1000, ms % 1000 * 1000000L};
	struct timeval tv = {ms / 1000, ms % 1000 * 1000L};
	lock_file = file;
	self = getpid();
	snprintf(name, sizeof name, "/waiter.%d", (int)self);
	if (pipe(pipes) || pipe(full) || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) || sem_init(&sem, 0, 0))
		return 1;
	fcntl(full[1], F_SETFL, O_NONBLOCK);
	while (write(full[1], buf, 4096) > 0)
		;
	fcntl(full[1], F_SETFL, 0);
	pfd = (struct pollfd){pipes[0], POLLIN, 0};
	ev.events = EPOLLIN;
	ep = epoll_create1(0);
	events = eventfd(0, 0);
	queue = msgget(IPC_PRIVATE, 0600);
	sems = semget(IPC_PRIVATE, 1, 0600);
	mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	mq_unlink(name);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	locked = open(file, O_RDWR | O_CREAT, 0600);
	pthread_mutex_lock(&mutex);
	int ready[2];
	if (pipe(ready))
		return 1;
	child = fork();
	if (child == 0) { /* holds the locks; dies with us */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		struct flock whole = {.l_type = F_WRLCK};
		int fd = open(file, O_RDWR);
		if (flock(fd, LOCK_EX) || fcntl(fd, F_SETLK, &whole) || write(ready[1], "x", 1) != 1)
			_exit(3);
		signal(SIGTERM, SIG_DFL);
		for (;;)
			pause();
	}
	return read(ready[0], buf, 1) != 1 || epoll_ctl(ep, EPOLL_CTL_ADD, pipes[0], &ev) || events < 0 || queue < 0 ||
	       sems < 0 || mq < 0 || locked < 0 || child < 0 || bind(listener, (struct sockaddr *)&a, sizeof a) ||
	       listen(listener, 1);
}

/* clear removes what outlives the process. */
static void clear(void)
{
	kill(child, SIGKILL);
	msgctl(queue, IPC_RMID, NULL);
	semctl(sems, 0, IPC_RMID);
}

static void give_byte(void) { if (write(pipes[1], "x", 1) != 1) abort(); }
static void take_bytes(void) { if (read(full[0], buf, sizeof buf) < 0) abort(); }
static void give_packet(void) { send(sockets[1], "x", 1, 0); }
static void give_event(void) { eventfd_write(events, 1); }
static void post(void) { sem_post(&sem); }
static void end_child(void) { kill(child, SIGTERM); }
static void give_message(void) { long m[2] = {1, 0}; msgsnd(queue, m, sizeof m[1], 0); }
static void give_mail(void) { mq_send(mq, "x", 1, 0); }
static void raise_sem(void) { struct sembuf b = {0, 1, 0}; semop(sems, &b, 1); }
static void wake(void) { word = 1; syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0); }
static void signal_caller(void) { syscall(SYS_tgkill, self, self, SIGUSR1); }
static void unlock_mutex(void) { pthread_mutex_unlock(&mutex); }

static void connect_to(void)
{
	struct sockaddr_in a;
	socklen_t n = sizeof a;
	int s = socket(AF_INET, SOCK_STREAM, 0);
	if (getsockname(listener, (struct sockaddr *)&a, &n) || connect(s, (struct sockaddr *)&a, n))
		abort();
}

static void endless(void)
{
	struct timeval zero = {0, 0};
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &zero, sizeof zero);
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &zero, sizeof zero);
}

static int some(long r) { return r < 0 ? -1 : r > 0; } /* whether, where how many may vary */
static int failed(int e) { errno = e; return e ? -1 : 0; }

/* With a time-out. */
static int do_nanosleep(void) { return nanosleep(&limit, NULL); }
static int do_clock_nanosleep(void) { return failed(clock_nanosleep(CLOCK_MONOTONIC, 0, &limit, NULL)); }
static int do_clock_nanosleep_until(void) { return failed(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL)); }
static int do_poll(void) { return poll(&pfd, 1, ms); }
static int do_ppoll(void) { return ppoll(&pfd, 1, &limit, NULL); }
static int do_select(void) { struct timeval t = {limit.tv_sec, limit.tv_nsec / 1000}; return select(pipes[0] + 1, in_pipe(), NULL, NULL, &t); }
static int do_pselect(void) { return pselect(pipes[0] + 1, in_pipe(), NULL, NULL, &limit, NULL); }
static int do_epoll_wait(void) { return epoll_wait(ep, &ev, 1, ms); }
static int do_epoll_pwait(void) { return epoll_pwait(ep, &ev, 1, ms, usr1()); }
static int do_sem_timedwait(void) { return sem_timedwait(&sem, &until); }
static int do_futex_timed(void) { return (int)syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, NULL, 0); }
static int do_cond_timedwait(void) { return failed(pthread_cond_timedwait(&cond, &mutex, &until)); }
static int do_sigtimedwait(void) { return sigtimedwait(usr1(), NULL, &limit); }
static int do_recv_timed(void) { return (int)recv(sockets[0], buf, 1, 0); }
static int do_accept_timed(void) { return accept(listener, NULL, NULL); }
static int do_semtimedop(void) { struct sembuf b = {0, -1, 0}; return semtimedop(sems, &b, 1, &limit); }
static int do_mq_timedreceive(void) { return (int)mq_timedreceive(mq, buf, 8, NULL, &until); }

/* Until something happens. */
static int do_read(void) { return (int)read(pipes[0], buf, 1); }
static int do_write(void) { return some(write(full[1], buf, 4096)); }
static int do_read_event(void) { eventfd_t v; return eventfd_read(events, &v); }
static int do_poll_endless(void) { return poll(&pfd, 1, -1); }
static int do_select_endless(void) { return select(pipes[0] + 1, in_pipe(), NULL, NULL, NULL); }
static int do_epoll_endless(void) { return epoll_wait(ep, &ev, 1, -1); }
static int do_sem_wait(void) { return sem_wait(&sem); }
static int do_futex(void) { return (int)syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0); }
static int do_mutex(void) { return failed(pthread_mutex_lock(&mutex)); }
static int do_wait4(void) { return some(wait4(child, NULL, 0, NULL)); }
static int do_waitid(void) { siginfo_t i; return waitid(P_ALL, 0, &i, WEXITED); }
static int do_pause(void) { return pause(); }
static int do_sigsuspend(void) { sigset_t none; sigemptyset(&none); return sigsuspend(&none); }
static int do_sigwaitinfo(void) { return sigwaitinfo(usr1(), NULL); }
static int do_recv(void) { endless(); return (int)recv(sockets[0], buf, 1, 0); }
static int do_accept(void) { endless(); return some(accept(listener, NULL, NULL)); }
static int do_msgrcv(void) { return (int)msgrcv(queue, buf, sizeof(long), 0, 0); }
static int do_semop(void) { struct sembuf b = {0, -1, 0}; return semop(sems, &b, 1); }
static int do_mq_receive(void) { return (int)mq_receive(mq, buf, 8, NULL); }
static int do_flock(void) { return flock(locked, LOCK_EX); }
static int do_fcntl_lock(void) { struct flock whole = {.l_type = F_WRLCK}; return fcntl(locked, F_SETLKW, &whole); }

static const struct wait { const char *name; int (*call)(void); void (*release)(void); int timed, block; } waits[] = {
	{"nanosleep", do_nanosleep, NULL, 1, 0},
	{"clock_nanosleep", do_clock_nanosleep, NULL, 1, 0},
	{"clock_nanosleep-until", do_clock_nanosleep_until, NULL, 1, 0},
	{"poll", do_poll, NULL, 1, 0},
	{"ppoll", do_ppoll, NULL, 1, 0},
	{"select", do_select, NULL, 1, 0},
	{"pselect", do_pselect, NULL, 1, 0},
	{"epoll_wait", do_epoll_wait, NULL, 1, 0},
	{"epoll_pwait", do_epoll_pwait, NULL, 1, 0},
	{"sem_timedwait", do_sem_timedwait, NULL, 1, 0},
	{"futex-timed", do_futex_timed, NULL, 1, 0},
	{"cond_timedwait", do_cond_timedwait, NULL, 1, 0},
	{"sigtimedwait", do_sigtimedwait, NULL, 1, 1},
	{"recv-timed", do_recv_timed, NULL, 1, 0},
	{"accept-timed", do_accept_timed, NULL, 1, 0},
	{"semtimedop", do_semtimedop, NULL, 1, 0},
	{"mq_timedreceive", do_mq_timedreceive, NULL, 1, 0},
	{"read", do_read, give_byte, 0, 0},
	{"write", do_write, take_bytes, 0, 0},
	{"read-event", do_read_event, give_event, 0, 0},
	{"poll-endless", do_poll_endless, give_byte, 0, 0},
	{"select-endless", do_select_endless, give_byte, 0, 0},
	{"epoll-endless", do_epoll_endless, give_byte, 0, 0},
	{"sem_wait", do_sem_wait, post, 0, 0},
	{"futex", do_futex, wake, 0, 0},
	{"mutex", do_mutex, unlock_mutex, 0, 0},
	{"wait4", do_wait4, end_child, 0, 0},
	{"waitid", do_waitid, end_child, 0, 0},
	{"pause", do_pause, signal_caller, 0, 0},
	{"sigsuspend", do_sigsuspend, signal_caller, 0, 1},
	{"sigwaitinfo", do_sigwaitinfo, signal_caller, 0, 1},
	{"recv", do_recv, give_packet, 0, 0},
	{"accept", do_accept, connect_to, 0, 0},
	{"msgrcv", do_msgrcv, give_message, 0, 0},
	{"semop", do_semop, raise_sem, 0, 0},
	{"mq_receive", do_mq_receive, give_mail, 0, 0},
	{"flock", do_flock, end_child, 0, 0},
	{"fcntl-lock", do_fcntl_lock, end_child, 0, 0},
	{NULL, NULL, NULL, 0, 0},
};
