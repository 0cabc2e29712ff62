// Exceptions: through frames with and without a handler, with destructors.
struct Guard {
	volatile int *n;
	~Guard() { ++*n; }
};

volatile int count;

__attribute__((noinline)) void thrower(int n)
{
	Guard g{&count};
	if (n == 0)
		throw 42;
	thrower(n - 1);
}

__attribute__((noinline)) int catcher()
{
	try {
		thrower(1);
	} catch (int e) {
		return e;
	}
	return 0;
}

int main()
{
	__asm__ volatile("int3");
	count = catcher();
	__asm__ volatile("int3");
	return 0;
}
