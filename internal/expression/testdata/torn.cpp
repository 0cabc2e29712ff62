// Objects of the library that do not hold together: their words are overwritten.
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What is a word of an object.
static size_t &word(void *object, int n)
{
	return static_cast<size_t *>(object)[n];
}

__attribute__((noinline)) void look()
{
	asm volatile("" ::: "memory");
}

int main()
{
	// In GNU's library the first word is the pointer, in LLVM's the third.
	auto sound = new std::string(50, 'x');
	auto pointer = &word(sound, 0) == nullptr ? 0 : word(sound, 0) == reinterpret_cast<size_t>(sound->data()) ? 0 : 2;
	auto lost_text = new std::string(50, 'x'), null_text = new std::string(50, 'x'), too_long = new std::string(50, 'x');
	auto short_too_long = new std::string("short"), no_end = new std::string(50, 'x');
	word(lost_text, pointer) = 16;
	word(null_text, pointer) = 0;
#if defined(__GLIBCXX__) && !_GLIBCXX_USE_CXX11_ABI
	// The length and the capacity are before the text.
	word(reinterpret_cast<void *>(word(too_long, 0)), -3) = 1 << 20;
	word(reinterpret_cast<void *>(word(no_end, 0)), -3) = 7;
	word(reinterpret_cast<void *>(word(short_too_long, 0)), -2) = 3;
#else
	word(too_long, 1) = 1 << 20;
	word(no_end, 1) = 7;
	if (pointer == 0)
		word(short_too_long, 1) = 100;
	else
		memset(short_too_long, 0xfe, 1);
#endif
	auto lost_view = new std::string_view("view"), null_view = new std::string_view("view");
	word(lost_view, 0) = word(lost_view, 1) = 16;
	word(null_view, word(null_view, 0) == 4) = 0;
	auto vector = new std::vector<int>{1, 2, 3};
	auto backwards = new std::vector<int>{1, 2, 3}, ragged = new std::vector<int>{1, 2, 3}, beyond = new std::vector<int>{1, 2, 3};
	auto lost_vector = new std::vector<int>{1, 2, 3}, null_vector = new std::vector<int>{1, 2, 3};
	word(backwards, 1) = word(backwards, 0) - 4;
	word(ragged, 1) -= 2;
	word(beyond, 1) += 400;
	word(lost_vector, 0) = 16, word(lost_vector, 1) = word(lost_vector, 2) = 24;
	word(null_vector, 0) = 0, word(null_vector, 1) = word(null_vector, 2) = 24;
	auto huge = new std::vector<int>{1, 2, 3};
	word(huge, 1) = word(huge, 2) = (size_t)-4;
	auto strange = new std::optional<int>(3);
	reinterpret_cast<unsigned char *>(strange)[4] = 7;
	auto lost_unique = new std::unique_ptr<int>(new int(3));
	word(lost_unique, 0) = 16;
	auto lost_counts = new std::shared_ptr<int>(std::make_shared<int>(3)), no_users = new std::shared_ptr<int>(std::make_shared<int>(3));
	word(lost_counts, 1) = 16;
	word(reinterpret_cast<void *>(word(no_users, 1)), 1) = (size_t)-2; // both counts of GNU's, those of uses of LLVM's
	auto half = new std::vector<std::string>{"whole", std::string(50, 'x')};
	word(&(*half)[1], pointer) = 16;
	for (;;)
		look();
}
