package expression

import "testing"

func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"int":                              "int",
		"ns::Box<long, 3>":                 "ns::Box<long, 3>",
		"_Tuple_impl<0UL, int *, A<int> >": "_Tuple_impl<0ul, int*, A<int> >",
		"std::pair<const int, std::vector<char>>": "std::pair<int const, std::vector<char> >",
		"M<const char *, unsigned long>::it":      "M<char const*, unsigned long>::it",
		"F<void (int, const char *)>":             "F<void (int, char const*)>",
		"F<void (*)(int &)>":                      "F<void (*)(int&)>",
		"A<(anonymous namespace)::B &&>":          "A<(anonymous namespace)::B&&>",
		"A<char *const>":                          "A<char* const>",
		"A<std::map<int, B>::value_type>":         "A<std::map<int, B>::value_type>",
		"A<":                                      "A<>",
		"A<>>>,,<":                                "A<>",
		"A<(ns::Mode)3>":                          "A<(ns::Mode)3>",
	} {
		if got := canonical(name); got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
}
