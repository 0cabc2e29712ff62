// Arguments of C++: of methods, of instances of templates, and of lambdas.
#include <cstdlib>
#include <string>

#define FUNCTION __attribute__((noinline))

volatile unsigned sink;
static unsigned turns;

FUNCTION void spin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
	sink += 1;
}

namespace ns {
template <class T> struct box {
	T value;

	FUNCTION T hold(const T &reference, T copy, bool yes) const
	{
		spin(turns);
		sink += (unsigned)yes;
		return value + reference + copy;
	}
};

enum class kind : char { A = 'a', B };

FUNCTION unsigned text(const std::string &name, kind k, std::string copy)
{
	spin(turns);
	return (unsigned)(name.size() + copy.size() + (unsigned)k);
}
}

static ns::box<long> large = { 5 };

int main(int, char **argv)
{
	turns = (unsigned)atoi(argv[1]);
	for (int i = 0; i < 10; i++) {
		long seven = 7;

		sink += (unsigned)large.hold(seven, 3, true);
		sink += ns::text("name", ns::kind::B, "copy");
		auto f = [&](int n, double d) __attribute__((noinline)) { spin(turns); return n + (int)d + (int)seven; };
		sink += (unsigned)f(4, 1.5);
	}
}
