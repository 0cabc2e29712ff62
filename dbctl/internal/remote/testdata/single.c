#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

volatile int watched;
volatile int usr1;

static int leaf(int n)
{
    int twice = 2 * n;
    return twice;
}

static int middle(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += leaf(i);
    return sum;
}

static double half(double x)
{
    return x / 2;
}

static void on_usr1(int signal)
{
    usr1 = signal;
}

int main(void)
{
    char line[16];
    if (!fgets(line, sizeof line, stdin))
        return 2;
    signal(SIGUSR1, on_usr1);
    int sum = middle(10);
    watched = 7;
    double quarter = half(0.5);
    getppid();
    raise(SIGUSR1);
    printf("%d %g %d\n", sum, quarter, usr1);
    return 3;
}
