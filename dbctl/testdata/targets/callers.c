// callers WAY N: functions with a known number of calls; it prints whether its
// code is as it was when it began.
//   calls N     a calls counted N times, b three times as often
//   signals N   the same, of a function that begins with what only the processor does, while
//               signals come
//   threads N   four threads, each as calls
//   forks N     four children, each as calls: by fork, vfork and execve, fork, fork and execve
//   memory N    tells its number in the file pid, waits for the file go, asks N times for memory
//               in all ways, makes the file done, waits for the file end
//   unload      as memory, but instead of asking for memory puts its own in the place of a library
//   killed N    as memory, but waits until its code is changed, makes the file in, waits until it
//               is as it was, and does as calls
//   trap N      handles SIGTRAP, gets a SIGUSR1, and does as calls
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) void counted(void) { sum = sum + 1; }

void stepped(void);
__asm__(".type stepped, @function\n"
        "stepped: pxor %xmm1, %xmm1\n"
        "ret\n"
        ".size stepped, . - stepped\n");

static void (*function)(void) = counted;

__attribute__((noinline)) static void a(int n)
{
    while (n-- > 0)
        function();
}

__attribute__((noinline)) static void b(int n)
{
    while (n-- > 0)
        function();
}

static void both(int n)
{
    a(n);
    b(3 * n);
}

static void *thread(void *arg)
{
    both(*(int *)arg);
    return NULL;
}

static void threads(int n)
{
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        if (pthread_create(&t[i], NULL, thread, &n))
            abort();
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}

static void forks(const char *self, const char *n)
{
    for (int i = 0; i < 4; i++) {
        pid_t pid = i == 1 ? vfork() : fork();

        if (pid == 0 && i % 2 == 0) {
            both(atoi(n));
            _exit(0);
        }
        if (pid == 0) {
            execl("/proc/self/exe", self, "calls", n, "quiet", (char *)NULL);
            _exit(1);
        }
        int status;
        if (waitpid(pid, &status, 0) != pid || status)
            abort();
    }
}

static volatile int caught;

static void count(int sig)
{
    (void)sig;
    caught = caught + 1;
}

static void signals(int n)
{
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 1000}, {0, 1000}};

    function = stepped;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (caught < 20) {
        both(n);
        sum++;
    }
}

static void make(const char *file)
{
    int fd = open(file, O_WRONLY | O_CREAT, 0644);
    char text[16], *p = text + sizeof text;
    int n = (int)getpid();

    // Nothing that asks for memory.
    for (*--p = '\n'; n > 0; n /= 10)
        *--p = (char)('0' + n % 10);
    if (write(fd, p, (size_t)(text + sizeof text - p)) < 0 || close(fd) < 0)
        abort();
}

static void await(const char *file)
{
    for (int i = 0; access(file, F_OK) < 0; i++) {
        if (i > 60000)
            abort();
        usleep(1000);
    }
}

static void *volatile nothing;
static void *volatile kept;

__attribute__((noinline)) static void by_malloc(void) { free(kept = malloc(100)); }
__attribute__((noinline)) static void by_large_malloc(void) { free(kept = malloc(1 << 20)); }
__attribute__((noinline)) static void by_calloc(void) { free(kept = calloc(10, 30)); }
__attribute__((noinline)) static void by_realloc(void) { free(kept = realloc(realloc(nothing, 400), 500)); }
__attribute__((noinline)) static void by_aligned_alloc(void) { free(kept = aligned_alloc(64, 640)); }
__attribute__((noinline)) static void by_memalign(void) { free(kept = memalign(8, 700)); }
__attribute__((noinline)) static void by_strdup(void) { free(kept = strdup("123456789")); }

__attribute__((noinline)) static void by_posix_memalign(void)
{
    void *p;

    if (posix_memalign(&p, 16, 800))
        abort();
    free(p);
}

__attribute__((noinline)) static void by_mmap(void)
{
    void *p = mmap(NULL, 900, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *reserved = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(p, 900);
    munmap(reserved, 1 << 20);
}

static void memory(int n)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 16); // large ones are mapped, each time
    make("pid");
    await("go");
    while (n-- > 0) {
        by_malloc();
        by_large_malloc();
        by_calloc();
        by_realloc();
        by_aligned_alloc();
        by_memalign();
        by_posix_memalign();
        by_strdup();
        by_mmap();
    }
    make("done");
    await("end");
}

// The library is there when the breakpoints are put in, and gone when they are taken out.
static void unload(void)
{
    void *library = dlopen("libm.so.6", RTLD_NOW);
    double (*root)(double) = library ? (double (*)(double))dlsym(library, "cbrt") : NULL;
    unsigned char *page = (unsigned char *)((unsigned long)root & ~4095UL);

    if (!library || !root)
        abort();
    make("pid");
    await("go");
    if (root(27) < 2.9 || dlclose(library))
        abort();
    if (mmap(page, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
        abort();
    memset(page, 17, 8192);
    make("done");
    await("end");
    for (int i = 0; i < 8192; i++)
        if (page[i] != 17)
            abort();
}

// The code of what may be counted.
static unsigned long code(void)
{
    static const void *const begins[] = {
        (void *)counted, (void *)stepped, (void *)malloc, (void *)calloc, (void *)realloc, (void *)mmap, (void *)posix_memalign,
    };
    unsigned long hash = 5381;

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        for (int j = 0; j < 2; j++)
            hash = hash * 33 + ((const volatile unsigned char *)begins[i])[j];
    return hash;
}

static void killed(int n, unsigned long before)
{
    make("pid");
    for (int changed = 1; changed >= 0; changed--) {
        for (int i = 0; (code() != before) != changed; i++) {
            if (i > 60000)
                abort();
            usleep(1000);
        }
        if (changed)
            make("in");
    }
    both(n);
}

int main(int argc, char **argv)
{
    unsigned long before;
    int n = argc > 2 ? atoi(argv[2]) : 0;

    if (argc < 2)
        return 2;
    setvbuf(stdout, NULL, _IONBF, 0);
    before = code();
    if (strcmp(argv[1], "calls") == 0)
        both(n);
    else if (strcmp(argv[1], "signals") == 0)
        signals(n);
    else if (strcmp(argv[1], "threads") == 0)
        threads(n);
    else if (strcmp(argv[1], "forks") == 0)
        forks(argv[0], argv[2]);
    else if (strcmp(argv[1], "memory") == 0)
        memory(n);
    else if (strcmp(argv[1], "unload") == 0)
        unload();
    else if (strcmp(argv[1], "killed") == 0)
        killed(n, before);
    else if (strcmp(argv[1], "trap") == 0)
        signal(SIGTRAP, count), signal(SIGUSR1, count), raise(SIGUSR1), both(n);
    if (argc > 3)
        return 0;
    if (strcmp(argv[1], "signals") == 0)
        printf("%d turns\n", sum);
    else
        puts(code() == before ? "as it was" : "changed"); // so it is while it is counted
    return strcmp(argv[1], "memory") && strcmp(argv[1], "unload") ? 3 : 0;
}
