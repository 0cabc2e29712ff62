/* burn MILLISECONDS: use that much CPU time and end. */
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
    clock_t end = (clock_t)(atof(argc > 1 ? argv[1] : "1") * CLOCKS_PER_SEC / 1000);
    while (clock() < end)
        for (volatile int i = 0; i < 2000; i++)
            ;
    return 0;
}
