// Types and scopes of C++, for values that are compared with gdb's. It runs until it is killed.
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns {
enum Plain { first, second };
enum class Mode : unsigned char { off, on = 3 };
int counter = 11;
namespace {
int hidden = 12;
}
inline namespace v1 {
int inlined = 13;
}
struct Base {
	int base = 11;
	virtual ~Base() {}
	virtual int f(int n) { return n + base; }
};
struct Plain0 {
	int low = 1;
};
struct Middle : Plain0 {
	short mid = 2;
};
struct Derived : Base, Middle {
	int own = 22;
	Mode mode = Mode::on;
	Plain plain = second;
	static int shared;
	int &ref;
	explicit Derived(int &r) : ref(r) {}
	int f(int n) override;
};
int Derived::shared = 99;
struct Empty {};
template <class T, int N> struct Box {
	T items[N];
	T sum() const
	{
		T s = T();
		for (int i = 0; i < N; i++)
			s += items[i];
		return s;
	}
};
struct Nest {
	struct Inner {
		int deep;
	} inner;
	int x;
	static const int limit = 5;
	int work(int n)
	{
		int local = n + x;
		volatile int sink = 0;
		for (int i = 0; i < 200; i++)
			sink = sink + local + inner.deep;
		return sink;
	}
};
}

using ns::Derived;
volatile int sink;

int Derived::f(int n)
{
	int here = n + own + base + low;
	for (int i = 0; i < 100; i++)
		sink += here + ref;
	return here;
}

static int work(const std::string &text, std::vector<int> &v, ns::Box<long, 3> box, ns::Base *b, const ns::Nest &nest, ns::Empty e, int &&moved)
{
	ns::Nest copy = nest;
	ns::Mode m = ns::Mode::on;
	auto lambda = [&](int k) { int in = k + moved; sink += in; return in; };
	int n = (int)text.size() + (int)v.size() + (int)box.sum();
	const char *p = text.c_str();
	bool ok = n > 3;
	char16_t wide = u'x';
	std::unique_ptr<int> owner(new int(n));
	for (int i = 0; i < 50; i++)
		sink += b->f(i) + copy.work(i) + lambda(i) + p[0] + (int)m + ok + wide + *owner;
	(void)e;
	return n;
}

int main(int argc, char **argv)
{
	int target = 5;
	Derived d(target);
	std::string s = "a text that is longer than fifteen";
	std::vector<int> v = { 1, 2, 3 };
	ns::Box<long, 3> box = { { 4, 5, 6 } };
	ns::Nest nest = { { 7 }, 8 };
	std::map<int, std::string> m;
	m[1] = "one";
	for (;;)
		sink += work(s, v, box, &d, nest, ns::Empty(), argc + 3);
	return argv[0][0];
}
