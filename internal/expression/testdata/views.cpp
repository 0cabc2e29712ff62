// What the library's types hold when look is called, and what stands for nothing.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct point {
	int x, y;
};

struct request {
	std::string command;
	std::vector<int> sizes;
	const char *origin;
	std::optional<double> limit;
};

struct named : std::string {
	int extra = 7;
};

struct counted {
	static int made;
	std::string label;
	int n;
};
int counted::made = 3;

__attribute__((noinline)) void look(const std::string &reference, const std::vector<std::string> &words, const request &r)
{
	asm volatile("" ::"r"(&reference), "r"(&words), "r"(&r) : "memory");
}

// At -O2 the view may be in registers alone.
__attribute__((noinline)) void seen(std::string_view view, std::optional<int> maybe)
{
	asm volatile("" ::"r"(view.data()), "r"(view.size()), "r"(maybe.has_value()) : "memory");
}

__attribute__((noinline)) void work()
{
	std::string text = "hello \"you\"\n", empty, long_text(40, 'x'), longest(1000, 'y'), zeros("a\0b", 3);
	std::string_view view = std::string_view(long_text).substr(0, 5), none;
	std::vector<int> numbers{1, 2, 3}, no_numbers, many(50, 9);
	numbers.reserve(10);
	std::vector<std::string> words{"one", std::string(30, 't'), ""};
	std::vector<std::vector<int>> nested{{1}, {}, {2, 3}};
	std::vector<const char *> names{"first", "second", nullptr};
	std::vector<point> points{{1, 2}, {3, 4}};
	std::vector<counted> list(2);
	std::vector<bool> bits(5);
	std::optional<int> some = 5, nothing;
	std::optional<std::string> maybe = "there";
	std::optional<point> where = point{5, 6};
	auto unique = std::make_unique<int>(11);
	std::unique_ptr<point> spot(new point{7, 8}), nowhere;
	std::unique_ptr<int[]> array(new int[3]{1, 2, 3});
	void (*release)(int *) = [](int *p) { delete p; };
	std::unique_ptr<int, void (*)(int *)> released(new int(12), release);
	auto shared = std::make_shared<std::string>("shared text"), other = shared;
	std::weak_ptr<std::string> weak = shared;
	std::weak_ptr<int> expired = std::make_shared<int>(5), no_weak;
	asm volatile("" ::"r"(&weak), "r"(&expired), "r"(&no_weak) : "memory");
	std::shared_ptr<point> empty_shared;
	request r{"GET", {4, 5}, "here", 2.5};
	named n;
	n.assign("mine");
	counted one{"label", 4};
	std::string &alias = text;
	const std::vector<int> &numbers_alias = numbers;
	int &number_alias = numbers[1];
	const point &point_alias = points[1];
	const char *&name_alias = names[0];
	look(long_text, words, r);
	seen(view, some);
	asm volatile("" ::"r"(&text), "r"(&empty), "r"(&longest), "r"(&zeros), "r"(&none), "r"(&no_numbers), "r"(&many) : "memory");
	asm volatile("" ::"r"(&nested), "r"(&names), "r"(&points), "r"(&list), "r"(&bits), "r"(&nothing), "r"(&maybe), "r"(&where) : "memory");
	asm volatile("" ::"r"(&unique), "r"(&spot), "r"(&nowhere), "r"(&array), "r"(&released), "r"(&other), "r"(&empty_shared), "r"(&n) : "memory");
	asm volatile("" ::"r"(&number_alias), "r"(&point_alias), "r"(&name_alias) : "memory");
	asm volatile("" ::"r"(&one), "r"(&alias), "r"(&numbers_alias), "r"(&some), "r"(&view) : "memory");
}

int main()
{
	for (;;)
		work();
}
