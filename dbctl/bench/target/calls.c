/* calls N: calls request N times, whose argument has a member to look at. */
#include <stdlib.h>

struct request {
	int length;
	const char *command;
};

static int sum;

__attribute__((noinline)) int request(struct request *r, int number)
{
	sum += r->length + number;
	return sum;
}

int main(int argc, char **argv)
{
	struct request r = { 3, "GET" };
	int n = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < n; i++) {
		r.length = i;
		request(&r, i);
	}
	return 0;
}
