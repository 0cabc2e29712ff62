/*
 * pct-launch: execute a program as the caller of profile would, with libpct.so preloaded if that can work.
 *
 *   pct-launch -sweep DIR
 *   pct-launch [-environ FILE] [-caller STATE] PROG [ARG...]
 *   pct-launch [-environ FILE] [-caller STATE] -preload LIB... (-else FILE | -narrow LIMIT -report REPORT)
 *              [-set NAME=VALUE]... PROG [ARG...]
 *
 * The program gets the environment in FILE (NUL-terminated strings, as in
 * /proc/PID/environ; default: ours), found by its PATH, as execvp(3) does. -caller restores
 * what profile's caller left to it (caller.h). With -preload the libraries come after what
 * LD_PRELOAD names already, ASAN_OPTIONS tells AddressSanitizer to put up with that, and the
 * variables of -set are added. Nothing else differs from what a shell would execute: we
 * replace ourselves.
 *
 * A program into which the dynamic linker would not load the library is not
 * executed: a name for the reason (unfit.h) and a sentence are written to the file of -else,
 * with a tab between them, and the exit status is 0. A script is what its interpreter is.
 *
 * -narrow is for a limit on memory under which nothing but the library can work: a program that can't
 * have it is executed without, and what can't be done is said before.
 *
 * -sweep waits until its standard input ends, then removes DIR and its files.
 *
 * Exit status 127 if the program was not found, 126 if it can't be executed, 2 for
 * a wrong command line.
 *
 * example: pct-launch -preload /usr/local/lib/pct/libpct.so -else why -set PCT=q1000 ls
 */
#define _GNU_SOURCE
#include "caller.h"
#include "fail.h"
#include "root.h"
#include "sweep.h"
#include "unfit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *must(void *p) {
    if (!p)
        fail(126, "out of memory");
    return p;
}

