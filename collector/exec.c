/*
 * exec.c: a process that executes another program ends a run of this one: its meta says so before,
 * and no longer if that fails. What can't be measured of the other is told (unmeasured.h).
 */
#include "collector.h"
#include "mask.h"
#include "next.h"
#include "unmeasured.h"

#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Calls the function that would have been called without us. */
#define EXECUTE(name, ...)                                                       \
	({                                                                       \
		__typeof__(&name) f = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
		collector_executes();                                                 \
		int err = f(__VA_ARGS__);                                        \
		collector_goes_on();                                             \
		err;                                                             \
	})

/* Calls what makes a process with the calling thread's mask. */
#define SETTLED(call)                                 \
	({                                            \
		__typeof__(call) result;              \
		mask_settle();                        \
		result = call;                        \
		mask_unsettle();                      \
		result;                               \
	})

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	unmeasured_path(path);
	return EXECUTE(execve, path, argv, envp);
}

EXPORT int execv(const char *path, char *const argv[])
{
	unmeasured_path(path);
	return EXECUTE(execv, path, argv);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	unmeasured_file(file);
	return EXECUTE(execvp, file, argv);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	unmeasured_file(file);
	return EXECUTE(execvpe, file, argv, envp);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	return EXECUTE(fexecve, fd, argv, envp);
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes,
		       char *const argv[], char *const envp[])
{
	unmeasured_path(path);
	return SETTLED(NEXT(posix_spawn)(pid, path, actions, attributes, argv, envp));
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes,
			char *const argv[], char *const envp[])
{
	unmeasured_file(file);
	return SETTLED(NEXT(posix_spawnp)(pid, file, actions, attributes, argv, envp));
}

EXPORT int system(const char *command)
{
	return SETTLED(NEXT(system)(command));
}

EXPORT FILE *popen(const char *command, const char *kind)
{
	return SETTLED(NEXT(popen)(command, kind));
}

/*
 * The arguments from first to NULL as a vector on the caller's stack; rest is then at what
 * follows.
 */
#define GATHER(argv, first, rest)                                        \
	do {                                                             \
		size_t n = 1;                                            \
		va_list again;                                           \
		va_copy(again, rest);                                    \
		while (va_arg(again, char *))                            \
			n++;                                             \
		va_end(again);                                           \
		argv = alloca((n + 1) * sizeof *argv);                   \
		argv[0] = (char *)first;                                 \
		for (size_t i = 1; i <= n; i++)                          \
			argv[i] = va_arg(rest, char *);                  \
	} while (0)

EXPORT int execl(const char *path, const char *first, ...)
{
	char **argv;
	va_list rest;

	va_start(rest, first);
	GATHER(argv, first, rest);
	va_end(rest);
	return execv(path, argv);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	char **argv;
	va_list rest;

	va_start(rest, first);
	GATHER(argv, first, rest);
	va_end(rest);
	return execvp(file, argv);
}

EXPORT int execle(const char *path, const char *first, ...)
{
	char **argv, **envp;
	va_list rest;

	va_start(rest, first);
	GATHER(argv, first, rest);
	envp = va_arg(rest, char **);
	va_end(rest);
	return execve(path, argv, envp);
}
