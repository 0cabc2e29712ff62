/*
 * profile: what a user calls. It becomes the program in Go that profiles, libexec/profile.
 *
 * It is in C for what a program in Go can't keep of what its caller left to it (caller.h), which it writes down as that
 * program's first argument, -caller=STATE; and since no program in Go begins under a small hard limit on memory. Under
 * such a limit it becomes the target itself, with the library in it as far as that can be, by pct-launch, and a message
 * tells how the report is made later. So a limit never changes what the target does or its exit status.
 */
#define _GNU_SOURCE
#include "caller.h"
#include "fail.h"

#include <errno.h>
#include <limits.h>

static char here[PATH_MAX]; /* the directory that we are in */

/* part is the path of one of our files: there in the tree where it was built, or as it was installed. */
static char *part(const char *built, const char *installed) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", here, built) < 0)
        fail(1, "out of memory");
    if (access(path, F_OK) != 0 && asprintf(&path, "%s/../%s", here, installed) < 0)
        fail(1, "out of memory");
    return path;
}

/* What is asked of the library, and of the report. */
struct wish {
    double period; /* µs */
    const char *clock, *last, *root, *by;
    bool random, log, paths, calls, verbose;
};

/* An option that means something where the library alone can work, with its value or its flag; those of reports have none. */
struct option {
    const char *name;
    const char **value;
    bool *flag;
};

static double microseconds(const char *text) {
    char *unit;
    double n = strtod(text, &unit);
    return strcmp(unit, "us") == 0 ? n : strcmp(unit, "ms") == 0 ? n * 1e3 : strcmp(unit, "s") == 0 ? n * 1e6 : 0;
}

/* read_wish reads the options, and returns where the program stands. What more than the library is needed for is refused. */
static char **read_wish(struct wish *w, char **argv, const char *limit) {
    const char *rate = NULL, *interval = NULL, *unused = NULL;
    bool none;
    const struct option options[] = {
        {"F", &rate, NULL}, {"i", &interval, NULL}, {"clock", &w->clock, NULL}, {"last", &w->last, NULL}, {"o", &w->root, NULL},
        {"by", &w->by, NULL}, {"O", &unused, NULL}, {"threshold", &unused, NULL}, {"rows", &unused, NULL}, {"l", &unused, NULL},
        {"R", NULL, &w->random}, {"log", NULL, &w->log}, {"paths", NULL, &w->paths}, {"calls", NULL, &w->calls},
        {"verbose", NULL, &w->verbose}, {"e", NULL, &none}, {"wait", NULL, &none},
    };
    for (argv++; *argv && (*argv)[0] == '-' && (*argv)[1]; argv++) {
        if (strcmp(*argv, "--") == 0) {
            argv++;
            break;
        }
        char *name = *argv + 1 + ((*argv)[1] == '-');
        size_t length = *name == 'l' && name[1] >= '0' && name[1] <= '9' ? 1 : strcspn(name, "=");
        char *glued = name[length] ? name + length + (name[length] == '=') : NULL;
        const struct option *found = NULL;
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0)
                found = &options[i];
        if (!found)
            fail(1, "-%.*s: not possible under the limit on memory (hard %s): %s; raise the limit, or leave out -%.*s", (int)length, name, limit, caller_needs,
                 (int)length, name);
        if (found->flag)
            *found->flag = true;
        else if (!(*found->value = glued ? glued : *++argv))
            fail(2, "-%s needs a value (profile -h explains)", found->name);
    }
    if (!*argv)
        fail(2, "no program given: profile PROG [ARG...] or profile -p PID (profile -h explains)");
    w->period = rate ? 1e6 / strtod(rate, NULL) : interval ? microseconds(interval) : 10000;
    if (!(w->period >= 100 && w->period < 1e12))
        fail(2, "%s %s: want an interval from 100us, or a rate to 10000 (profile -h explains)", rate ? "-F" : "-i", rate ? rate : interval);
    return argv;
}

/* absolute is a path for programs that may have another working directory. */
static const char *absolute(const char *path) {
    char *whole = NULL, *directory = path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (!directory)
        return path;
    if (asprintf(&whole, "%s/%s", directory, path) < 0)
        fail(1, "out of memory");
    return whole;
}

/* become_target executes the program with the library, without us. */
static _Noreturn void become_target(char **argv, const char *limit) {
    struct wish w = {.clock = "best"};
    char **program = read_wish(&w, argv, limit), *letters = NULL, *report = NULL, *root = NULL;
    const char *clock = strcmp(w.clock, "prof") == 0 ? " IP" : strcmp(w.clock, "virtual") == 0 ? " IV" : strcmp(w.clock, "real") == 0 ? " IR" : "";
    bool paths = w.paths || w.calls;
    if (!w.root)
        w.root = getenv("PCT_DIR");
    if (!w.by)
        w.by = paths ? "paths" : "line";
    if (asprintf(&letters, "PCT=q%.0f%s%s%s%s%s%s%s%s", w.period, clock, w.random ? " r1" : "", w.log ? " l" : "", w.last ? " c" : "", w.last ? w.last : "",
                 paths ? " s" : "", w.calls ? " e" : "", w.verbose ? " v" : "") < 0 ||
        asprintf(&report, "pct %s%s%s", w.by, strcmp(w.by, "paths") == 0 ? "" : "%", w.calls ? " -calls" : "") < 0 ||
        asprintf(&root, "PCT_DIR=%s", w.root && *w.root ? absolute(w.root) : "") < 0)
        fail(1, "out of memory");
    size_t n = 0, more = 0;
    while (program[more])
        more++;
    char **args = calloc(more + 16, sizeof *args);
    if (!args)
        fail(1, "out of memory");
    char *const ours[] = {part("pct-launch", "libexec/pct/pct-launch"), "-preload", part("lib/libpct.so", "lib/pct/libpct.so"),
                          "-narrow", (char *)limit, "-report", report, "-set", letters, "-set", root};
    n = sizeof ours / sizeof *ours - (w.root && *w.root ? 0 : 2);
    memcpy(args, ours, n * sizeof *args);
    args[n++] = "--";
    memcpy(args + n, program, more * sizeof *args);
    execv(args[0], args);
    fail(1, "cannot run %s: %s", args[0], strerror(errno));
}

int main(int argc, char **argv) {
    char state[128] = "-caller=";
    ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    char *name = n > 0 ? strrchr(here, '/') : NULL;
    if (!name)
        fail(1, "cannot read /proc");
    *name = 0;
    size_t prefix = strlen(state);
    if (!caller_raise(state + prefix, sizeof state - prefix))
        become_target(argv, state + prefix);
    char **args = calloc((size_t)argc + 2, sizeof *args);
    if (!args)
        fail(1, "out of memory");
    args[0] = argv[0];
    args[1] = state;
    memcpy(args + 2, argv + 1, (size_t)argc * sizeof *args);
    char *program = part("libexec/profile", "libexec/pct/profile");
    execv(program, args);
    fail(1, "cannot run %s: %s", program, strerror(errno));
}
