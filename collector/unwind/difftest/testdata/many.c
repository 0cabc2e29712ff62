/* A function for each call by the procedure linkage table, with few instructions of its own. */
#define FUNCTION(n) \
	__attribute__((noinline)) int many##n(int i) { return i ^ n; }
#define EACH(f) \
	f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#define CALL(n) i += many##n(i);

EACH(FUNCTION)

int many(int i)
{
	EACH(CALL)
	return i;
}
