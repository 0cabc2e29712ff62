// news: memory by operator new.
#include <cstdio>
#include <string>
#include <vector>

[[gnu::noipa]] static int *one() { return new int[250]; }

[[gnu::noipa]] static size_t doubled()
{
	std::vector<char> v;

	for (int i = 0; i < 1024; i++)
		v.push_back('x'); // 1, 2, 4 and so on to 1024 bytes
	return v.size();
}

int main()
{
	size_t sum = 0;

	for (int i = 0; i < 10; i++) {
		delete[] one();
		sum += doubled();
	}
	std::printf("%zu\n", sum);
}
