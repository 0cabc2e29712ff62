#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 50 };

volatile long counts[THREADS];
volatile int shared;

static void work(long id)
{
    counts[id]++;
}

static void *run(void *argument)
{
    long id = (long)argument;
    for (int i = 0; i < ROUNDS; i++)
        work(id);
    return NULL;
}

static void *idle(void *argument)
{
    char byte;
    return read(*(int *)argument, &byte, 1) == 1 ? NULL : argument;
}

int main(void)
{
    char line[16];
    int pipes[2];
    pthread_t threads[THREADS], idler;
    if (!fgets(line, sizeof line, stdin) || pipe(pipes))
        return 2;
    pthread_create(&idler, NULL, idle, &pipes[0]);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    long sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += counts[i];
    }
    shared = 9;
    void *interrupted;
    if (write(pipes[1], "", 1) != 1)
        return 2;
    pthread_join(idler, &interrupted);
    printf("%ld %s\n", sum, interrupted ? "interrupted" : "whole");
    return 0;
}
