/*
 * Strings and containers in the frame of `work`, of which all that is held follows from the turn. Argument:
 * milliseconds.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#ifdef __clang__
#define FUNCTION __attribute__((noinline))
#else
#define FUNCTION __attribute__((noipa))
#endif

static volatile unsigned sink;

FUNCTION void leaf()
{
	for (int i = 0; i < 20000; i++)
		sink += (unsigned)i;
}

FUNCTION void work(int turn, const std::string &name, const std::vector<std::string> &words,
				    const std::vector<int> &numbers, const std::optional<int> &odd, const std::shared_ptr<int> &shared)
{
	leaf();
	asm volatile("" ::"r"(&name), "r"(&words), "r"(&numbers), "r"(&odd), "r"(&shared), "r"(turn) : "memory");
}

int main(int, char **argv)
{
	clock_t end = clock() + atol(argv[1]) * (CLOCKS_PER_SEC / 1000);

	for (int turn = 0; clock() < end; turn = (turn + 1) % 40) {
		std::string name = "turn " + std::to_string(turn), longer = name + std::string(40, '.');
		std::vector<int> numbers(turn, turn);
		std::optional<int> odd;
		auto shared = std::make_shared<int>(turn);

		if (turn % 2)
			odd = turn;
		work(turn, turn % 2 ? longer : name, { name, longer }, numbers, odd, shared);
	}
	puts("done");
}
