// Names of every kind: namespaces, classes, templates, lambdas, local classes.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace outer {
namespace {
__attribute__((noinline)) int hidden(int x) { return x * 3; }
inline int hidden_inlined(int x) { return x * 5 + (x >> 2); }
}
inline namespace v2 {
struct Counter {
	int n = 0;
	int twice(int k) const { return n * k * 2; }
	__attribute__((noinline)) int add(int k);
	Counter &operator|=(int k)
	{
		n |= hidden_inlined(k);
		return *this;
	}
	virtual ~Counter() { n = 0; }
};
int Counter::add(int k)
{
	n += twice(k) + hidden(k);
	*this |= k;
	return n;
}
}
}

static __attribute__((noinline)) int local(int x)
{
	struct Inner {
		static __attribute__((noinline)) int halve(int x) { return x / 2 + outer::hidden(x); }
	};
	auto by = [x](int k) { return Inner::halve(k) + x; };
	return by(x) + by(x + 1);
}

template <class T> __attribute__((noinline)) T largest(const std::vector<T> &v)
{
	T best = v[0];
	for (const T &x : v)
		best = std::max(best, x);
	return best;
}

int main(int argc, char **argv)
{
	std::vector<int> v;
	for (int i = 0; i < argc * 100; i++)
		v.push_back(i * 7919 % 101);
	std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
	std::map<std::string, int> seen;
	for (int i = 0; i < argc; i++)
		seen[argv[i]] += v[i];
	outer::Counter c;
	std::printf("%d %d %d %zu\n", c.add(v[1]), local(argc), largest(v), seen.size());
}