/* variable: the value of a name in an environment, or NULL. */
static const char *variable(char **env, const char *name) {
    size_t len = strlen(name);
    for (; *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    return NULL;
}

/* set puts NAME=VALUE in an environment that has room for one more. */
static void set(char **env, char *assignment) {
    size_t len = strcspn(assignment, "=");
    for (; *env; env++)
        if (strncmp(*env, assignment, len + 1) == 0)
            break;
    if (!*env)
        env[1] = NULL;
    *env = assignment;
}

/* read_environ reads NUL-terminated strings; room is left for `more` others. */
static char **read_environ(const char *file, int more) {
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        fail(2, "cannot read %s: %s", file, strerror(errno));
    size_t used = 0, size = 1 << 16;
    char *text = must(malloc(size + 1));
    for (ssize_t n; (n = read(fd, text + used, size - used)) != 0;) {
        if (n < 0)
            fail(2, "cannot read %s: %s", file, strerror(errno));
        used += (size_t)n;
        if (used == size)
            text = must(realloc(text, (size *= 2) + 1));
    }
    close(fd);
    text[used] = 0;
    size_t count = 0;
    for (size_t i = 0; i < used; i++)
        count += !text[i];
    char **env = must(calloc(count + 2 + (size_t)more, sizeof *env));
    size_t n = 0;
    for (char *s = text; s < text + used; s += strlen(s) + 1)
        env[n++] = s;
    return env;
}

/* copy_environ is environ with room for `more` others. */
static char **copy_environ(int more) {
    size_t count = 0;
    while (environ[count])
        count++;
    char **env = must(calloc(count + 1 + (size_t)more, sizeof *env));
    memcpy(env, environ, count * sizeof *env);
    return env;
}

/* is_program: a regular file that we may execute. */
static bool is_program(const char *path) {
    struct stat st;
    if (access(path, X_OK) != 0)
        return false;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        return true;
    errno = EACCES;
    return false;
}

/* find gives the path of a program as a shell would find it. */
static const char *find(const char *name, char **env) {
    if (strchr(name, '/')) {
        if (!is_program(name))
            fail(errno == ENOENT || errno == ENOTDIR ? 127 : 126, "%s: %s", name, strerror(errno));
        return name;
    }
    const char *path = variable(env, "PATH");
    int seen = ENOENT;
    for (const char *dir = path ? path : "/bin:/usr/bin", *end; *name; dir = end + 1) {
        end = strchrnul(dir, ':');
        char *candidate = NULL;
        if (asprintf(&candidate, "%.*s%s%s", (int)(end - dir), dir, end == dir ? "" : "/", name) < 0)
            fail(126, "out of memory");
        if (is_program(candidate))
            return candidate;
        if (errno == EACCES && access(candidate, F_OK) == 0)
            seen = EACCES;
        free(candidate);
        if (!*end)
            break;
    }
    fail(seen == EACCES ? 126 : 127, "%s: %s", name, seen == EACCES ? strerror(seen) : "not found in PATH");
}

/* add appends to the words of a variable, unless the word is there already. */
static void add(char **env, const char *name, const char *word) {
    const char *old = variable(env, name);
    size_t len = strlen(word);
    for (const char *at = old; at && (at = strstr(at, word)); at += len)
        if ((at == old || strchr(": ", at[-1])) && (!at[len] || strchr(": ", at[len])))
            return;
    char *assignment = NULL;
    if (asprintf(&assignment, "%s=%s%s%s", name, old ? old : "", old && *old ? ":" : "", word) < 0)
        fail(126, "out of memory");
    set(env, assignment);
}

static void tell(const char *file, const char *path, enum unfit why) {
    FILE *f = fopen(file, "we");
    if (!f || fprintf(f, "%s\t%s %s\n", unfit_words[why].name, path, unfit_words[why].clause) < 0 || fclose(f) != 0)
        fail(126, "cannot write %s: %s", file, strerror(errno));
}

/* data_root is where run directories are. */
static const char *data_root(char **env) {
    static char own[64];
    const char *dir = variable(env, "PCT_DIR");
    struct stat st;
    if (dir && *dir)
        return dir;
    if (lstat(ROOT_DEFAULT, &st) != 0 || !root_exposed(&st, geteuid()))
        return ROOT_DEFAULT;
    snprintf(own, sizeof own, "%s-%u", ROOT_DEFAULT, (unsigned)geteuid());
    return own;
}

/* run executes it; what has no header is for the shell, as with execvp(3). */
static _Noreturn void run(const char *path, char **argv, char **env, int argc) {
    execve(path, argv, env);
    if (errno == ENOEXEC) {
        char **shell = must(calloc((size_t)argc + 2, sizeof *shell));
        shell[0] = "sh";
        shell[1] = (char *)path;
        memcpy(shell + 2, argv + 1, (size_t)argc * sizeof *argv);
        execve("/bin/sh", shell, env);
    }
    fail(errno == ENOENT ? 127 : 126, "%s: %s", argv[0], strerror(errno));
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "-sweep") == 0)
        return sweep(argv[2]);
    const char *env_file = NULL, *otherwise = NULL, *narrow = NULL, *report = "";
    char **sets = must(calloc((size_t)argc + 1, sizeof *sets));
    char **libraries = must(calloc((size_t)argc + 1, sizeof *libraries));
    int i = 1, n = 0, preloaded = 0;
    for (; i < argc && argv[i][0] == '-'; i += 2) {
        const char *option = argv[i];
        if (strcmp(option, "--") == 0) {
            i++;
            break;
        }
        if (i + 1 == argc)
            fail(2, "pct-launch: %s needs a value", option);
        char *value = argv[i + 1];
        if (strcmp(option, "-environ") == 0)
            env_file = value;
        else if (strcmp(option, "-caller") == 0 && caller_restore(value))
            continue;
        else if (strcmp(option, "-preload") == 0)
            libraries[preloaded++] = value;
        else if (strcmp(option, "-else") == 0)
            otherwise = value;
        else if (strcmp(option, "-narrow") == 0)
            narrow = value;
        else if (strcmp(option, "-report") == 0)
            report = value;
        else if (strcmp(option, "-set") == 0 && strchr(value, '='))
            sets[n++] = value;
        else
            fail(2, "pct-launch: don't know %s %s", option, value);
    }
    if (i == argc || !preloaded != !(otherwise || narrow))
        fail(2, "usage: pct-launch [-environ FILE] [-caller STATE] [-preload LIB... -else FILE [-set NAME=VALUE]...] PROG [ARG...]");
    char **env = env_file ? read_environ(env_file, n + 2) : copy_environ(n + 2);
    const char *path = find(argv[i], env);
    enum unfit why = preloaded ? why_unfit(path) : UNFIT_NOT;
    /* ld.so(8) has no way to quote these. */
    for (int k = 0; k < preloaded; k++)
        if (strpbrk(libraries[k], ": \t"))
            why = UNFIT_LIBRARY;
    if (why != UNFIT_NOT && otherwise) {
        tell(otherwise, path, why);
        return 0;
    }
    if (why != UNFIT_NOT) {
        fprintf(stderr, "profile: %s %s, and under the limit on memory (%s) nothing else can sample it: it runs unprofiled; %s\n",
                path, unfit_words[why].clause, narrow, caller_needs);
        preloaded = 0;
    }
    if (preloaded) {
        for (int k = 0; k < preloaded; k++)
            add(env, "LD_PRELOAD", libraries[k]);
        /* AddressSanitizer ends programs in which any library stands before its own. */
        add(env, "ASAN_OPTIONS", "verify_asan_link_order=0");
        for (int k = 0; k < n; k++)
            set(env, sets[k]);
        if (narrow)
            fprintf(stderr, "profile: the report cannot be made under the limit on memory (hard %s): %s; %s -tree %s/*.%d makes it in a shell without that limit\n",
                    narrow, caller_needs, report, data_root(env), (int)getpid());
    }
    run(path, argv + i, env, argc - i);
}
