/* Loaded and unloaded again and again. */
volatile int plugged;

int plugin(int n)
{
	for (int i = 0; i < n; i++)
		plugged += i;
	return n ? plugin(n - 1) + plugged : 0;
}
