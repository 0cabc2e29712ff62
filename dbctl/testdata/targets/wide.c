/* wide: changes the parts of what is larger than a debug register, and lies askew. */
#include <stdio.h>

static struct {
	char first;
	int middle[5];
	char last[3];
} __attribute__((packed)) wide;

int main(void)
{
	volatile int sum = 0;

	for (int i = 0; i < 3; i++) {
		wide.middle[4] = i + 1;
		wide.last[2] = i + 1;
		wide.first = i + 1;
		sum += wide.middle[4] + wide.last[2] + wide.first;
	}
	printf("%d\n", sum);
	return 0;
}
