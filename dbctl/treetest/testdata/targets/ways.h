/* The ways to make the process of a node: start, grandchild and command. */
static int run(struct node n);

/* arguments are those of a forktree that is executed to become the node. */
static char **arguments(struct node n, const char *role)
{
	static __thread char text[3][16], *argv[7];
	int values[] = {(int)n.seed, n.count, n.levels};

	argv[0] = self;
	for (int i = 0; i < 3; i++) {
		snprintf(text[i], sizeof text[i], "%u", (unsigned)values[i]);
		argv[i + 1] = text[i];
	}
	argv[4] = (char *)file;
	argv[5] = (char *)role;
	argv[6] = NULL;
	return argv;
}

static void become(struct node n, const char *role)
{
	execv(self, arguments(n, role));
	_exit(WRONG);
}

static void *become_in_thread(void *n)
{
	struct node *node = n;
	become(*node, names[node->way]);
	return NULL;
}

static int begin(void *n)
{
	struct node *node = n;
	tell(node->way);
	_exit(run(*node));
}

static int raw_clone(unsigned long flags, int exit_signal)
{
	return (int)syscall(SYS_clone, flags | (unsigned long)exit_signal, NULL, NULL, NULL, NULL);
}

static int raw_clone3(void)
{
	struct clone_args a = {.exit_signal = SIGCHLD};
	return (int)syscall(SYS_clone3, &a, sizeof a);
}

static void *fork_in_thread(void *arg)
{
	struct node *n = arg;
	intptr_t pid = fork();
	if (pid == 0)
		begin(n);
	return (void *)pid;
}

static void exec_from_thread(struct node n)
{
	pthread_t t;
	if (pthread_create(&t, NULL, become_in_thread, &n))
		_exit(WRONG);
	for (;;)
		pause();
}

/* grandchild makes the node a daemon; its status comes through a pipe, whose end
 * is returned, and pid is its parent's, which ends at once. */
static int grandchild(struct node n, pid_t *pid)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC))
		die("pipe");
	*pid = fork();
	if (*pid == 0) {
		tell(HELPER);
		if (setsid() < 0)
			_exit(WRONG);
		n.count--;
		pid_t inner = fork();
		if (inner == 0) {
			tell(n.way);
			unsigned char status = (unsigned char)run(n);
			_exit(write(p[1], &status, 1) == 1 ? 0 : WRONG);
		}
		_exit(inner < 0 ? WRONG : 0);
	}
	close(p[1]);
	return p[0];
}

/* command is a shell's that runs the node, isn't replaced by it, and prints its
 * status. */
static const char *command(struct node n)
{
	static __thread char text[8192];
	n.count--;
	char **a = arguments(n, names[n.way]);
	snprintf(text, sizeof text, "echo $$ %s >>'%s'; '%s' %s %s %s '%s' %s; s=$?; echo $s; exit $s", names[HELPER], file,
		 a[0], a[1], a[2], a[3], a[4], a[5]);
	return text;
}

static pid_t start(struct node *n);

/* exec_in_parent makes the children, then executes forktree, which reaps them. */
static void exec_in_parent(struct node n)
{
	struct node child[MOST];
	int k = plan(n, child);

	tell(n.way);
	for (int i = 0; i < k; i++)
		if (start(&child[i]) < 0)
			_exit(WRONG);
	become(n, "reap");
}

static pid_t start(struct node *n)
{
	pthread_t t;
	void *result;
	pid_t pid;

	switch (n->way) {
	case FORK_EXEC:
		pid = fork();
		if (pid == 0)
			become(*n, names[n->way]);
		return pid;
	case VFORK_EXEC: {
		char **argv = arguments(*n, names[n->way]);
		pid = vfork();
		if (pid == 0) {
			execv(self, argv);
			_exit(WRONG);
		}
		return pid;
	}
	case VFORK_EXIT: {
		int status = status_of(n->seed);
		pid = vfork();
		if (pid == 0) {
			tell(VFORK_EXIT);
			_exit(status);
		}
		return pid;
	}
	case SPAWN:
		if (posix_spawn(&pid, self, NULL, NULL, arguments(*n, names[n->way]), environ))
			return -1;
		return pid;
	case EXEC_IN_PARENT:
		pid = fork();
		if (pid == 0)
			exec_in_parent(*n);
		return pid;
	case EXEC_IN_THREAD:
		pid = fork();
		if (pid == 0)
			exec_from_thread(*n);
		return pid;
	case CLONE: {
		static __thread char stack[1 << 18] __attribute__((aligned(16)));
		return clone(begin, stack + sizeof stack, SIGCHLD, n);
	}
	case CLONE_OTHER_SIGNAL:
		pid = raw_clone(0, 0);
		break;
	case CLONE_VFORKED:
		pid = raw_clone(CLONE_VFORK, SIGCHLD);
		break;
	case CLONE3:
		pid = raw_clone3();
		break;
	case _FORK:
		pid = _Fork();
		break;
	case RAW_FORK:
		pid = (pid_t)syscall(SYS_fork);
		break;
	case THREAD_FORK:
		if (pthread_create(&t, NULL, fork_in_thread, n) || pthread_join(t, &result))
			return -1;
		return (pid_t)(intptr_t)result;
	default:
		pid = fork();
		break;
	}
	if (pid == 0)
		begin(n);
	return pid;
}
