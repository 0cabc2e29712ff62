package path

import "testing"

func TestWithoutTemplates(t *testing.T) {
	for name, want := range map[string]string{
		"main":                                 "main",
		"std::map<int, std::less<int> >::find": "std::map::find",
		"ns::Q<int>::operator<":                "ns::Q::operator<",
		"operator<< <char>":                    "operator<<",
		"ns::A<int>::operator->":               "ns::A::operator->",
		"f<(A<3> > 2)>":                        "f",
		"<alloc::vec::Vec<T> as core::ops::Drop>::drop": "<alloc::vec::Vec as core::ops::Drop>::drop",
		"core::ops::FnOnce<fn() -> i32>::call":          "core::ops::FnOnce::call",
		"odd<":                                          "odd<",
		"(anonymous namespace)::g<int>":                 "(anonymous namespace)::g",
		"ns::f<int>::{lambda(int)#1}::operator()":       "ns::f::{lambda(int)#1}::operator()",

		// Operators, as c++filt writes them.
		"bool n::P<int>::operator< <long>(n::P<long> const&) const":                                      "bool n::P::operator<(n::P const&) const",
		"bool n::P<int>::operator<<long>(n::P<long> const&) const":                                       "bool n::P::operator<(n::P const&) const",
		"bool n::P<int>::operator<=<long>(n::P<long> const&) const":                                      "bool n::P::operator<=(n::P const&) const",
		"bool n::P<int>::operator><long>(n::P<long> const&) const":                                       "bool n::P::operator>(n::P const&) const",
		"int n::P<int>::operator<=><long>(n::P<long> const&) const":                                      "int n::P::operator<=>(n::P const&) const",
		"bool n::P<int>::operator==<n::P<long> >(n::P<long>)":                                            "bool n::P::operator==(n::P)",
		"n::P<int>& n::P<int>::operator<<=<int>(int)":                                                    "n::P& n::P::operator<<=(int)",
		"n::P<int>& n::P<int>::operator>><int>(int)":                                                     "n::P& n::P::operator>>(int)",
		"n::P<int>& n::P<int>::operator>>=<int>(int)":                                                    "n::P& n::P::operator>>=(int)",
		"std::ostream::operator<<(bool)":                                                                 "std::ostream::operator<<(bool)",
		"std::operator<(std::strong_ordering, int)":                                                      "std::operator<(std::strong_ordering, int)",
		"n::P<int>::operator->()":                                                                        "n::P::operator->()",
		"int n::P<int>::operator->*<n::P<long> >(n::P<long>)":                                            "int n::P::operator->*(n::P)",
		"int& n::P<int>::operator[]<n::P<long> >(n::P<long>)":                                            "int& n::P::operator[](n::P)",
		"int n::P<int>::operator()<n::P<long> >(n::P<long>)":                                             "int n::P::operator()(n::P)",
		"n::P<int>::operator std::vector<int, std::allocator<int> >()":                                   "n::P::operator std::vector()",
		"n::P<int>::operator std::map<char, int><char>()":                                                "n::P::operator std::map()",
		"n::P<int>::operator bool<int>()":                                                                "n::P::operator bool()",
		"void* operator new<int>(unsigned long)":                                                         "void* operator new(unsigned long)",
		"myoperator<int>()":                                                                              "myoperator()",
		"main::{lambda(auto:1)#1}::operator()<double>(double) const":                                     "main::{lambda(auto:1)#1}::operator()(double) const",
		"main::{lambda<typename $T0>($T0)#1}::operator()<int>(int)":                                      "main::{lambda($T0)#1}::operator()(int)",
		"n::W<&(bool n::P<int>::operator< <long>(n::P<long>))>::r()":                                     "n::W::r()",
		"n::W<&n::P<int>::operator< <long>, 3>::r()":                                                     "n::W::r()",
		"std::ostream& std::operator<< <char, std::char_traits<char> >":                                  "std::ostream& std::operator<<",
		"std::basic_ostream<char>& std::operator<< <std::char_traits<char> >(std::basic_ostream<char>&)": "std::basic_ostream& std::operator<<(std::basic_ostream&)",
		"operator<": "operator<",
		"operator":  "operator",
	} {
		if got := withoutTemplates(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
